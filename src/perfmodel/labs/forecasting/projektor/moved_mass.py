"""A transport plan as Sinkhorn's steps make it: five examples of a mixture, five to be matched."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.forecasting.projektor.optimal_transport import (
    labelled_cost,
    misplaced_mass,
    sinkhorn_plan,
    transport_cost,
)
from perfmodel.live.drawing import Box, Circle, Fill, Line, Scene, Shape, Text
from perfmodel.validation import Floats

Examples = tuple[tuple[float, str], ...]
MIXTURE: Examples = ((0.95, "3"), (0.72, "3"), (0.5, "3"), (0.26, "8"), (0.05, "3"))
"""Each example's feature, no unit, and its digit."""
VALIDATION: Examples = ((0.9, "8"), (0.68, "3"), (0.42, "8"), (0.2, "8"), (0.0, "3"))
LABEL_COST = 0.5
"""Of taking one digit for the other, in squared features."""
_HERE, _THERE, _TOP, _RISE = 34.0, 146.0, 52.0, 150.0
_LEFT, _CELL = 206.0, 23.0
_UNDER, _BAR, _FULLEST = 182.0, 64.0, 0.2
_FILLS: dict[str, Fill] = {"3": "none", "8": "light"}


def moved_mass(smoothing: float, steps: int) -> Scene:
    """Draw a plan after some steps: as lines between examples, and as a table of masses.

    The smoothing is in the unit of the cost, squared features; a step scales rows and columns in
    turn.

    >>> [moved_mass(0.1, steps).values["misplaced mass"] < 0.01 for steps in (1, 20)]
    [False, True]
    """
    cost = _cost()
    plan = sinkhorn_plan(cost, smoothing, steps)
    off, paid = misplaced_mass(plan), float((plan * cost).sum())
    shapes = [
        Text("mixture", _HERE, 14),
        Text("validation", _THERE, 14),
        *_lines(plan),
        *_examples(MIXTURE, _HERE),
        *_examples(VALIDATION, _THERE),
        *_table(plan),
    ]
    says = (
        f"{100 * off:.1f} % of the mass is misplaced. The plan costs {paid:.3f}, and the cheapest "
        f"plan {transport_cost(cost):.3f}."
    )
    return Scene(230, shapes, says, {"misplaced mass": off, "cost": paid})


def _cost() -> Floats:
    (here, digits), (there, to_digits) = map(_parts, (MIXTURE, VALIDATION))
    return labelled_cost(here, digits, there, to_digits, LABEL_COST)


def _parts(side: Examples) -> tuple[Floats, list[str]]:
    return np.array([[at] for at, _ in side]), [digit for _, digit in side]


def _height(feature: float) -> float:
    return _TOP + _RISE * (1 - feature)


def _examples(side: Examples, x: float) -> list[Shape]:
    return [Circle(x, _height(at), 10, digit, 1, _FILLS[digit]) for at, digit in side]


def _lines(plan: Floats) -> list[Shape]:
    result: list[Shape] = []
    for i, (here, _) in enumerate(MIXTURE):
        for j, (there, _) in enumerate(VALIDATION):
            ends = [(_HERE + 12, _height(here)), (_THERE - 12, _height(there))]
            if plan[i, j] >= 0.12:
                result.append(Line(ends, 2, "thick"))
            elif plan[i, j] >= 0.05:
                result.append(Line(ends, 2))
            elif plan[i, j] >= 0.01:
                result.append(Line(ends, 2, "thin"))
    return result


def _table(plan: Floats) -> list[Shape]:
    """Return masses as areas of circles, with bars for the sums of rows and columns."""
    shapes: list[Shape] = [Text("mass moved", _LEFT + 2.5 * _CELL, 14)]
    rows, columns = plan.sum(axis=1), plan.sum(axis=0)
    for i, (_, digit) in enumerate(MIXTURE):
        y = _TOP + 10 + _CELL * (i + 0.5)
        shapes.append(Text(digit, _LEFT - 10, y))
        for j in range(len(VALIDATION)):
            radius = _CELL / 2 * float(np.sqrt(min(plan[i, j] / _FULLEST, 1)))
            if radius > 0.7:
                shapes.append(Circle(_across(j), y, radius, "", 2, "solid"))
        shapes.append(Box(_LEFT + 5 * _CELL + 6, y - 6, _BAR * float(rows[i]), 12, "", 0, "hatch"))
    for j, (_, digit) in enumerate(VALIDATION):
        shapes.append(Text(digit, _across(j), _TOP - 2))
        shapes.append(Box(_across(j) - 6, _UNDER, 12, _BAR * float(columns[j]), "", 0, "hatch"))
    right = _LEFT + 5 * _CELL + 6 + _BAR / len(MIXTURE)
    under = _UNDER + _BAR / len(VALIDATION)
    shapes.append(Line([(right, _TOP + 8), (right, _TOP + 12 + 5 * _CELL)], style="dashed"))
    shapes.append(Line([(_LEFT, under), (_LEFT + 5 * _CELL, under)], style="dashed"))
    return shapes


def _across(index: int) -> float:
    return _LEFT + _CELL * (index + 0.5)
