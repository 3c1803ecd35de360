"""The field's own signs, made of plain shapes: a queue of places, a server, a block of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import svg

from perfmodel.live.drawing.outlines import Box, Circle
from perfmodel.live.drawing.shapes import Edge, Fill, Frame, Line, Shape, Text


class _Group:
    """A shape made of others."""

    @property
    def parts(self) -> Sequence[Shape]:
        """The shapes that it is made of."""
        raise NotImplementedError

    @property
    def frame(self) -> Frame:
        """The rectangle around its parts."""
        frames = [part.frame for part in self.parts]
        left, top, right, bottom = zip(*frames, strict=True)
        return Frame(min(left), min(top), max(right), max(bottom))

    @property
    def texts(self) -> Sequence[Text]:
        """The words of its parts."""
        return [text for part in self.parts for text in part.texts]

    @property
    def edges(self) -> Sequence[Edge]:
        """The strokes of its parts."""
        return [edge for part in self.parts for edge in part.edges]

    def elements(self) -> list[svg.Element]:
        """Return what draws its parts."""
        return [element for part in self.parts for element in part.elements()]


@dataclass(frozen=True)
class Queue(_Group):
    """Places in a row, served from the right end; those of `jobs` are taken.

    >>> [box.fill for box in Queue(0, 0, places=3, jobs=["a"]).parts]
    ['none', 'none', 'solid']
    """

    x: float
    y: float
    """Its left end and its middle."""
    places: int
    jobs: Sequence[str] = ()
    """The label of each job (may be empty), the one to be served next first."""
    colour: int = 1
    size: float = 20.0

    @cached_property
    def parts(self) -> Sequence[Shape]:
        """Its places from left to right."""
        free = self.places - len(self.jobs)
        labels = [None] * free + [*reversed(self.jobs)]
        return [
            Box(
                self.x + i * self.size,
                self.y - self.size / 2,
                self.size,
                self.size,
                label or "",
                self.colour if label is not None else 0,
                "none" if label is None else "solid",
            )
            for i, label in enumerate(labels)
        ]


@dataclass(frozen=True)
class Server(_Group):
    """A circle that fills from below by how busy it is, its name beneath.

    >>> len(Server(50, 50, 15, "CPU", utilization=0.5).parts)
    3
    """

    x: float
    y: float
    radius: float
    name: str = ""
    utilization: float = 0.0
    """The share of time in which it is busy, 0 to 1: the height filled."""
    colour: int = 1

    @cached_property
    def parts(self) -> Sequence[Shape]:
        """The rim, the filling, the name."""
        height = 2 * self.radius * self.utilization
        filling = Box(
            self.x - self.radius / 3,
            self.y + self.radius - height,
            2 * self.radius / 3,
            height,
            "",
            self.colour,
            "solid",
        )
        name = Text(self.name, self.x, self.y + self.radius + 11)
        rim = Circle(self.x, self.y, self.radius, "", self.colour, "light")
        return [rim, *[filling] * (height > 0), *[name] * bool(self.name)]


@dataclass(frozen=True)
class Cells(_Group):
    """A block of equal cells, rows from the top; cells not named in `filled` are empty.

    >>> Cells(0, 0, rows=2, columns=3, size=10).frame
    Frame(left=0, top=0, right=30, bottom=20)
    """

    x: float
    y: float
    rows: int
    columns: int
    size: float
    filled: Mapping[tuple[int, int], tuple[int, Fill]] | None = None
    """Colour and fill of the cells at (row, column)."""
    outlined: Sequence[tuple[int, int]] = ()
    """Cells with a thick rim, where something happens now."""

    @cached_property
    def parts(self) -> Sequence[Shape]:
        """The grid, the filled cells upon it, the rims on top."""
        right, bottom = self.x + self.columns * self.size, self.y + self.rows * self.size
        across = [self.y + i * self.size for i in range(self.rows + 1)]
        down = [self.x + i * self.size for i in range(self.columns + 1)]
        grid: list[Shape] = [Line([(self.x, y), (right, y)], style="thin") for y in across]
        grid += [Line([(x, self.y), (x, bottom)], style="thin") for x in down]
        for (row, column), (colour, fill) in (self.filled or {}).items():
            x, y = self.x + column * self.size, self.y + row * self.size
            grid.append(Box(x + 1, y + 1, self.size - 2, self.size - 2, "", colour, fill))
        for row, column in self.outlined:
            left, top = self.x + column * self.size, self.y + row * self.size
            far, low = left + self.size, top + self.size
            rim = [(left, top), (far, top), (far, low), (left, low), (left, top)]
            grid.append(Line(rim, style="thick"))
        return grid
