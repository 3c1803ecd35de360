"""A cell of NAS-Bench-201 as a graph: its operations, and which of them reach the output."""

from __future__ import annotations

from typing import Literal

from perfmodel.live.drawing import Box, Circle, Line, Scene, Shape, Text
from perfmodel.live.drawing.shapes import Point
from perfmodel.prediction.architectures.search_space import EDGES, one_hot, used_edges

_NODES = (24.0, 128.0, 232.0, 336.0)
_MIDDLE, _RADIUS, _WIDE, _HIGH = 118.0, 14.0, 46.0, 24.0
_NAMES = ("", "skip", "1x1", "3x3", "pool")
_BENT: dict[tuple[int, int], tuple[Point, ...]] = {
    (0, 2): ((32.0, 106.0), (70.0, 66.0), (128.0, 66.0), (186.0, 66.0), (224.0, 106.0)),
    (1, 3): ((136.0, 130.0), (174.0, 170.0), (232.0, 170.0), (290.0, 170.0), (328.0, 130.0)),
    (0, 3): ((24.0, 104.0), (24.0, 22.0), (180.0, 22.0), (336.0, 22.0), (336.0, 104.0)),
}
"""Ways of the edges that pass a node by: points to the operation's middle and on from there."""


def cell_graph(cell: str) -> Scene:
    """Draw a cell: a box for each operation, solid where the output uses what it computes.

    The six digits are the operations of the edges 0-1, 0-2, 1-2, 0-3, 1-3 and 2-3: 0 none, 1 skip,
    2 a 1x1 and 3 a 3x3 convolution, 4 pooling.

    >>> cell_graph("333000").values
    {'operations': 3.0, 'used': 0.0}
    """
    if len(cell) != len(EDGES) or not set(cell) <= set("01234"):
        raise ValueError(f"cell must be {len(EDGES)} digits from 0 to 4, got {cell!r}")
    digits = [int(digit) for digit in cell]
    used = used_edges(one_hot([digits]))[0]
    shapes: list[Shape] = []
    for (source, to), digit, alive in zip(EDGES, digits, used, strict=True):
        if digit:
            shapes += _edge(source, to, _NAMES[digit], bool(alive))
    shapes += [Circle(x, _MIDDLE, _RADIUS, str(node)) for node, x in enumerate(_NODES)]
    shapes += [Text("input", 6, 162, anchor="start"), Text("output", 356, 162, anchor="end")]
    wired = sum(digit > 0 for digit in digits)
    reach = f"{used.sum()} of its {wired} operations" if used.any() else "no operation"
    says = f"Cell {cell}: the output uses {reach}."
    return Scene(190, shapes, says, {"operations": float(wired), "used": float(used.sum())})


def _edge(source: int, to: int, name: str, used: bool) -> list[Shape]:
    left, right = _NODES[source] + _RADIUS, _NODES[to] - _RADIUS
    middle = ((left + right) / 2, _MIDDLE)
    straight = ((left, _MIDDLE), middle, middle, middle, (right, _MIDDLE))
    start, bend, (x, y), turn, end = _BENT.get((source, to), straight)
    colour = 1 if used else 0
    style: Literal["plain", "dashed"] = "plain" if used else "dashed"
    half = _WIDE / 2
    before = [start, bend, (x - half, y)] if bend != (x, y) else [start, (x - half, y)]
    after = [(x + half, y), turn, end] if turn != (x, y) else [(x + half, y), end]
    box = Box(
        x - half, y - _HIGH / 2, _WIDE, _HIGH, name, colour, "light" if used else "none", not used
    )
    return [Line(before, colour, style), Line(after, colour, style, head=True), box]
