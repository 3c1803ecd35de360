"""The floor plan of a chip of big and small cores, and the time that its two phases take."""

from __future__ import annotations

from math import isqrt
from typing import Literal

from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.scaling import asymmetric_speedup, dynamic_speedup, symmetric_speedup
from perfmodel.validation import whole

BUDGET = 64
"""Area of the chip in base-core equivalents (BCE)."""
PARALLEL = 0.9
"""Share of the program that divides over the cores."""
Kind = Literal["symmetric", "asymmetric", "dynamic"]
_SIDE = isqrt(BUDGET)
_CELL = 20.0
_LEFT, _TOP = 16.0, 20.0
_LAWS = {
    "symmetric": symmetric_speedup,
    "asymmetric": asymmetric_speedup,
    "dynamic": dynamic_speedup,
}


def floor_plan(kind: Kind, core_size: int) -> Scene:
    """Draw a chip of 64 BCE, and the time of serial and parallel code on it.

    Its cores are equal, or one is big among small ones, or small cores can fuse; a (big) core has
    1, 4, 16 or 64 BCE.

    >>> round(floor_plan("asymmetric", 16).values["speedup"], 2)
    23.64
    """
    size, speed = whole("core_size", core_size, 1), isqrt(core_size)
    speedup = float(_LAWS[kind](PARALLEL, BUDGET, size))
    serial = (1 - PARALLEL) / speed
    parallel = 1 / speedup - serial
    shapes = _cores(kind, speed)
    shapes += legend(196, 34, [("serial, too", 2, "solid"), ("parallel only", 1, "light")])
    for row, words in enumerate(
        (f"serial code: {speed} times", "a base core's speed", f"speedup: {speedup:.1f}")
    ):
        shapes.append(Text(words, 196, 96 + 22 * row, anchor="start", bold=row == 2))
    shapes += _phases(serial, parallel)
    says = (
        f"The speedup is {speedup:.1f}. Serial code takes {serial:.3f} of a base core's time, and "
        f"parallel code takes {parallel:.3f}."
    )
    values = {"serial time": serial, "parallel time": parallel, "speedup": speedup}
    return Scene(270, shapes, says, values)


def _cores(kind: Kind, wide: int) -> list[Shape]:
    """Return the cores; the one that runs serial code too is solid, or rimmed where it fuses."""
    if kind == "symmetric":
        corners = [(i, j) for i in range(0, _SIDE, wide) for j in range(0, _SIDE, wide)]
        return [_core(i, j, wide, (i, j) == (0, 0)) for i, j in corners]
    small = [(i, j) for i in range(_SIDE) for j in range(_SIDE)]
    if kind == "asymmetric":
        beside = [_core(i, j, 1, False) for i, j in small if i >= wide or j >= wide]
        return [_core(0, 0, wide, True), *beside]
    right, low = _LEFT + wide * _CELL, _TOP + wide * _CELL
    rim = [(_LEFT, _TOP), (right, _TOP), (right, low), (_LEFT, low), (_LEFT, _TOP)]
    cores = [_core(i, j, 1, i < wide and j < wide) for i, j in small]
    return [*cores, Line(rim, 0, "thick")]


def _core(row: int, column: int, wide: int, serial: bool) -> Shape:
    x, y, size = _LEFT + column * _CELL, _TOP + row * _CELL, wide * _CELL - 2
    return Box(x + 1, y + 1, size, size, "", 2 if serial else 1, "solid" if serial else "light")


def _phases(serial: float, parallel: float) -> list[Shape]:
    time = Scale(0, 0.13, 16, 340)
    return [
        time.bar(0, 198, serial, 22, "", 2, "solid"),
        time.bar(serial, 198, parallel, 22, "", 1, "light"),
        *time.below(228, "time (1 = on one base core): serial, then parallel"),
    ]
