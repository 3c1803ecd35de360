"""Eight GPUs and the links that a group of them can use."""

from __future__ import annotations

import math

from perfmodel.labs.communication.zaya_amd.all_gather import KINDS
from perfmodel.labs.communication.zaya_amd.mixture import GPUS
from perfmodel.live.drawing import Circle, Fill, Line, Scene, Shape, Text
from perfmodel.validation import one_of

SIZES = (2, 4, 8)
_CENTER, _RADIUS = (180.0, 128.0), 96.0


def group_links(kind: str, gpus: int) -> Scene:
    """Draw which links an all-gather uses between the first 2, 4 or 8 of eight GPUs.

    >>> group_links("mesh", 4).values["links used"], group_links("switch", 4).values["links used"]
    (6.0, 4.0)
    """
    one_of("kind", kind, KINDS)
    positions = [_place(gpu) for gpu in range(GPUS)]
    if kind == "mesh":
        links = [(a, b) for a in range(GPUS) for b in range(a + 1, GPUS)]
        used = [pair for pair in links if max(pair) < gpus]
        lines = [(_between(positions[a], positions[b]), (a, b) in used) for a, b in links]
    else:
        used = [(gpu, GPUS) for gpu in range(gpus)]
        lines = [(_between(positions[gpu], _CENTER, 20), gpu < gpus) for gpu in range(GPUS)]
    shapes: list[Shape] = [
        Line(ends, 2 if busy else 0, "thick" if busy else "thin") for ends, busy in lines
    ]
    for gpu, (x, y) in enumerate(positions):
        fill: Fill = "light" if gpu < gpus else "none"
        shapes.append(Circle(x, y, 15, str(gpu), 1, fill))
    if kind == "switch":
        shapes.append(Circle(*_CENTER, 20, "", 3, "hatch"))
        shapes.append(Text("switch", _CENTER[0], 250))
    else:
        shapes.append(Text("a link for each pair", _CENTER[0], 250))
    each = (gpus - 1) / (GPUS - 1) if kind == "mesh" else 1.0
    links_used = f"{len(used)} link{'s' * (len(used) != 1)}"
    says = (
        f"{gpus} of {GPUS} GPUs use {links_used}. Each GPU can use {100 * each:.0f} % of its "
        "bandwidth."
    )
    return Scene(264, shapes, says, {"links used": float(len(used)), "share a GPU": each})


def _place(gpu: int) -> tuple[float, float]:
    turn = 2 * math.pi * gpu / GPUS - math.pi / 2
    return _CENTER[0] + _RADIUS * math.cos(turn), _CENTER[1] + _RADIUS * math.sin(turn)


def _between(
    start: tuple[float, float], end: tuple[float, float], gap: float = 15
) -> list[tuple[float, float]]:
    """Return the ends of a line from one circle's edge to another's."""
    length = math.dist(start, end)
    dx, dy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    return [
        (start[0] + 15 * dx, start[1] + 15 * dy),
        (end[0] - gap * dx, end[1] - gap * dy),
    ]
