"""Ways from a network to its latency on a new device: what is frozen, and what twenty teach."""

from __future__ import annotations

from perfmodel.labs.prediction.aio_p.task_transfer import OTHERS
from perfmodel.live.drawing import Box, Line, Scene, Shape
from perfmodel.live.drawing.chart import legend
from perfmodel.prediction.architectures.search_space import EDGES, one_hot

WAYS = {
    "line": (("network", "base"), ("base", "line"), ("line", "latency")),
    "target only": (("network", "ridge"), ("ridge", "latency")),
    "line + residual": (
        ("network", "base"),
        ("base", "line"),
        ("line", "latency"),
        ("network", "ridge"),
        ("ridge", "latency"),
    ),
    "adapter": (
        ("network", "base"),
        ("network", "others"),
        ("base", "small ridge"),
        ("others", "small ridge"),
        ("small ridge", "latency"),
    ),
}
"""The arrows of each way; two that end at the latency are added there."""
_BOXES = {
    "network": (4.0, 76.0, 60.0, 40.0),
    "base": (88.0, 22.0, 76.0, 32.0),
    "others": (88.0, 80.0, 76.0, 32.0),
    "line": (190.0, 22.0, 82.0, 32.0),
    "small ridge": (190.0, 51.0, 82.0, 32.0),
    "ridge": (130.0, 138.0, 82.0, 32.0),
    "latency": (298.0, 76.0, 58.0, 40.0),
}
"""Left, top, width and height."""
_FROZEN = ("base", "others")


def ways_to_adapt(way: str) -> Scene:
    """Draw one of `WAYS` to predict a new device, and how many numbers twenty networks settle.

    >>> {way: ways_to_adapt(way).values["numbers to learn"] for way in WAYS}
    {'line': 2.0, 'target only': 25.0, 'line + residual': 27.0, 'adapter': 5.0}
    """
    if way not in WAYS:
        raise ValueError(f"way must be one of {', '.join(WAYS)}, got {way!r}")
    parts = dict.fromkeys(part for arrow in WAYS[way] for part in arrow)
    inputs = {"line": 1, "ridge": one_hot([[0] * len(EDGES)]).shape[1]}
    inputs["small ridge"] = 1 + len(OTHERS)
    # A coefficient for each input, and one number for the level.
    count = sum(inputs[part] + 1 for part in parts if part in inputs)
    shapes: list[Shape] = []
    for source, to in WAYS[way]:
        (left, top, width, height), (end, below, _, high) = _BOXES[source], _BOXES[to]
        start = (left + width, top + height / 2)
        shapes.append(Line([start, (end, below + high / 2)], head=True))
    for part in parts:
        label = f"{len(OTHERS)} devices" if part == "others" else part
        colour = 1 if part in _FROZEN else 2 if part in inputs else 0
        shapes.append(Box(*_BOXES[part], label, colour, "light" if colour == 1 else "none"))
    shapes += legend(40, 190, [("frozen", 1, "light"), ("learns from the twenty", 2, "none")])
    says = f"{way.capitalize()}: twenty networks must settle {count} numbers."
    return Scene(216, shapes, says, {"numbers to learn": float(count)})
