"""When a sub-core may issue its next load: a short queue, its address unit, and a shared stage.

Loads go into a queue of the sub-core. Its address unit takes one every few cycles, and hands it to
a stage that all sub-cores of the multiprocessor share. A load leaves its place in the queue when
the shared stage takes it.

The sizes are those that Huerta et al. measured on NVIDIA GPUs, MICRO 2025, Table 1.

>>> print(issue_cycles(active=1, loads=8))
[[ 2  3  4  5  6 13 17 21]]
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import whole


@dataclass(frozen=True)
class MemoryUnit:
    """Sizes and cycles of the path of a load out of a sub-core."""

    places: int = 5
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

    def __post_init__(self) -> None:
        """Refuse sizes with which no load ever leaves."""
        for name in ("places", "address_cycles", "shared_cycles"):
            whole(name, getattr(self, name), low=1)
        for name in ("first_cycle", "depth"):
            whole(name, getattr(self, name))


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
        for load in range(min(loads, unit.places)):
            issue(core, load, unit.first_cycle + load)
    free = 0
    while ready:
        arrival, core, load = heapq.heappop(ready)
        taken = max(arrival, free)
        free = taken + unit.shared_cycles
        if load + unit.places < loads:
            issue(
                core, load + unit.places, max(taken, int(issued[core, load + unit.places - 1])) + 1
            )
    return issued


def steady_period(active: int, unit: MemoryUnit | None = None) -> int:
    """Return the cycles between two loads of a sub-core in the long run: the slower of two stages.

    Parameters and errors are those of `issue_cycles`.

    >>> [steady_period(active) for active in (1, 2, 3, 4)]
    [4, 4, 6, 8]
    """
    unit = unit or MemoryUnit()
    return max(unit.address_cycles, unit.shared_cycles * whole("active", active, low=1))
