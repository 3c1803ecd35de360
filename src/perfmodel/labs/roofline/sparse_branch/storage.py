"""Do a few old bits decide a branch? Sparse branch prediction (Zouzias et al., arXiv 2207.14033).

The paper learns which few of a thousand history bits explain a branch that the best predictors
miss, and stores only those. Here are the cost of a miss and the storage of a sparse model.

>>> float(cycles_per_instruction(0.5, misses_per_kilo=5.0, penalty=20))
0.6
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.roofline.sparse_branch.inputs import HISTORY
from perfmodel.validation import Floats, at_least, non_negative, positive, within


def cycles_per_instruction(
    base: ArrayLike, misses_per_kilo: ArrayLike, penalty: ArrayLike
) -> Floats:
    """Return CPI = CPI_0 + MPKI / 1000 * penalty.

    `base` is CPI_0, cycles an instruction if every branch were foreseen; MPKI are mispredicted
    branches in a thousand instructions; `penalty` is cycles lost by each.
    """
    lost = non_negative("misses_per_kilo", misses_per_kilo) / 1000
    return np.asarray(positive("base", base) + lost * non_negative("penalty", penalty))


def speedup(
    base: ArrayLike, misses_per_kilo: ArrayLike, penalty: ArrayLike, saved: ArrayLike
) -> Floats:
    """Return how many times as fast a program runs once a share of its misses is gone.

    `saved` is the share of misses that is gone.

    >>> print(round(float(speedup(0.5, 5.0, 20, saved=0.42)), 4))
    1.0753
    """
    kept = 1 - within("saved", saved, 0, 1)
    before = cycles_per_instruction(base, misses_per_kilo, penalty)
    after = cycles_per_instruction(base, kept * np.asarray(misses_per_kilo), penalty)
    return np.asarray(before / after)


def sparse_bits(weights: ArrayLike, weight_bits: ArrayLike, history: ArrayLike = HISTORY) -> Floats:
    """Return the bits of a sparse model: an index and a value for each non-zero weight.

    `history` bits, of which each weight names one.

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
