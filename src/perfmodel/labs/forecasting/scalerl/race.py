"""Two recipes drawn on one axis of compute: one rises early, the other has the higher ceiling."""

from __future__ import annotations

import numpy as np

from perfmodel.forecasting import SIGMOID_LAW
from perfmodel.labs.forecasting.scalerl.curves import START, theta
from perfmodel.live.drawing import Circle, Line, Scale, Scene, Shape, Text
from perfmodel.validation import positive

BUDGETS = (2_000, 4_000, 8_000, 16_000, 28_000, 50_000, 100_000)
"""GPU-hours."""
EARLY, LATE = "8B, 14k", "8B, 32k"
_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 300.0, 30.0, 190.0
_HOURS = np.geomspace(1_000, 100_000, 60)


def recipe_race(budget: float) -> Scene:
    """Draw two recipes' curves up to a budget in GPU-hours, and beyond it as dashes.

    >>> [recipe_race(hours).values["14k less 32k"] > 0 for hours in (8_000, 50_000)]
    [True, False]
    """
    spent = float(positive("budget", budget))
    across, up = Scale(3, 5, _LEFT, _RIGHT), Scale(START, 0.66, _BOTTOM, _TOP)
    rates = {name: float(SIGMOID_LAW.value(theta(name), spent)) for name in (EARLY, LATE)}
    shapes: list[Shape] = [
        *up.beside(_LEFT - 6, "pass rate"),
        *across.below(_BOTTOM + 6, "GPU-hours, as a power of ten"),
        Line([(across(np.log10(spent)), _TOP), (across(np.log10(spent)), _BOTTOM)], style="thin"),
    ]
    for colour, name in enumerate((EARLY, LATE), 1):
        shapes += _curve(name, spent, across, up, colour)
    ends = {name: up(float(SIGMOID_LAW.value(theta(name), 1e5))) for name in (EARLY, LATE)}
    shapes += [Text(name, _RIGHT + 4, y, anchor="start") for name, y in ends.items()]
    ahead = rates[EARLY] - rates[LATE]
    leader = EARLY if ahead > 0 else LATE
    says = (
        f"{leader} is ahead. The pass rate is {rates[EARLY]:.3f} with short answers and "
        f"{rates[LATE]:.3f} with long answers."
    )
    return Scene(_BOTTOM + 44, shapes, says, {"14k less 32k": ahead})


def _curve(name: str, spent: float, across: Scale, up: Scale, colour: int) -> list[Shape]:
    values = SIGMOID_LAW.value(theta(name), _HOURS)
    points = [
        (across(float(np.log10(h))), up(float(v))) for h, v in zip(_HOURS, values, strict=True)
    ]
    cut = int(np.searchsorted(_HOURS, spent * 1.0001))
    here = float(SIGMOID_LAW.value(theta(name), spent))
    shapes: list[Shape] = [Circle(across(np.log10(spent)), up(here), 4, "", colour, "solid")]
    if cut > 1:
        shapes.append(Line(points[:cut], colour, "thick"))
    if cut < len(points) - 1:
        shapes.append(Line(points[max(cut - 1, 0) :], colour, "dashed"))
    return shapes
