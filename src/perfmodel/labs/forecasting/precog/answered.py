"""Eight forecasts in the order in which they are answered, and the mean error of those answered."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.forecasting.precog.selective_prediction import coverage_risk
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.validation import one_of, whole

ORDERS = {
    "its confidence": (3.0, 9.0, 5.0, 14.0, 8.0, 22.0, 12.0, 27.0),
    "a perfect one": (3.0, 5.0, 8.0, 9.0, 12.0, 14.0, 22.0, 27.0),
    "a wrong one": (22.0, 14.0, 27.0, 9.0, 12.0, 5.0, 8.0, 3.0),
}
"""Errors in points, the case answered first in front; the same eight in each order."""
CASES = 8
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 340.0, 34.0, 184.0


def answered_first(order: str, answered: int) -> Scene:
    """Draw eight errors as bars, those answered filled, with their mean as a line.

    >>> answered_first("its confidence", 2).values["risk (points)"]
    6.0
    """
    one_of("order", order, ORDERS)
    if whole("answered", answered, 1) > CASES:
        raise ValueError(f"answered must be at most {CASES}, got {answered!r}")
    errors = np.array(ORDERS[order])
    curve = coverage_risk(errors, -np.arange(CASES))
    risk = curve.at(answered / CASES)
    across, up = Scale(0, CASES, _LEFT, _RIGHT), Scale(0, 30, _BOTTOM, _TOP)
    shapes: list[Shape] = [*up.beside(_LEFT - 6, "error (points)")]
    for index, error in enumerate(errors):
        inside = index < answered
        top = up(float(error))
        shapes.append(
            Box(across(index) + 5, top, across(1) - across(0) - 10, _BOTTOM - top, "",
                1 if inside else 0, "light" if inside else "none")
        )  # fmt: skip
        shapes.append(Text(str(index + 1), across(index + 0.5), _BOTTOM + 12))
    end = across(answered)
    shapes.append(Line([(_LEFT, up(risk)), (end, up(risk))], 2, "thick"))
    if answered < CASES:
        shapes.append(Line([(end, _TOP), (end, _BOTTOM)], style="dashed"))
    shapes.append(Text("surest first", (_LEFT + _RIGHT) / 2, _BOTTOM + 30))
    says = (
        f"{answered} of {CASES} answered, a coverage of {100 * answered / CASES:.4g} %: the risk "
        f"is {risk:.2f} points."
    )
    return Scene(_BOTTOM + 42, shapes, says, {"risk (points)": risk})
