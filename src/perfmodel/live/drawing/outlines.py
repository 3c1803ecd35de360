"""Shapes with an inside: area, box and circle, filled so that they differ without colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypedDict

import svg

from perfmodel.live.drawing.shapes import (
    DASHES,
    LETTER,
    Edge,
    Fill,
    Frame,
    Point,
    Text,
    around,
    corners,
    named,
    short,
)

_HATCH = 5.0
"""Distance between two strokes of a hatching, along the axes."""


class _Filling(TypedDict, total=False):
    """Attributes of an SVG element."""

    fill: str
    fill_opacity: float


@dataclass(frozen=True)
class Area:
    """A polygon through `points`, for areas whose size is the point.

    >>> Area([(0, 0), (4, 0), (4, 3)]).size
    6.0
    """

    points: Sequence[Point]
    colour: int = 1
    fill: Fill = "light"

    @property
    def size(self) -> float:
        """Its area, in square units of the sheet."""
        around = pairwise([*self.points, self.points[0]])
        return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in around)) / 2

    @property
    def frame(self) -> Frame:
        """The rectangle around its points."""
        return around(self.points)

    @property
    def texts(self) -> Sequence[Text]:
        """No words."""
        return []

    @property
    def edges(self) -> Sequence[Edge]:
        """Its outline."""
        return list(pairwise([*self.points, self.points[0]]))

    def elements(self) -> list[svg.Element]:
        """Return what draws it."""
        look = named(self.colour)
        outline = svg.Polygon(points=corners(self.points), class_=look, **_filling(self.fill))
        drawn: list[svg.Element] = [outline]
        if self.fill == "hatch":
            drawn.append(_hatching(self.points, self.colour))
        return drawn


@dataclass(frozen=True)
class Box:
    """A rectangle with a label in its middle, lines of it parted by a line break.

    >>> Box(0, 0, 40, 20, "L1").texts
    [Text(words='L1', x=20.0, y=10.0, anchor='middle', colour=0, bold=False)]
    """

    x: float
    y: float
    width: float
    height: float
    label: str = ""
    colour: int = 0
    fill: Fill = "light"
    dashed: bool = False
    bold: bool = False

    @property
    def frame(self) -> Frame:
        """Itself."""
        return Frame(self.x, self.y, self.x + self.width, self.y + self.height)

    @property
    def texts(self) -> Sequence[Text]:
        """The lines of its label."""
        lines = self.label.split("\n") if self.label else []
        middle = self.y + self.height / 2 - (len(lines) - 1) * 0.6 * LETTER
        across = self.x + self.width / 2
        return [
            Text(line, across, middle + i * 1.2 * LETTER, bold=self.bold)
            for i, line in enumerate(lines)
        ]

    @property
    def edges(self) -> Sequence[Edge]:
        """Its four sides."""
        return list(pairwise([*self._corners, self._corners[0]]))

    @property
    def _corners(self) -> list[Point]:
        left, top, right, bottom = self.frame
        return [(left, top), (right, top), (right, bottom), (left, bottom)]

    def elements(self) -> list[svg.Element]:
        """Return what draws it."""
        drawn: list[svg.Element] = [
            svg.Rect(
                x=short(self.x),
                y=short(self.y),
                width=short(self.width),
                height=short(self.height),
                class_=named(self.colour),
                stroke_dasharray=DASHES if self.dashed else None,
                **_filling(self.fill),
            )
        ]
        if self.fill == "hatch":
            drawn.append(_hatching(self._corners, self.colour))
        return drawn + [element for text in self.texts for element in text.elements()]


@dataclass(frozen=True)
class Circle:
    """A circle with a short label in its middle.

    >>> Circle(10, 10, 5).frame
    Frame(left=5, top=5, right=15, bottom=15)
    """

    x: float
    y: float
    radius: float
    label: str = ""
    colour: int = 0
    fill: Fill = "light"

    @property
    def frame(self) -> Frame:
        """The square around it."""
        r = self.radius
        return Frame(self.x - r, self.y - r, self.x + r, self.y + r)

    @property
    def texts(self) -> Sequence[Text]:
        """Its label."""
        return [Text(self.label, self.x, self.y)] if self.label else []

    @property
    def edges(self) -> Sequence[Edge]:
        """Its outline as sixteen chords."""
        return list(pairwise([*self._rim, self._rim[0]]))

    @property
    def _rim(self) -> list[Point]:
        turns = [math.tau * i / 16 for i in range(16)]
        return [
            (self.x + self.radius * math.cos(t), self.y + self.radius * math.sin(t)) for t in turns
        ]

    def elements(self) -> list[svg.Element]:
        """Return what draws it."""
        drawn: list[svg.Element] = [
            svg.Circle(
                cx=short(self.x),
                cy=short(self.y),
                r=short(self.radius),
                class_=named(self.colour),
                **_filling(self.fill),
            )
        ]
        if self.fill == "hatch":
            drawn.append(_hatching(self._rim, self.colour))
        return drawn + [element for text in self.texts for element in text.elements()]


def _filling(fill: Fill) -> _Filling:
    """Return the attributes that fill a shape; the sheet's shapes are empty without them."""
    opacity = {"light": 0.12, "solid": 0.42}.get(fill)
    return {"fill": "currentColor", "fill_opacity": opacity} if opacity else {}


def _hatching(points: Sequence[Point], colour: int) -> svg.Path:
    """Return rising strokes across the polygon `points`."""
    low, high = (f(x + y for x, y in points) for f in (min, max))
    strokes: list[svg.PathData] = []
    for i in range(math.floor(low / _HATCH) + 1, math.ceil(high / _HATCH)):
        crossed = sorted(_crossings(points, i * _HATCH))
        for start, end in zip(crossed[::2], crossed[1::2], strict=False):
            strokes += [svg.M(*map(short, start)), svg.L(*map(short, end))]
    return svg.Path(class_=named(colour, "live-hatch"), d=strokes, stroke_width=1)


def _crossings(points: Sequence[Point], total: float) -> list[Point]:
    """Return where the outline meets the line x + y = `total`."""
    met = []
    for a, b in pairwise([*points, points[0]]):
        before, after = sum(a) - total, sum(b) - total
        if (before < 0) != (after < 0):
            share = before / (before - after)
            met.append((a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))
    return met
