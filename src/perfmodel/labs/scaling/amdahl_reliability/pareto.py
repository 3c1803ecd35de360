"""Choice between two aims: which designs are worth a look when one is traded for the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import finite


def pareto_front(gain: ArrayLike, cost: ArrayLike) -> NDArray[np.bool_]:
    """Return which designs no other design beats in one respect without losing in the other.

    Gains should be high and costs low, shape (n,) each. Designs that tie in both respects are all
    on the front or all off it.

    >>> print(pareto_front([1, 2, 3, 3], [1, 3, 2, 4]))
    [ True False  True False]
    """
    gains, costs = np.atleast_1d(finite("gain", gain)), np.atleast_1d(finite("cost", cost))
    if gains.ndim != 1 or gains.shape != costs.shape:
        raise ValueError(
            f"gain and cost must be one-dimensional and of one length, got shapes "
            f"{gains.shape} and {costs.shape}"
        )
    no_worse = (gains >= gains[:, None]) & (costs <= costs[:, None])
    better = (gains > gains[:, None]) | (costs < costs[:, None])
    return np.asarray(~(no_worse & better).any(axis=1))
