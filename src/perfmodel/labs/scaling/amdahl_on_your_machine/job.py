"""A job with a chain of dependent steps, and a drawing of processes that take turns."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from perfmodel.live.drawing import Box, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.scaling import amdahl_speedup
from perfmodel.validation import whole

LARGEST = 2**64 - 1
"""The largest state."""


@overload
def step(state: int) -> int: ...
@overload
def step(state: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
def step(state: Any) -> Any:
    """Return the next state of an xorshift generator; `state` is an int or an array.

    States are from 0 to `LARGEST` (G. Marsaglia, "Xorshift RNGs", J. Statistical Software 8(14),
    2003).

    >>> step(1), step(np.array([1, 2], np.uint64))
    (1082269761, array([1082269761, 2164539522], dtype=uint64))
    """
    state = state ^ ((state << 13) & LARGEST)
    state = state ^ (state >> 7)
    return state ^ ((state << 17) & LARGEST)


def checksum(chained: int, free: int) -> int:
    """Return the exclusive or of a chain's last state and the next states of all free states.

    Each of the `chained` steps needs the previous step. The `free` steps start from the states
    LARGEST, LARGEST - 1, ..., and are independent.

    >>> checksum(1, 0) == step(LARGEST - 1)
    True
    """
    state = 1
    for i in range(chained):
        state = step(LARGEST - state) ^ i
    for i in range(free):
        state ^= step(LARGEST - i)
    return state


SERIAL = 0.1
MOST = 4
"""Largest number of cores in the drawing."""
_TOP, _ROW = 34.0, 30.0
_NARROW = 15.0
"""A narrower slice doesn't show the number of its process."""


def process_turns(processes: int, cores: int) -> Scene:
    """Draw a job with a serial fraction of 0.1, as processes on 1 to 4 cores.

    Each process does an equal part of the parallel work.

    >>> round(process_turns(4, 2).values["time (1 = one process)"], 3)
    0.55
    """
    count, rows = whole("processes", processes, 1), whole("cores", cores, 1)
    time = Scale(0, 1, 60, 346)
    shapes: list[Shape] = legend(60, 14, [("serial", 2, "solid")])
    shapes += legend(150, 14, [("process 1, 2, 3 ...", 1, "light")])
    shapes += [
        Text(f"core {core + 1}", 54, _TOP + core * _ROW + 12, anchor="end") for core in range(rows)
    ]
    shapes.append(time.bar(0, _TOP, SERIAL, 24, "", 2, "solid"))
    shapes += _slices(time, count, rows)
    shapes += time.below(_TOP + MOST * _ROW + 2, "time (1 = on one process)")
    speedup = float(amdahl_speedup(SERIAL, min(count, rows)))
    says = (
        f"On {rows} core{'s' * (rows > 1)}, {count} process{'es' * (count > 1)} "
        f"take{'s' * (count == 1)} {1 / speedup:.3f} of the time. The speedup is {speedup:.2f}."
    )
    return Scene(194, shapes, says, {"time (1 = one process)": 1 / speedup, "speedup": speedup})


def _slices(time: Scale, processes: int, cores: int) -> list[Shape]:
    """Return the parallel parts: whole on a core each, or cut into one slice a core and dealt."""
    slices = cores if processes > cores else 1
    length = (1 - SERIAL) / processes / slices
    shapes: list[Shape] = []
    for turn in range(processes * slices):
        row, when = turn % cores, turn // cores
        wide = time.length(length)
        label = str(turn % processes + 1) if wide >= _NARROW else ""
        x, y = time(SERIAL + when * length), _TOP + row * _ROW
        shapes.append(Box(x, y, wide, 24, label, 1, "light"))
    return shapes
