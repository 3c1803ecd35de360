"""A learning curve drawn as it comes: what is seen, where it is forecast to end, and the best."""

from __future__ import annotations

from functools import cache

import numpy as np

from perfmodel.forecasting import PrefixRegression, prefix_regression, probability_of_losing
from perfmodel.labs.forecasting.nas_curve.forecasts import FIRST, curves_of
from perfmodel.live.drawing import Circle, Line, Scale, Scene, Shape, Text
from perfmodel.validation import Floats

_ROWS = {"a net of the middle": 0.5, "one of the best tenth": 0.93, "one of the worst": 0.05}
NETS = tuple(_ROWS)
EPOCHS = 20
_BOTTOM, _TOP = 190.0, 40.0


def revealed_curve(net: str, seen: int) -> Scene:
    """Draw a curve up to an epoch, its forecast with two deviations, and the best of those before.

    >>> revealed_curve("one of the worst", 3).values["chance of losing"] > 0.95
    True
    """
    curves = curves_of("metaqnn_cifar10").results
    curve, best = _curve(net), float(curves[:FIRST, -1].max())
    line = _line(seen)
    end, spread = float(line.forecast(curve)), line.forecast_deviation
    losing = float(probability_of_losing(best, end, spread))
    across, up = Scale(0, EPOCHS + 2, 40, 344), Scale(0, 1, _BOTTOM, _TOP)
    points = [(across(1 + i), up(y)) for i, y in enumerate(curve[:seen])]
    last = across(EPOCHS)
    low, high = (up(float(np.clip(end + side * spread, 0, 1))) for side in (-2, 2))
    shapes: list[Shape] = [
        *up.beside(34, "accuracy"),
        *across.below(_BOTTOM + 6, "epoch"),
        Line([(across(0), up(best)), (across(EPOCHS + 1), up(best))], style="dashed"),
        Text("best so far", across(4), up(best) - 9),
        Line([(last, low), (last, high)], 2, "thick"),
        Circle(last, up(float(np.clip(end, 0, 1))), 4, "", 2, "solid"),
        *(Circle(x, y, 3, "", 1, "solid") for x, y in points),
    ]
    if len(points) > 1:
        shapes.append(Line(points, 1))
    verdict = "stop" if losing >= 0.95 else "continue"
    says = (
        f"At a certainty of 0.95, {verdict}: the probability of losing is {losing:.3f}. The "
        f"forecast is {end:.3f} with a standard deviation of {spread:.3f}."
    )
    return Scene(_BOTTOM + 44, shapes, says, {"chance of losing": losing})


@cache
def _line(seen: int) -> PrefixRegression:
    return prefix_regression(curves_of("metaqnn_cifar10").results[:FIRST], seen)


def _curve(net: str) -> Floats:
    later = curves_of("metaqnn_cifar10").results[FIRST:]
    index = int(np.argsort(later[:, -1])[round(_ROWS[net] * (len(later) - 1))])
    return np.asarray(later[index])
