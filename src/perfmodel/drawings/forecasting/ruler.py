"""A ruler laid on log-log paper: a straight line through a few runs of a law that has a floor."""

from __future__ import annotations

import numpy as np

from perfmodel.forecasting.laws import SATURATING_POWER_LAW
from perfmodel.live.drawing import Circle, Line, Scale, Scene, Shape
from perfmodel.validation import non_negative, whole

_SCALE, _EXPONENT = 3.0, 0.35
_RUNS, _LARGEST = 7, 4.0
"""Runs at whole powers of ten up to 10^6 at most; the forecast is for 10^4 times the largest."""
_TOP, _BOTTOM = 30.0, 190.0


def log_ruler(floor: float, runs: int) -> Scene:
    """Draw runs of sizes 1, 10, 100 and so on, the line through the last three, and the truth.

    Parameters
    ----------
    floor : float
        Loss that no size gets below, 0 or more.
    runs : int
        From 3 to 7.

    Examples
    --------
    >>> [round(log_ruler(floor, 4).values["forecast / truth"], 2) for floor in (0.0, 1.0)]
    [1.0, 0.36]
    """
    count = whole("runs", runs, 3)
    if count > _RUNS:
        raise ValueError(f"runs must be from 3 to {_RUNS}, got {runs!r}")
    lowest = float(non_negative("floor", floor))
    theta = {"e": max(lowest, 1e-12), "a": _SCALE, "b": _EXPONENT}
    across, up = Scale(0, _RUNS - 1 + _LARGEST, 44, 344), Scale(-3.6, 0.8, _BOTTOM, _TOP)
    places = np.arange(count, dtype=float)
    losses = np.log10(SATURATING_POWER_LAW.value(theta, 10**places))
    slope, level = np.polyfit(places[-3:], losses[-3:], 1)
    far = float(places[-1] + _LARGEST)
    grid = np.linspace(0, far, 40)
    curve = np.log10(SATURATING_POWER_LAW.value(theta, 10**grid))
    truth, forecast = float(curve[-1]), float(level + slope * far)
    points = [(across(x), up(y)) for x, y in zip(grid.tolist(), curve.tolist(), strict=True)]
    runs_at = [(across(x), up(y)) for x, y in zip(places.tolist(), losses.tolist(), strict=True)]
    first = float(places[-3])
    ends = [(across(x), up(float(level + slope * x))) for x in (first, far)]
    shapes: list[Shape] = [
        *up.beside(38, "log10 of the loss"),
        *across.below(_BOTTOM + 6, "log10 of the size"),
        Line(points, 1),
        Line(ends, 2, "dashed"),
        *(Circle(x, y, 3.5, "", 1, "solid") for x, y in runs_at),
        Circle(across(far), up(truth), 5, "", 1, "none"),
        Circle(across(far), up(forecast), 5, "", 2, "hatch"),
    ]
    ratio = 10 ** (forecast - truth)
    says = (
        f"At 10,000 times the largest of {count} runs, the straight line predicts "
        f"{10**forecast:.3g}. The law with a floor of {lowest:g} gives {10**truth:.3g}, so the "
        f"forecast is {ratio:.2g} times the truth."
    )
    return Scene(_BOTTOM + 44, shapes, says, {"forecast / truth": ratio})
