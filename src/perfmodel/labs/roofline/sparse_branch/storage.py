"""Do a few old bits decide a branch? Sparse branch prediction (Zouzias et al., arXiv 2207.14033).

The paper learns which few of a thousand history bits explain a branch that the best predictors
miss, and stores only those. Here are the cost of a miss, the storage of a sparse model, and its
claim of sparsity tried on a made trace (`predictors`).

>>> float(cycles_per_instruction(0.5, misses_per_kilo=5.0, penalty=20))
0.6
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.roofline.sparse_branch import predictors as predictors
from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.validation import Floats, at_least, non_negative, positive, within

HISTORY = 512
"""Global history bits; as many local ones are used beside them."""
EXTRA_STORAGE = 2 * 1024 * 8
"""Bits that the paper adds to a processor: 2 KB."""


def cycles_per_instruction(
    base: ArrayLike, misses_per_kilo: ArrayLike, penalty: ArrayLike
) -> Floats:
    """Return CPI = CPI_0 + MPKI / 1000 * penalty.

    Parameters
    ----------
    base : array_like
        Cycles an instruction if every branch were foreseen.
    misses_per_kilo : array_like
        MPKI: mispredicted branches in a thousand instructions.
    penalty : array_like
        Cycles lost by each.
    """
    lost = non_negative("misses_per_kilo", misses_per_kilo) / 1000
    return np.asarray(positive("base", base) + lost * non_negative("penalty", penalty))


def speedup(
    base: ArrayLike, misses_per_kilo: ArrayLike, penalty: ArrayLike, saved: ArrayLike
) -> Floats:
    """Return how many times as fast a program runs once a share `saved` of its misses is gone."""
    kept = 1 - within("saved", saved, 0, 1)
    before = cycles_per_instruction(base, misses_per_kilo, penalty)
    after = cycles_per_instruction(base, kept * np.asarray(misses_per_kilo), penalty)
    return np.asarray(before / after)


def sparse_bits(weights: ArrayLike, weight_bits: ArrayLike, history: ArrayLike = HISTORY) -> Floats:
    """Return the bits of a sparse model: an index and a value for each non-zero weight.

    >>> int(sparse_bits(50, 6))
    750
    """
    index = np.ceil(np.log2(at_least("history", history, 2)))
    each = index + at_least("weight_bits", weight_bits, 1)
    return np.asarray(at_least("weights", weights, 1) * each)


def dense_bits(history: ArrayLike = HISTORY, weight_bits: ArrayLike = 8) -> Floats:
    """Return the bits of a dense linear model: a weight for every history bit, and a bias.

    >>> int(dense_bits())
    4104
    """
    return (at_least("history", history, 1) + 1) * at_least("weight_bits", weight_bits, 1)


@cache
def compared(samples: int = 10_000, seed: int = 1) -> dict[str, float]:
    """Return the share of misses of each predictor on the made trace."""
    trace = predictors.made_trace(samples, seed=seed)
    found = {"majority": predictors.misses(predictors.majority(trace), trace)}
    for bits in (8, 12, 16):
        found[f"gshare, {bits} bits"] = predictors.misses(predictors.gshare(trace, bits), trace)
    for length in (32, 64, 128):
        learned = predictors.perceptron(trace, length)
        found[f"perceptron, {length} bits"] = predictors.misses(learned.predictions, trace)
    for penalty, name in ((0.0, "dense"), (0.01, "sparse")):
        learned = predictors.sgd(trace, penalty=penalty)
        found[f"linear, {name}"] = predictors.misses(learned.predictions, trace)
    return found


def _sparse_finds_the_bits() -> Trend:
    learned = predictors.sgd(predictors.made_trace(10_000), penalty=0.01)
    return Trend(learned.support == (37, 71), f"non-zero weights at lags {learned.support}")


def _sparse_is_best() -> Trend:
    found = compared()
    best = min(found, key=lambda name: found[name])
    listed = ", ".join(f"{name} {100 * share:.1f} %" for name, share in found.items())
    return Trend(best == "linear, sparse", listed)


def _derived(quantity: str, printed: str, unit: str, ours: Callable[[], Floats]) -> Claim:
    return Claim(
        "sparse_branch",
        quantity,
        "recomputed",
        float(printed),
        unit,
        "worked out from the published figures",
        lambda: float(ours()),
        derived=True,
        absolute=half_unit(printed),
    )


def _trend(quantity: str, published: str, ours: Callable[[], Trend]) -> Claim:
    return Claim("sparse_branch", quantity, "trend", published, "", "abstract", ours)


def claims() -> list[Claim]:
    """Return what the paper's figures imply, and its claim of sparsity on a made trace."""
    return [
        _trend(
            "history bits that a sparse model keeps, of 128, made trace with two that matter",
            "branch outcomes are explained by few bits of a long history",
            _sparse_finds_the_bits,
        ),
        _trend(
            "misses of nine predictors on that trace",
            "sparse models improve on the predictors before them",
            _sparse_is_best,
        ),
        *_speed_claims(),
        *_storage_claims(),
    ]


def _speed_claims() -> list[Claim]:
    return [
        _derived(
            "CPI before: CPI_0 0.5, MPKI 5, penalty 20 cycles",
            "0.600",
            "1",
            lambda: cycles_per_instruction(0.5, 5, 20),
        ),
        _derived(
            "CPI after 42 % fewer misses (best case of the abstract)",
            "0.558",
            "1",
            lambda: cycles_per_instruction(0.5, 5 * 0.58, 20),
        ),
        _derived("speedup by 42 % fewer misses", "1.0753", "1", lambda: speedup(0.5, 5, 20, 0.42)),
        _derived(
            "speedup by 2.3 % fewer misses (mean of the abstract)",
            "1.0038",
            "1",
            lambda: speedup(0.5, 5, 20, 0.023),
        ),
    ]


def _storage_claims() -> list[Claim]:
    return [
        _derived(
            "bits of a model with 50 weights of 6 bits", "750", "bit", lambda: sparse_bits(50, 6)
        ),
        _derived("bits of a dense model with 8-bit weights", "4104", "bit", lambda: dense_bits()),
        _derived("dense over sparse bits", "5.5", "1", lambda: dense_bits() / sparse_bits(50, 6)),
        *(
            _derived(
                f"sparse models of {weights} weights in 2 KB",
                models,
                "1",
                partial(_fitting, weights),
            )
            for weights, models in ((50, "21"), (10, "109"))
        ),
    ]


def _fitting(weights: int) -> Floats:
    return np.floor(EXTRA_STORAGE / sparse_bits(weights, 6))
