"""A sub-core of a GPU as a drawing: where instructions issue, and the way that loads take."""

from __future__ import annotations

from perfmodel.labs.roofline.gpu_cores.load_queue import MemoryUnit, steady_period
from perfmodel.live.drawing import Box, Line, Queue, Scene, Shape, Text


def sub_core(active: int) -> Scene:
    """Draw one sub-core and what it shares, with the cycles that each stage of a load takes.

    `active` is the number of sub-cores that issue loads, 1 to 4.

    >>> sub_core(4).values["cycles between two loads of a sub-core"]
    8.0
    """
    unit = MemoryUnit()
    period = steady_period(active, unit)
    each = unit.shared_cycles * active
    shapes: list[Shape] = [Box(4, 24, 352, 166, "", 0, "none", dashed=True)]
    shapes.append(Text("sub-core, one of four", 12, 13, anchor="start", bold=True))
    for place in range(4):
        shapes.append(Box(14, 34 + 20 * place, 70, 18, f"warp {3 - place}", 1))
    shapes.append(Line([(86, 72), (106, 72)], head=True))
    shapes.append(Box(108, 50, 82, 44, "1 issue", 2, "light", bold=True))
    shapes.append(Text("a cycle", 149, 106))
    shapes.append(Line([(192, 72), (214, 72)], head=True))
    shapes.append(Box(216, 50, 130, 44, "registers, units", 0, "light"))
    shapes.append(Text("2 banks, 1 port each", 281, 106))
    way = [(114, 96), (114, 120), (12, 120), (12, 152), (20, 152)]
    shapes.append(Line(way, head=True))
    shapes.append(Text("loads", 40, 132, anchor="start"))
    shapes.append(Queue(22, 152, unit.places))
    shapes.append(Text(f"queue of {unit.places}", 72, 177))
    shapes.append(Line([(124, 152), (150, 152)], head=True))
    shapes.append(Box(152, 135, 196, 34, f"address: 1 in {unit.address_cycles} cycles", 3))
    shapes.append(Line([(272, 169), (272, 214)], head=True))
    shapes.append(Box(110, 216, 246, 34, f"shared: 1 in {unit.shared_cycles} cycles, for all", 4))
    shapes.append(Line([(108, 233), (84, 233)], head=True))
    shapes.append(Text("memory", 80, 233, anchor="end"))
    which = "shared stage" if each > unit.address_cycles else "address unit"
    says = (
        f"With {active} of four sub-cores at work the {which} decides: "
        f"{period} cycles between two loads of one sub-core."
    )
    values = {"cycles between two loads of a sub-core": float(period)}
    return Scene(258, shapes, says, values)
