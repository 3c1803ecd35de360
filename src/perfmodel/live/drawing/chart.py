"""Quantities on the sheet: a scale turns seconds or jobs into places, and draws its own axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import MaxNLocator

from perfmodel.live.drawing.outlines import Box
from perfmodel.live.drawing.shapes import Fill, Line, Point, Shape, Text
from perfmodel.units import number


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` laid out on the sheet from `start` to `end`.

    >>> time = Scale(0, 10, 40, 340)
    >>> time(5), time.length(2)
    (190.0, 60.0)
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of `value` on the sheet."""
        share = (value - self.low) / (self.high - self.low)
        return float(self.start + share * (self.end - self.start))

    def length(self, value: float) -> float:
        """Return how long `value` is on the sheet."""
        return self(self.low + value) - self.start

    def bar(
        self,
        begin: float,
        y: float,
        length: float,
        height: float,
        label: str = "",
        colour: int = 0,
        fill: Fill = "light",
    ) -> Box:
        """Return the bar of a Gantt row: from `begin` on for `length`, with its upper edge at `y`.

        >>> Scale(0, 10, 40, 340).bar(5, 20, 2, 16).frame
        Frame(left=190.0, top=20, right=250.0, bottom=36)
        """
        return Box(self(begin), y, self.length(length), height, label, colour, fill)

    def ticks(self, most: int = 5) -> list[float]:
        """Return round values to mark on the axis."""
        slack = 1e-9 * (self.high - self.low)
        values = MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(self.low, self.high)
        return [float(v) for v in values if self.low - slack <= v <= self.high + slack]

    def below(self, y: float, title: str, most: int = 5) -> list[Shape]:
        """Return the axis drawn as a horizontal line at the height `y`, numbers under it.

        >>> [shape.words for shape in Scale(0, 10, 40, 340).below(200, "time (s)")[-2:]]
        ['10', 'time (s)']
        """
        shapes: list[Shape] = [Line([(self.start, y), (self.end, y)])]
        for value in self.ticks(most):
            shapes.append(Line([(self(value), y), (self(value), y + 4)]))
            shapes.append(Text(number(value), self(value), y + 13))
        return [*shapes, Text(title, (self.start + self.end) / 2, y + 29)]

    def beside(self, x: float, title: str, most: int = 4) -> list[Shape]:
        """Return the axis drawn as a vertical line at `x`, its title above its upper end."""
        shapes: list[Shape] = [Line([(x, self.start), (x, self.end)])]
        for value in self.ticks(most):
            shapes.append(Line([(x - 4, self(value)), (x, self(value))]))
            shapes.append(Text(number(value), x - 7, self(value), anchor="end"))
        return [*shapes, Text(title, x - 16, self.end - 15, anchor="start")]


def stairs(
    times: Sequence[float], values: Sequence[float], across: Scale, up: Scale
) -> list[Point]:
    """Return the corners of a step function that takes `values[i]` from `times[i]` on.

    >>> stairs([0, 1, 2], [1, 3, 3], Scale(0, 2, 0, 20), Scale(0, 4, 40, 0))
    [(0.0, 30.0), (10.0, 30.0), (10.0, 10.0), (20.0, 10.0)]
    """
    corners = [(across(times[0]), up(values[0]))]
    for time, before, after in zip(times[1:], values, values[1:], strict=False):
        corners.append((across(time), up(before)))
        if before != after:
            corners.append((across(time), up(after)))
    return corners


def even(low: float, high: float, count: int) -> list[float]:
    """Return the middles of `count` equal parts of the way from `low` to `high`.

    >>> even(0, 30, 3)
    [5.0, 15.0, 25.0]
    """
    return [float(x) for x in low + (np.arange(count) + 0.5) * (high - low) / count]


def legend(x: float, y: float, entries: Sequence[tuple[str, int, Fill]]) -> list[Shape]:
    """Return a list of swatches, each with its name, one below the other from (x, y) on.

    >>> [type(shape).__name__ for shape in legend(0, 0, [("serial", 2, "solid")])]
    ['Box', 'Text']
    """
    shapes: list[Shape] = []
    for i, (name, colour, fill) in enumerate(entries):
        shapes.append(Box(x, y + 20 * i - 6, 18, 12, "", colour, fill))
        shapes.append(Text(name, x + 24, y + 20 * i, anchor="start"))
    return shapes
