"""Judging a predictor by the decision that it leads to.

A predictor ranks choices; the few that it ranks best are tried, and the best of these is taken.
What counts is how much slower that one is than the best there is.

After Xu et al., PACT 2022.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, sample, whole


def loss_of_performance(predicted: ArrayLike, measured: ArrayLike, tries: int) -> float:
    """Return how much slower than the best the best of the first `tries` choices is, as a share.

    The lowest scores `predicted` are tried, the earlier one first where two are equal; `measured`
    are times.

    >>> loss_of_performance([1, 2, 3], [3.0, 2.0, 2.5], tries=1)
    0.5
    """
    return float(loss_curve(predicted, measured)[: whole("tries", tries, low=1)][-1])


def loss_curve(predicted: ArrayLike, measured: ArrayLike) -> Floats:
    """Return the loss after one try, after two, and so on; it never rises.

    >>> print(loss_curve([1, 2, 3], [3.0, 2.0, 2.5]))
    [0.5 0.  0. ]
    """
    scores, times = (
        sample("predicted", predicted),
        positive("measured", sample("measured", measured)),
    )
    if scores.shape != times.shape:
        raise ValueError(f"predicted must have {times.size} values, got {scores.size}")
    tried = np.minimum.accumulate(times[np.argsort(scores, kind="stable")])
    return np.asarray(tried / times.min() - 1)


def performance_ratio(losses: ArrayLike) -> float:
    """Return the geometric mean of best time over time reached, for losses of several cases.

    >>> print(round(performance_ratio([0.0, 3.0]), 3))
    0.5
    """
    return float(np.exp(-np.log1p(non_negative("losses", losses)).mean()))
