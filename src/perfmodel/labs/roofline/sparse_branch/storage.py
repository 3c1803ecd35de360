"""Do a few old bits decide a branch? Sparse branch prediction (Zouzias et al., arXiv 2207.14033).

The paper learns which few of a thousand history bits explain a branch that the best predictors
miss, and stores only those. Here are the cost of a miss and the storage of a sparse model.

>>> float(cycles_per_instruction(0.5, misses_per_kilo=5.0, penalty=20))
0.6

Zouzias, Kalaitzidis, Berestizshevsky, Andri, Peled and Wang, arXiv 2207.14033, 2022.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, within


def cycles_per_instruction(
    base: ArrayLike, misses_per_kilo: ArrayLike, penalty: ArrayLike
) -> Floats:
    """Return CPI_0 + MPKI / 1000 * penalty, from mispredictions in 1,000 instructions."""
    lost = non_negative("misses_per_kilo", misses_per_kilo) / 1000
    return np.asarray(positive("base", base) + lost * non_negative("penalty", penalty))


def speedup(
    base: ArrayLike, misses_per_kilo: ArrayLike, penalty: ArrayLike, saved: ArrayLike
) -> Floats:
    """Return how many times as fast a program runs once a share `saved` of its misses is gone.

    >>> print(round(float(speedup(0.5, 5.0, 20, saved=0.42)), 4))
    1.0753
    """
    remaining = 1 - within("saved", saved, 0, 1)
    before = cycles_per_instruction(base, misses_per_kilo, penalty)
    after = cycles_per_instruction(base, remaining * np.asarray(misses_per_kilo), penalty)
    return np.asarray(before / after)
