"""Which questions count for a point of a curve, drawn: those of which nothing else is harder."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.forecasting.adele.characteristic_curves import dominant_counts
from perfmodel.live.drawing import Box, Circle, Scene, Shape, Text
from perfmodel.validation import whole

SCALES = ("logic", "nature", "space")
"""Three of the dimensions."""
LEVELS = (1, 2, 3, 4, 5)
_DEMANDS = np.array(
    [
        [1, 0, 1],
        [2, 1, 0],
        [2, 4, 1],
        [3, 3, 0],
        [3, 2, 5],
        [4, 3, 1],
        [1, 4, 4],
        [5, 2, 2],
        [0, 5, 3],
        [2, 2, 2],
    ]
)
"""Ten questions, made up."""
_SOLVED = np.array([1, 1, 0, 1, 0, 0, 1, 0, 0, 1])
_LEFT, _TOP, _WIDTH, _ROW = 92.0, 34.0, 58.0, 22.0


def counting_questions(scale: str, level: int) -> Scene:
    """Draw ten questions with three demands each, and mark those that count for one point.

    >>> counting_questions("logic", 3).values["questions that count"]
    1.0
    """
    asked, column = whole("level", level, 1), SCALES.index(scale)
    counts = (_DEMANDS[:, column] == asked) & (_DEMANDS.max(axis=1) == asked)
    shapes: list[Shape] = [
        Text(name, _LEFT + (index + 0.5) * _WIDTH, _TOP - 14, bold=index == column)
        for index, name in enumerate(SCALES)
    ]
    for row, (demands, kept) in enumerate(zip(_DEMANDS, counts, strict=True)):
        shapes += _question(row, demands, column, bool(kept))
    points = dominant_counts(_DEMANDS, _SOLVED, column)
    here = np.flatnonzero(points.levels == asked)
    solved = float(points.solved[here].sum())
    number = float(counts.sum())
    says = f"{scale}, level {asked}: {number:.0f} of 10 questions count" + (
        f", {solved:.0f} of them solved." if number else ", so that there is no point."
    )
    values = {"questions that count": number, "of them solved": solved}
    return Scene(_TOP + 10 * _ROW + 10, shapes, says, values)


def _question(row: int, demands: np.ndarray, column: int, kept: bool) -> list[Shape]:
    top = _TOP + row * _ROW
    shapes: list[Shape] = [Text(f"question {row + 1}", _LEFT - 8, top + _ROW / 2, anchor="end")]
    for index, demand in enumerate(demands):
        chosen = kept and index == column
        shapes.append(
            Box(
                _LEFT + index * _WIDTH + 2,
                top + 1,
                _WIDTH - 4,
                _ROW - 3,
                str(demand),
                1 if chosen else 0,
                "light" if chosen else "none",
            )
        )
    right = _LEFT + len(SCALES) * _WIDTH
    if kept:
        solved = bool(_SOLVED[row])
        shapes.append(Circle(right + 12, top + _ROW / 2, 4, "", 1, "solid" if solved else "none"))
        shapes.append(
            Text("solved" if solved else "failed", right + 24, top + _ROW / 2, anchor="start")
        )
    return shapes
