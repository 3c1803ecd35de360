"""A node with a door: who is inside, how busy the accelerator is, and whom each rule lets in."""

from __future__ import annotations

from perfmodel.labs.prediction.models_in_schedulers.admission_rules import (
    THRESHOLD,
    by_times,
    by_utilization,
)
from perfmodel.labs.queueing.edge_cluster.node import TPU_NODE, admission
from perfmodel.labs.queueing.edge_cluster.placement import demand
from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.validation import whole

MOST = 8
_SEED, _PATIENCE = 1, 3.0
_LEFT, _TOP, _ROW = 20.0, 40.0, 20.0


def node_with_rule(inside: float) -> Scene:
    """Draw the first applications of a demand on a node, and what two rules say of the next.

    >>> node_with_rule(0).values["inside"]
    0
    """
    count = whole("inside", inside)
    if count > MOST:
        raise ValueError(f"inside must be 0 to {MOST}, got {inside!r}")
    asked = demand(MOST + 1, _SEED, _PATIENCE)
    held, tried = asked[:count], asked[: count + 1]
    load = admission(TPU_NODE, held).utilization if held else 0.0
    shapes: list[Shape] = [
        Text("inside, a core each", _LEFT, 16, "start"),
        Text("accelerator", 285, 16),
        Box(235, _TOP, 100, MOST * _ROW, "", 2, "none"),
    ]
    for place in range(count):
        y = _TOP + place * _ROW
        shapes.append(Box(_LEFT, y + 2, 140, _ROW - 4, held[place].network.name, 1, "light"))
        shapes.append(Line([(165, y + _ROW / 2), (230, _TOP + MOST * _ROW / 2)], 1, "thin"))
    full = MOST * _ROW * min(load, 1.0)
    if full > 1:
        shapes.append(Box(238, _TOP + MOST * _ROW - full, 94, full, "", 2, "hatch"))
    verdicts = [
        "lets it in" if rule else "turns it away"
        for rule in (by_times([tried])[0], by_utilization(THRESHOLD, [tried])[0])
    ]
    name = tried[-1].network.name
    says = (
        f"{count} inside keep the accelerator busy for {100 * load:.0f} %. Next asks {name}: the "
        f"formula {verdicts[0]}, a threshold of {THRESHOLD:g} {verdicts[1]}."
    )
    values = {"inside": count, "utilization": round(load, 3)}
    return Scene(_TOP + MOST * _ROW + 20, shapes, says, values)
