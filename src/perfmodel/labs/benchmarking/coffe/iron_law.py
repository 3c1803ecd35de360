"""The iron law of processor time, as two rectangles: instructions wide, cycles each high."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.units import number
from perfmodel.validation import Floats, positive

CLOCK_RATE = 3e9
"""Cycles per second of the drawing's processor."""
_FIRST = (2e9, 0.8)
"""Instructions, and cycles for each, of the drawing's first program."""


def cpu_time(
    instructions: ArrayLike, cycles_per_instruction: ArrayLike, clock_rate: ArrayLike
) -> Floats:
    """Return seconds by the iron law: instructions x cycles per instruction / clock rate (1/s).

    >>> print(cpu_time([2e9, 1.2e9], [0.8, 2.1], 3e9).round(3))
    [0.533 0.84 ]
    """
    work = positive("instructions", instructions) * positive(
        "cycles_per_instruction", cycles_per_instruction
    )
    return np.asarray(work / positive("clock_rate", clock_rate))


def cost_each(seconds: ArrayLike, counts: ArrayLike) -> Floats:
    """Return the seconds that a counted unit took, both above 0: the law read backwards.

    >>> print(cost_each([2.0, 3.0], [1e8, 1e6]))
    [2.e-08 3.e-06]
    """
    return np.asarray(positive("seconds", seconds) / positive("counts", counts))


def two_programs(instructions: float, cycles_each: float) -> Scene:
    """Draw two programs, the first of them fixed, as rectangles whose area is their cycles."""
    wide, high = Scale(0, 2.5, 50, 340), Scale(0, 3, 186, 36)
    programs = {"A": _FIRST, "B": (float(instructions), float(cycles_each))}
    shapes: list[Shape] = [
        *high.beside(50, "cycles per instruction"),
        *wide.below(186, "instructions (billions)"),
    ]
    for name, (count, cycles) in programs.items():
        right, top = wide(count / 1e9), high(cycles)
        if name == "A":
            shapes.append(Box(50, top, right - 50, 186 - top, "", 1, "light"))
        else:
            shapes.append(Line([(50, top), (right, top), (right, 186)], 2, "thick"))
    times = {
        name: float(cpu_time(count, cycles, CLOCK_RATE))
        for name, (count, cycles) in programs.items()
    }
    fewer = "fewer" if instructions < _FIRST[0] else "no fewer"
    slower = "slower" if times["B"] > times["A"] else "no slower"
    shapes.append(Text("A shaded, B inside the thick line; the area is cycles", 195, 244))
    says = (
        f"B executes {fewer} instructions than A and is {slower}. At 3 GHz A takes "
        f"{number(round(times['A'], 3))} s and B {number(round(times['B'], 3))} s."
    )
    return Scene(256, shapes, says, {f"{name} (s)": value for name, value in times.items()})
