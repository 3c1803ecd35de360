"""Tasks: weights of a GPU, room for the cache, a mean taken out of another mean."""

from __future__ import annotations

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

GIB = 2**30


def _weights(attention: float, feed: float, layers: int, parts: int, cut: bool) -> float:
    return 2 * layers * (attention / (parts if cut else 1) + feed / parts)


weights = Task(
    "Weights of a GPU",
    reference=lambda attention, feed, layers, parts, cut: (
        2 * layers * (attention / (parts if cut else 1) + feed / parts) / 2**30
    ),
    cases=[
        (150_994_944, 704_643_072, 80, 4, True),
        (150_994_944, 704_643_072, 80, 4, False),
        (67_108_864, 135_266_304, 32, 2, False),
    ],
    mistakes=mistakes(
        lambda a, f, layers, p, cut: _weights(a, f, layers, p, cut) / 2 / GIB,
        "parameters: Those are parameters. Each takes 2 bytes.",
        lambda a, f, layers, p, cut: _weights(a, f, layers, p, True) / GIB,
        "always cut: If `cut` is false, each GPU holds all of the attention.",
        lambda a, f, layers, p, cut: _weights(a, f, layers, p, False) / GIB,
        "never cut: If `cut` is true, attention is divided among the parts as well.",
        lambda a, f, layers, p, cut: _weights(a, f, layers, p, not cut) / GIB,
        "cut the other way: You cut attention where `cut` is false.",
        lambda a, f, layers, p, cut: 2 * layers * (a / (p if cut else 1) + f) / GIB,
        "feed-forward whole: The feed-forward network is always cut.",
        lambda a, f, layers, p, cut: _weights(a, f, 1, p, cut) / GIB,
        "one layer: That is one layer. The model has `layers` layers.",
        lambda a, f, layers, p, cut: p * _weights(a, f, layers, p, cut) / GIB,
        "all GPUs: That is the total of all GPUs. The question asks for one GPU.",
        lambda a, f, layers, p, cut: _weights(a, f, layers, p, cut) / 1e9,
        "gigabytes: Those are GB of 10^9 bytes. Return GiB of 2^30 bytes.",
    ),
    hint="Start with the bytes of one layer. The feed-forward part is always divided by `parts`, "
    "the attention part only if `cut` is true.",
    right="For two parts these are the 63.75 and 75.0 GiB that the tool prints. With 1 GiB "
    "reserved, the second plan leaves 4 GiB for the cache and the first 15.25 GiB.",
    unit="GiB",
)

room = Task(
    "Tokens that fit in the cache",
    reference=lambda memory, held, reserved, numbers, parts: (
        (memory - held - reserved) * 2**30 / (2 * numbers / parts)
    ),
    cases=[(80, 63.75, 1, 163_840, 2), (80, 31.875, 1, 163_840, 4), (40, 12, 2, 262_144, 1)],
    mistakes=mistakes(
        lambda m, h, r, n, p: (m - h) * GIB / (2 * n / p),
        "nothing reserved: The reserved memory isn't free for the cache.",
        lambda m, h, r, n, p: (m - r) * GIB / (2 * n / p),
        "weights forgotten: The weights use the same memory.",
        lambda m, h, r, n, p: (m - h - r) * GIB / (n / p),
        "values for bytes: `numbers` are values. Each takes 2 bytes.",
        lambda m, h, r, n, p: (m - h - r) * GIB / (4 * n / p),
        "counted twice: `numbers` already counts keys and values.",
        lambda m, h, r, n, p: (m - h - r) * GIB / (2 * n),
        "cache not cut: The cache is cut as well. A GPU holds one of `parts` parts of a token's "
        "values.",
        lambda m, h, r, n, p: (m - h / 2 - r) * GIB / (2 * n / p),
        "weights halved: `held` is already the GiB of this GPU. Subtract it as it is.",
        lambda m, h, r, n, p: (m - h - r) * 1e9 / (2 * n / p),
        "thousand millions: GiB are 2^30 bytes.",
    ),
    hint="Divide the free bytes of one GPU by the bytes that a token takes there.",
    right="Two GPUs have room for 99,942 tokens, about a hundred requests of a thousand tokens.",
    unit="tokens",
)

taken_out = Task(
    "The mean of the later tokens alone",
    reference=lambda n_before, mean_before, n_all, mean_all: (
        (n_all * mean_all - n_before * mean_before) / (n_all - n_before)
    ),
    cases=[(49_161, 0.020149, 628_588, 0.025299), (100, 1.0, 300, 2.0), (50, 4.0, 80, 3.0)],
    mistakes=mistakes(
        lambda n, before, total, mean: mean,
        "as printed: That is the mean of all tokens, including the earlier tokens.",
        lambda n, before, total, mean: abs(mean - before),
        "difference of means: You can't subtract means. Subtract sums.",
        lambda n, before, total, mean: 2 * mean - before,
        "unweighted: That is right only if both groups have the same number of tokens.",
        lambda n, before, total, mean: (total * mean - n * before) / total,
        "divided by all: The sum is right. Divide it by the number of later tokens.",
        lambda n, before, total, mean: ((total + n) * mean - n * before) / total,
        "counts apart: `n_all` already counts the earlier tokens.",
        lambda n, before, total, mean: total * mean - n * before,
        "sum: That is the sum of the later tokens' seconds. Divide by their number.",
    ),
    hint="A mean times its count is a sum. Take the sums apart first.",
    right="A counter that is never reset mixes the past with the present.",
    unit="s",
)
