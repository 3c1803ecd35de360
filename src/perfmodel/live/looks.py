"""What tells marks of one style apart besides colour: dashes, shapes of points, fillings of bars.

Each list is gone through in order, again from its start where a plot has more marks than it.
"""

from __future__ import annotations

from typing import NamedTuple

STROKE = 5
"""The width of a line, in drawing units; lengths below are in the same."""
DASHES: tuple[tuple[int, ...], ...] = (
    (),
    (34, 9),
    (6, 8),
    (22, 8, 6, 8),
    (34, 8, 6, 8, 6, 8),
    (12, 5),
)
"""Strokes and gaps of the first, second ... line."""
DASHED: tuple[tuple[int, ...], ...] = ((16, 10), (8, 16), (16, 10, 8, 10), (24, 16))
"""Those of lines that are dashed in any case."""
FILLINGS = (0.55, 0.12, 0.95, 0.3)
"""How opaque bars are: of 1, what covers what is behind them."""


class Marker(NamedTuple):
    """The shape of a point: where its outline begins, seen from the point, and how it goes on."""

    across: int
    down: int
    outline: str
    matplotlib: str

    def at(self, x: float, y: float) -> str:
        """Return the path text of the shape around (x, y)."""
        return f"M{x + self.across:.0f} {y + self.down:.0f}{self.outline}"


MARKERS = (
    Marker(0, -8, "l8 8-8 8-8-8z", "D"),
    Marker(-7, 0, "a7 7 0 1 0 14 0a7 7 0 1 0-14 0z", "o"),
    Marker(-6, -6, "h12v12h-12z", "s"),
    Marker(0, -9, "l9 15h-18z", "^"),
    Marker(-7, -7, "l14 14m0-14l-14 14", "x"),
    Marker(0, 9, "l9-15h-18z", "v"),
)
"""Shapes of the first, second ... series of points."""
