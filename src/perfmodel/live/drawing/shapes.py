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

    >>> print(Text("a < b", 10, 20).elements()[0])
    <text text-anchor="middle" x="10" y="24.7">a &lt; b</text>
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
                class_=classes(self.colour, "live-bold" if self.bold else ""),
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
        kind = "" if self.style == "plain" else f"live-{self.style}"
        drawn: list[svg.Element] = [path(self.points, False, classes(self.colour, kind))]
        if self.head:
            drawn.append(
                path(_arrow_head(*self.points[-2:]), True, classes(self.colour, "live-full"))
            )
        return drawn


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


def classes(colour: int, *kinds: str) -> list[str] | None:
    """Return the style sheet's names of a colour and of kinds, empty ones left out.

    >>> classes(2, "", "live-bold")
    ['live-c2', 'live-bold']
    """
    return [name for name in (f"live-c{colour}" if colour else "", *kinds) if name] or None


def path(points: Sequence[Point], closed: bool, names: list[str] | None) -> svg.Path:
    """Return a path through `points` with these names of styles.

    >>> print(path([(0, 0), (3, 4)], False, None))
    <path d="M 0 0 L 3 4"/>
    """
    return svg.Path(class_=names, d=track(points) + [svg.Z()] * closed)


def track(points: Sequence[Point]) -> list[svg.PathData]:
    """Return the moves of an open path.

    >>> len(track([(0, 0), (3, 4)]))
    2
    """
    (x, y), *rest = ((short(a), short(b)) for a, b in points)
    return [svg.M(x, y), *(svg.L(a, b) for a, b in rest)]


def around(points: Sequence[Point]) -> Frame:
    """Return the frame around `points`.

    >>> around([(0, 3), (2, 1)])
    Frame(left=0, top=1, right=2, bottom=3)
    """
    across, down = zip(*points, strict=True)
    return Frame(min(across), min(down), max(across), max(down))
