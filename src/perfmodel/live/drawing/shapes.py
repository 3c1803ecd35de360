"""What every shape is, and the two without an inside: text, and line or arrow.

A shape is plain data. It knows the SVG elements that draw it, the frame that it fills, the texts
that it carries and the edges that no text may touch, so that a scene can be checked before anyone
looks at it. SVG is written by svg.py. Colours are the page's six (0 is the text's own); a fill
tells shapes apart without colour: none, light, solid or hatched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from html import escape
from itertools import pairwise
from typing import Literal, NamedTuple, Protocol

import svg
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

Fill = Literal["none", "light", "solid", "hatch"]
Point = tuple[float, float]
Edge = tuple[Point, Point]

DASHES: list[Decimal | float | int] = [5, 4]
"""A stroke and a gap of a dashed line."""

LETTER = 13.0
"""Size of every text: 11.8 pixels where a phone's page is 328 pixels wide."""
_RISE, _FALL = 0.72 * LETTER, 0.2 * LETTER


class Frame(NamedTuple):
    """The rectangle that a shape fills."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Frame) -> bool:
        """Return whether two frames share more than an edge.

        >>> Frame(0, 0, 2, 2).overlaps(Frame(1, 1, 3, 3)), Frame(0, 0, 1, 1).overlaps((1, 0, 2, 1))
        (True, False)
        """
        left, top, right, bottom = other
        return self.left < right and left < self.right and self.top < bottom and top < self.bottom

    def holds(self, other: Frame, slack: float = 0.0) -> bool:
        """Return whether `other` lies inside, or sticks out by `slack` at most."""
        return (
            self.left - slack <= other.left
            and self.top - slack <= other.top
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )


class Shape(Protocol):
    """What a scene is made of."""

    @property
    def frame(self) -> Frame:
        """The rectangle that the shape fills."""

    @property
    def texts(self) -> Sequence[Text]:
        """The words that it carries."""

    @property
    def edges(self) -> Sequence[Edge]:
        """The strokes that no text may touch."""

    def elements(self) -> list[svg.Element]:
        """Return what draws it."""


@dataclass(frozen=True)
class Text:
    """One line of words, its middle at the height `y`.

    >>> Text("a < b", 10, 20).elements()[0].text
    'a &lt; b'
    """

    words: str
    x: float
    y: float
    anchor: Literal["start", "middle", "end"] = "middle"
    colour: int = 0
    bold: bool = False

    @property
    def frame(self) -> Frame:
        """The rectangle that it fills in a wide font."""
        width = _width(self.words, self.bold)
        left = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        base = self.y + 0.36 * LETTER
        return Frame(left, base - _RISE, left + width, base + _FALL)

    @property
    def texts(self) -> Sequence[Text]:
        """Itself."""
        return [self]

    @property
    def edges(self) -> Sequence[Edge]:
        """No strokes."""
        return []

    def elements(self) -> list[svg.Element]:
        """Return what draws it."""
        return [
            svg.Text(
                text=escape(self.words),
                x=short(self.x),
                y=short(self.y + 0.36 * LETTER),
                text_anchor=None if self.anchor == "start" else self.anchor,
                class_=named(self.colour),
                fill="currentColor",
                stroke="none",
                font_weight="bold" if self.bold else None,
            )
        ]


@dataclass(frozen=True)
class Line:
    """A line through `points`, with a head at its end where it is an arrow.

    >>> len(Line([(0, 0), (10, 0)], head=True).elements())
    2
    """

    points: Sequence[Point]
    colour: int = 0
    style: Literal["plain", "dashed", "thick", "thin"] = "plain"
    head: bool = False

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
        """Its strokes; a thin line is paper, and may run behind words."""
        return [] if self.style == "thin" else list(pairwise(self.points))

    def elements(self) -> list[svg.Element]:
        """Return what draws it."""
        line = svg.Polyline(
            points=corners(self.points),
            class_=named(self.colour, "live-thin" if self.style == "thin" else ""),
            stroke_width={"thick": 3, "thin": 1}.get(self.style),
            stroke_dasharray=DASHES if self.style == "dashed" else None,
        )
        if not self.head:
            return [line]
        head = corners(_arrow_head(*self.points[-2:]))
        return [line, svg.Polygon(points=head, class_=named(self.colour), fill="currentColor")]


def _arrow_head(start: Point, end: Point) -> list[Point]:
    turn = math.atan2(end[1] - start[1], end[0] - start[0])
    sides = [
        (end[0] - 8 * math.cos(turn + s), end[1] - 8 * math.sin(turn + s)) for s in (0.4, -0.4)
    ]
    return [end, *sides]


@cache
def _width(words: str, bold: bool) -> float:
    font = FontProperties(family="DejaVu Sans", size=LETTER, weight="bold" if bold else "normal")
    return float(TextToPath().get_text_width_height_descent(words, font, False)[0])


def short(value: float) -> float:
    """Return a length to a tenth of a unit, whole where it is.

    >>> short(2.04), short(2.16)
    (2, 2.2)
    """
    rounded = round(float(value), 1)
    return int(rounded) if rounded == int(rounded) else rounded


def named(colour: int, kind: str = "") -> list[str] | None:
    """Return the style sheet's names of a colour and of a kind.

    >>> named(2), named(0, "live-thin"), named(0)
    (['live-c2'], ['live-thin'], None)
    """
    return [name for name in (f"live-c{colour}" if colour else "", kind) if name] or None


def corners(points: Sequence[Point]) -> list[svg.Point]:
    """Return `points` as the library takes them.

    >>> print(*corners([(0, 1), (2.04, 3)]))
    0,1 2,3
    """
    return [svg.Point(short(x), short(y)) for x, y in points]


def around(points: Sequence[Point]) -> Frame:
    """Return the frame around `points`.

    >>> around([(0, 3), (2, 1)])
    Frame(left=0, top=1, right=2, bottom=3)
    """
    across, down = zip(*points, strict=True)
    return Frame(min(across), min(down), max(across), max(down))
