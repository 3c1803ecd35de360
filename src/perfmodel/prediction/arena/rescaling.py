"""A predictor of one scale made to speak another: two numbers, learned from a few examples.

A thermometer in Fahrenheit orders the days as one in Celsius does. Two readings of both turn one
into the other; no number of readings makes a thermometer of a barometer. Neither function here
changes the order of predictions that rise together with the target.

>>> match_moments([1.0, 2.0, 3.0], [1.0, 3.0], [10.0, 30.0]).tolist()
[10.0, 20.0, 30.0]
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, sample


def match_moments(predicted: ArrayLike, source: ArrayLike, target: ArrayLike) -> Floats:
    """Return predictions moved and stretched from the source's labels to the target's.

    Mean and standard deviation of the `source` labels, on whose scale `predicted` is, become those
    of the `target`. It gets the standard deviation of the target's labels, not their correlation
    with the predictions. Without correlation it makes the errors as wide as the labels.
    """
    labels, few = sample("source", source, 2), sample("target", target, 2)
    if np.ptp(labels) == 0:
        raise ValueError(f"source must have two different values or more, got {labels[0]:g} only")
    standard = (finite("predicted", predicted) - labels.mean()) / labels.std()
    return np.asarray(few.mean() + few.std() * standard)


def fitted_line(predicted: ArrayLike, known: ArrayLike, target: ArrayLike) -> Floats:
    """Return predictions put through the line that fits a few known ones best.

    `predicted` and `known` are on the scale of the source; of the known ones the labels are the
    `target`. Raises `ValueError` if all known predictions are the same: then no slope is known.

    Examples
    --------
    >>> fitted_line([5.0], [1.0, 2.0, 3.0], [3.0, 5.0, 7.0])
    array([11.])
    """
    x, y = sample("known", known, 2), sample("target", target, 2)
    if x.shape != y.shape:
        raise ValueError(f"target must have the shape {x.shape} of known, got shape {y.shape}")
    if np.ptp(x) == 0:
        raise ValueError(f"known must have two different values or more, got {x[0]:g} only")
    away = x - x.mean()
    slope = float(away @ (y - y.mean()) / (away @ away))
    return np.asarray(y.mean() + slope * (finite("predicted", predicted) - x.mean()))
