"""What the reader does: weights of a GPU, room for the cache, a mean taken out of another one."""

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
        "always cut: Where `cut` is false, each GPU holds all of the attention.",
        lambda a, f, layers, p, cut: _weights(a, f, layers, p, False) / GIB,
        "never cut: Where `cut` is true, attention is dealt over the parts as well.",
        lambda a, f, layers, p, cut: _weights(a, f, layers, p, not cut) / GIB,
        "cut the other way: You cut attention where `cut` is false.",
        lambda a, f, layers, p, cut: 2 * layers * (a / (p if cut else 1) + f) / GIB,
        "feed-forward whole: The feed-forward network is cut in any case.",
        lambda a, f, layers, p, cut: _weights(a, f, 1, p, cut) / GIB,
        "one layer: That is one layer of them.",
        lambda a, f, layers, p, cut: p * _weights(a, f, layers, p, cut) / GIB,
        "all GPUs: That is what all GPUs of the plan hold together.",
        lambda a, f, layers, p, cut: _weights(a, f, layers, p, cut) / 1e9,
        "gigabytes: Those are GB, of a thousand million bytes. GiB were asked for, of 2^30.",
    ),
    hint="Bytes of a layer first: one of its two shares is divided by `parts` always, the other "
    "only sometimes.",
    right="For two parts these are the 63.75 and 75.0 GiB that the tool prints: the same model, "
    "and a third of the room for the cache in the second plan.",
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
        "nothing reserved: What is reserved for the work itself isn't there for the cache.",
        lambda m, h, r, n, p: (m - r) * GIB / (2 * n / p),
        "weights forgotten: The weights lie in the same memory.",
        lambda m, h, r, n, p: (m - h - r) * GIB / (n / p),
        "values for bytes: `numbers` are values. Each takes 2 bytes.",
        lambda m, h, r, n, p: (m - h - r) * GIB / (4 * n / p),
        "counted twice: Keys and values are both in `numbers` already.",
        lambda m, h, r, n, p: (m - h - r) * GIB / (2 * n),
        "cache not cut: The cache is cut as well: a GPU holds one of `parts` parts of what a token "
        "leaves.",
        lambda m, h, r, n, p: (m - h / 2 - r) * GIB / (2 * n / p),
        "weights halved: The weights are given in GiB of this GPU already: subtract them as they "
        "are.",
        lambda m, h, r, n, p: (m - h - r) * 1e9 / (2 * n / p),
        "thousand millions: GiB are 2^30 bytes.",
    ),
    hint="Free bytes of one GPU, over the bytes that a token takes there.",
    right="For two GPUs 99,942 tokens: what a hundred requests of a thousand tokens take.",
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
        "as printed: That is the mean of all tokens, the earlier ones included.",
        lambda n, before, total, mean: abs(mean - before),
        "difference of means: Means can't be subtracted, sums can.",
        lambda n, before, total, mean: 2 * mean - before,
        "unweighted: That is right only if the later tokens were as many as the earlier ones.",
        lambda n, before, total, mean: (total * mean - n * before) / total,
        "divided by all: Right sum. It belongs to the later tokens alone: divide by their number.",
        lambda n, before, total, mean: ((total + n) * mean - n * before) / total,
        "counts apart: `n_all` counts the earlier tokens already.",
        lambda n, before, total, mean: total * mean - n * before,
        "sum: Those are the seconds of the later tokens together.",
    ),
    hint="A mean times its count is a sum. Take the sums apart first.",
    right="A counter that is never set back reports the past with the present.",
    unit="s",
)
