"""What it costs to have built a chip for another program."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.scaling import asymmetric_speedup, best_asymmetric
from perfmodel.validation import Floats, within


def speedup_lost(serial: ArrayLike, sizes: ArrayLike, budget: float = 256) -> Floats:
    """Return the share of speedup that an asymmetric chip loses against the program's best one.

    The shape is (programs, chips), for `serial` fractions and `sizes` of the big core in base-core
    equivalents.

    >>> speedup_lost([0.1], [1, 118, 256]).round(2)
    array([[0.85, 0.  , 0.76]])
    """
    parallel = 1 - within("serial", serial, 0, 1)
    speedups = asymmetric_speedup(parallel[:, None], budget, np.asarray(sizes))
    best = best_asymmetric(parallel, budget, integer=False).speedup
    return np.asarray(1 - speedups / best[:, None])
