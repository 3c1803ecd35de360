"""Where one more value would lie: the interval that holds somebody else's measurement."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.validation import positive, sample


def further_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Return the prediction interval: where one more value like these, all above 0, lies.

    An interval of the mean narrows with every value; what the next one does is not known any better
    for that. Student's t on logarithms, as for `geometric_mean_interval`, with the scatter of the
    next value added to that of the mean.

    >>> [round(end, 3) for end in further_interval([9.0, 10.0, 11.0, 10.0])]
    [7.451, 13.353]
    """
    logs = np.log(positive("values", sample("values", values, at_least=2)))
    quantile = scipy.special.stdtrit(logs.size - 1, (1 + check_level(confidence)) / 2)
    half = quantile * logs.std(ddof=1) * np.sqrt(1 + 1 / logs.size)
    return float(np.exp(logs.mean() - half)), float(np.exp(logs.mean() + half))
