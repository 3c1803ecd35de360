"""Measured steps in folds, one for each number of SSDs, each predicted from all the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from perfmodel.labs.offloading.fuyou.inputs import Measured, measured
from perfmodel.validation import Floats


def by_fold(predict: Callable[[Measured, Measured], Floats]) -> Floats:
    """Return the FLOP/s of each measured step, predicted from those of other numbers of SSDs.

    `predict` takes the steps to learn from and the steps asked for, whose rates it must not read.
    The mean of what was measured with two SSDs or more, for the steps with one:

    >>> by_fold(lambda kept, left: np.full(len(left.rate), kept.rate.mean()))[:1] / 1e12
    array([120.48235294])
    """
    steps = measured()
    found = np.empty_like(steps.rate)
    for drives in np.unique(steps.drives):
        out = steps.drives == drives
        found[out] = predict(steps.only(~out), steps.only(out))
    return found
