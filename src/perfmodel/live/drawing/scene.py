"""One state of a drawing: its shapes, and what it says in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from perfmodel.live.drawing.outlines import Box, Circle
from perfmodel.live.drawing.shapes import Edge, Frame, Shape, Text

WIDTH = 360
"""The width of every sheet."""
_SLACK = 1.5
"""What a stroke or a letter may reach over the rim, in units of the sheet."""
_INSET = np.array([2.0, 2.5])
"""How far a stroke may reach into a text's frame, which is wider than most fonts' letters."""


@dataclass(frozen=True)
class Scene:
    """Shapes on a sheet 360 wide, drawn in order, with what they say.

    >>> scene = Scene(40, [Box(10, 5, 60, 30, "CPU"), Box(300, 5, 80, 30)], "One CPU is busy.",
    ...               {"busy": 1})
    >>> scene.faults()
    ['a Box reaches from (300, 5) to (380, 35), outside the sheet of 360 x 40']
    """

    height: float
    shapes: Sequence[Shape]
    says: str
    """The state's message in one sentence with its number, read out when a slider moves."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Named results of this state, for the data table; units belong in the name."""

    def markup(self) -> str:
        """Return what stands inside the `<svg>` element."""
        return "".join(str(part) for shape in self.shapes for part in shape.elements())

    def faults(self) -> list[str]:
        """Return in words what can't be read: outside the sheet, overlapping, struck through."""
        sheet = Frame(0, 0, WIDTH, self.height)
        found = [
            f"a {type(shape).__name__} reaches from {_pair(shape.frame[:2])} to "
            f"{_pair(shape.frame[2:])}, outside the sheet of {WIDTH} x {self.height:g}"
            for shape in self.shapes
            if not sheet.holds(shape.frame, _SLACK)
        ]
        texts = [text for shape in self.shapes for text in shape.texts]
        for one, other in combinations(texts, 2):
            if one.frame.overlaps(other.frame):
                found.append(f"texts overlap: {one.words!r} and {other.words!r}")
        for shape in self.shapes:
            found += _tight(shape)
        edges = [edge for shape in self.shapes for edge in shape.edges]
        return found + _struck(texts, edges)


def _pair(point: Sequence[float]) -> str:
    return f"({point[0]:.4g}, {point[1]:.4g})"


def _tight(shape: Shape) -> list[str]:
    """Return the labels that are wider or higher than their own box."""
    if not isinstance(shape, Box | Circle):
        return []
    return [
        f"{text.words!r} doesn't fit in its {type(shape).__name__}"
        for text in shape.texts
        if not shape.frame.holds(text.frame, _SLACK)
    ]


def _struck(texts: Sequence[Text], edges: Sequence[Edge]) -> list[str]:
    """Return the words through which a stroke passes (Liang and Barsky's clipping)."""
    if not edges:
        return []
    start, end = np.asarray(edges, float).transpose(1, 0, 2)
    step = end - start
    found = []
    for text in texts:
        low = np.array(text.frame[:2]) + _INSET
        high = np.array(text.frame[2:]) - _INSET
        still = np.where(step == 0, (start > low) & (start < high), True).all(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ways = np.sort(np.stack([(low - start) / step, (high - start) / step]), axis=0)
        ways[:, step == 0] = np.array([[-np.inf], [np.inf]])
        first = np.maximum(ways[0].max(axis=1), 0)
        last = np.minimum(ways[1].min(axis=1), 1)
        if (still & (first < last)).any():
            found.append(f"a line runs through {text.words!r}")
    return found
