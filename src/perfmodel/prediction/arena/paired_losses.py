"""What is lost without a model, with the interval that its groups allow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.measurement import geometric_mean_interval
from perfmodel.prediction.arena.metrics import mean_interval
from perfmodel.validation import positive, sample


class Loss(NamedTuple):
    """A loss and its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def conclusion(self) -> str:
        """Say whether the model's absence costs, pays or can't be told from nothing."""
        if self.low > 0:
            return "loses"
        return "gains" if self.high < 0 else "no difference shown"

    def __str__(self) -> str:
        """Return the loss with its interval, to two digits after the point."""
        return f"{self.value:z.2f} ({self.low:z.2f} to {self.high:z.2f})"


def paired_loss(with_model: ArrayLike, without: ArrayLike) -> Loss:
    """Return the mean difference of paired groups' means, two or more, by Student's t.

    >>> print(paired_loss([5, 6, 7], [4, 5, 5]))
    1.33 (-0.10 to 2.77)
    """
    difference = _paired(with_model, without)
    if np.ptp(difference) == 0:
        return Loss(*[float(difference[0])] * 3)
    return Loss(float(difference.mean()), *mean_interval(difference))


def fraction_lost(with_model: ArrayLike, without: ArrayLike) -> Loss:
    """Return the fraction of throughput lost, from the geometric mean of paired groups' ratios.

    >>> print(fraction_lost([10, 20, 40], [5, 10, 20]))
    0.50 (0.50 to 0.50)
    """
    first = positive("with_model", sample("with_model", with_model, 2))
    second = positive("without", sample("without", without, 2))
    _paired(first, second)
    middle, low, high = geometric_mean_interval(second / first)
    return Loss(1 - middle, 1 - high, 1 - low)


def _paired(with_model: ArrayLike, without: ArrayLike) -> np.ndarray:
    first, second = sample("with_model", with_model, 2), sample("without", without, 2)
    if first.shape != second.shape:
        raise ValueError(f"without must have {first.size} groups, got {second.size}")
    return np.asarray(first - second)
