"""What the reader does: weights of a GPU, room for the cache, a mean taken out of another one."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

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
    mistakes=[
        Mistake(
            "parameters",
            lambda a, f, layers, p, cut: _weights(a, f, layers, p, cut) / 2 / GIB,
            "Those are parameters. Each takes 2 bytes.",
        ),
        Mistake(
            "always cut",
            lambda a, f, layers, p, cut: _weights(a, f, layers, p, True) / GIB,
            "Where `cut` is false, each GPU holds all of the attention.",
        ),
        Mistake(
            "never cut",
            lambda a, f, layers, p, cut: _weights(a, f, layers, p, False) / GIB,
            "Where `cut` is true, attention is dealt over the parts as well.",
        ),
        Mistake(
            "cut the other way",
            lambda a, f, layers, p, cut: _weights(a, f, layers, p, not cut) / GIB,
            "You cut attention where `cut` is false.",
        ),
        Mistake(
            "feed-forward whole",
            lambda a, f, layers, p, cut: 2 * layers * (a / (p if cut else 1) + f) / GIB,
            "The feed-forward network is cut in any case.",
        ),
        Mistake(
            "one layer",
            lambda a, f, layers, p, cut: _weights(a, f, 1, p, cut) / GIB,
            "That is one layer of them.",
        ),
        Mistake(
            "all GPUs",
            lambda a, f, layers, p, cut: p * _weights(a, f, layers, p, cut) / GIB,
            "That is what all GPUs of the plan hold together.",
        ),
        Mistake(
            "gigabytes",
            lambda a, f, layers, p, cut: _weights(a, f, layers, p, cut) / 1e9,
            "Those are GB, of a thousand million bytes. GiB were asked for, of 2^30.",
        ),
    ],
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
    mistakes=[
        Mistake(
            "nothing reserved",
            lambda m, h, r, n, p: (m - h) * GIB / (2 * n / p),
            "What is reserved for the work itself isn't there for the cache.",
        ),
        Mistake(
            "weights forgotten",
            lambda m, h, r, n, p: (m - r) * GIB / (2 * n / p),
            "The weights lie in the same memory.",
        ),
        Mistake(
            "values for bytes",
            lambda m, h, r, n, p: (m - h - r) * GIB / (n / p),
            "`numbers` are values. Each takes 2 bytes.",
        ),
        Mistake(
            "counted twice",
            lambda m, h, r, n, p: (m - h - r) * GIB / (4 * n / p),
            "Keys and values are both in `numbers` already.",
        ),
        Mistake(
            "cache not cut",
            lambda m, h, r, n, p: (m - h - r) * GIB / (2 * n),
            "The cache is cut as well: a GPU holds one of `parts` parts of what a token leaves.",
        ),
        Mistake(
            "weights halved",
            lambda m, h, r, n, p: (m - h / 2 - r) * GIB / (2 * n / p),
            "The weights are given in GiB of this GPU already: subtract them as they are.",
        ),
        Mistake(
            "thousand millions",
            lambda m, h, r, n, p: (m - h - r) * 1e9 / (2 * n / p),
            "GiB are 2^30 bytes.",
        ),
    ],
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
    mistakes=[
        Mistake(
            "as printed",
            lambda n, before, total, mean: mean,
            "That is the mean of all tokens, the earlier ones included.",
        ),
        Mistake(
            "difference of means",
            lambda n, before, total, mean: abs(mean - before),
            "Means can't be subtracted, sums can.",
        ),
        Mistake(
            "unweighted",
            lambda n, before, total, mean: 2 * mean - before,
            "That is right only if the later tokens were as many as the earlier ones.",
        ),
        Mistake(
            "divided by all",
            lambda n, before, total, mean: (total * mean - n * before) / total,
            "Right sum. It belongs to the later tokens alone: divide by their number.",
        ),
        Mistake(
            "counts apart",
            lambda n, before, total, mean: ((total + n) * mean - n * before) / total,
            "`n_all` counts the earlier tokens already.",
        ),
        Mistake(
            "sum",
            lambda n, before, total, mean: total * mean - n * before,
            "Those are the seconds of the later tokens together.",
        ),
    ],
    hint="A mean times its count is a sum. Take the sums apart first.",
    right="A counter that is never set back reports the past with the present.",
    unit="s",
)
