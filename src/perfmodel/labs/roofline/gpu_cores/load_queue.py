"""When a sub-core may issue its next load: a short queue, its address unit, and a shared stage.

Loads go into a queue of the sub-core. Its address unit takes one every few cycles, and hands it to
a stage that all sub-cores of the multiprocessor share. A load leaves the queue when the shared
stage takes it.

Huerta et al. measured the sizes on NVIDIA GPUs ("Dissecting and modeling the architecture of modern
GPU cores", MICRO 2025, Table 1).

>>> print(issue_cycles(active=1, loads=8))
[[ 2  3  4  5  6 13 17 21]]

"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.roofline.gpu_cores.inputs import PATH_BITS
from perfmodel.live.drawing import Box, Line, Queue, Scene, Shape, Text
from perfmodel.validation import positive, whole


@dataclass(frozen=True)
class MemoryUnit:
    """Sizes and cycles of the path of a load out of a sub-core."""

    slots: int = 5
    """Loads that a sub-core may have under way: a queue of four and a latch."""
    address_cycles: int = 4
    """Cycles between two loads in the address unit of a sub-core."""
    shared_cycles: int = 2
    """Cycles between two loads in the stage that the sub-cores share."""
    first_cycle: int = 2
    """Cycle in which the first load issues."""
    depth: int = 10
    """Cycles from issue to the shared stage with nothing in the way. The paper does not print it;
    it follows from the 13 in its Table 1."""


def issue_cycles(active: int, loads: int, unit: MemoryUnit | None = None) -> NDArray[np.int64]:
    """Return the cycle in which each load issues, by simulation.

    `loads` are those of each of the `active` sub-cores, which issue them back to back. The result
    has the shape (active, loads); the sub-core that is served first comes first.

    >>> print(issue_cycles(4, 10)[:, -1])
    [45 47 49 51]
    """
    unit = unit or MemoryUnit()
    issued = np.zeros(
        (whole("active", active, low=1), whole("loads", loads, low=1)), dtype=np.int64
    )
    address = np.zeros_like(issued)
    ready: list[tuple[int, int, int]] = []

    def issue(core: int, load: int, cycle: int) -> None:
        issued[core, load] = cycle
        address[core, load] = cycle + unit.depth
        if load:
            earliest = int(address[core, load - 1]) + unit.address_cycles
            address[core, load] = max(cycle + unit.depth, earliest)
        heapq.heappush(ready, (int(address[core, load]), core, load))

    for core in range(active):
        for load in range(min(loads, unit.slots)):
            issue(core, load, unit.first_cycle + load)
    free = 0
    while ready:
        arrival, core, load = heapq.heappop(ready)
        accepted = max(arrival, free)
        free = accepted + unit.shared_cycles
        if load + unit.slots < loads:
            issue(
                core,
                load + unit.slots,
                max(accepted, int(issued[core, load + unit.slots - 1])) + 1,
            )
    return issued


def steady_period(active: int, unit: MemoryUnit | None = None) -> int:
    """Return the cycles between two loads of a sub-core in the long run, of the slower stage."""
    unit = unit or MemoryUnit()
    return max(unit.address_cycles, unit.shared_cycles * whole("active", active, low=1))


def vector_latency(one_word: float, words: int) -> float:
    """Return the cycles of an access of several words: two more for each after the first.

    >>> [vector_latency(29, words) for words in (1, 2, 4)]
    [29.0, 31.0, 35.0]
    """
    if words not in (1, 2, 4):
        raise ValueError(f"words must be 1, 2 or 4, got {words!r}")
    return float(positive("one_word", one_word)) + (words - 1) * 32 * 32 / PATH_BITS


def sub_core(active: int) -> Scene:
    """Draw one of the `active` sub-cores and what it shares, with the cycles of a load's stages.

    >>> sub_core(4).values["cycles between two loads of a sub-core"]
    8.0
    """
    unit = MemoryUnit()
    period = steady_period(active, unit)
    each = unit.shared_cycles * active
    shapes: list[Shape] = [Box(4, 24, 352, 166, "", 0, "none", dashed=True)]
    shapes.append(Text("sub-core, one of four", 12, 13, anchor="start", bold=True))
    for index in range(4):
        shapes.append(Box(14, 34 + 20 * index, 70, 18, f"warp {3 - index}", 1))
    shapes.append(Line([(86, 72), (106, 72)], head=True))
    shapes.append(Box(108, 50, 82, 44, "1 issue", 2, "light", bold=True))
    shapes.append(Text("a cycle", 149, 106))
    shapes.append(Line([(192, 72), (214, 72)], head=True))
    shapes.append(Box(216, 50, 130, 44, "registers, units", 0, "light"))
    shapes.append(Text("2 banks, 1 port each", 281, 106))
    way = [(114, 96), (114, 120), (12, 120), (12, 152), (20, 152)]
    shapes.append(Line(way, head=True))
    shapes.append(Text("loads", 40, 132, anchor="start"))
    shapes.append(Queue(22, 152, unit.slots))
    shapes.append(Text(f"queue of {unit.slots}", 72, 177))
    shapes.append(Line([(124, 152), (150, 152)], head=True))
    shapes.append(Box(152, 135, 196, 34, f"address: 1 in {unit.address_cycles} cycles", 3))
    shapes.append(Line([(272, 169), (272, 214)], head=True))
    shapes.append(Box(110, 216, 246, 34, f"shared: 1 in {unit.shared_cycles} cycles, for all", 4))
    shapes.append(Line([(108, 233), (84, 233)], head=True))
    shapes.append(Text("memory", 80, 233, anchor="end"))
    which = "shared stage" if each > unit.address_cycles else "address unit"
    says = (
        f"With {active} of four sub-cores active, the {which} decides: {period} cycles between two "
        "loads of one sub-core."
    )
    values = {"cycles between two loads of a sub-core": float(period)}
    return Scene(258, shapes, says, values)
