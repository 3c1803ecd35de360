"""Eight patches on the farm: one row a machine, builders above, the machines that boot below."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

import numpy as np

from perfmodel.labs.benchmarking.kgym.farm import Farm, schedule
from perfmodel.live.drawing import Box, Fill, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import Floats, whole, within

PATCHES, ROWS = 8, 3
"""Patches drawn, and rows that the sheet has for each stage."""
_TOP, _ROW = 70.0, 24.0


def farm_trace(builders: int, boots: int, build: float = 12.0, boot: float = 8.0) -> Scene:
    """Draw the schedule of eight patches that are all there at the beginning.

    `build` and `boot` are minutes of a patch at each of the two stages.

    >>> farm_trace(2, 1).values["last one done (min)"]
    76.0
    """
    for name, value in (("builders", builders), ("boots", boots)):
        within(name, whole(name, value, 1), 1, ROWS)
    ones = np.ones(PATCHES)
    built, booted = schedule(build * ones, boot * ones, builders, boots)
    time = Scale(0, PATCHES * build + boot, 60, 350)
    shapes: list[Shape] = legend(60, 14, [("build", 1, "light")])
    shapes += legend(160, 14, [("boot and try to crash", 2, "solid")])
    shapes.append(Text("one row a machine; the number is the patch", 60, 44, anchor="start"))
    shapes += _stage(time, built, build, _TOP, ("build", builders), 1)
    shapes += _stage(time, booted, boot, _TOP + ROWS * _ROW + 8, ("boot", boots), 2)
    bottom = _TOP + 2 * ROWS * _ROW + 14
    shapes += time.below(bottom, "time (min)")
    farm, last = Farm(build, builders, boot, boots), float(booted.max())
    bottleneck = "neither" if isclose(*farm.demands) else farm.bottleneck
    says = (
        f"The last patch is done after {last:.0f} min; by equation (4) not before "
        f"{farm.least_makespan(PATCHES):.0f} min. Bottleneck: {bottleneck}."
    )
    return Scene(bottom + 44, shapes, says, {"last one done (min)": last})


def _stage(
    time: Scale, ends: Floats, length: float, top: float, named: tuple[str, int], colour: int
) -> list[Shape]:
    """Return one stage: each patch on the first machine that is free when it starts."""
    name, machines = named
    shapes: list[Shape] = [
        Text(f"{name} {row + 1}", 52, top + row * _ROW + 9, anchor="end") for row in range(machines)
    ]
    free = [0.0] * machines
    for patch in np.argsort(ends, kind="stable"):
        start = float(ends[patch]) - length
        row = _first_free(free, start)
        free[row] = start + length
        fill: Fill = "light" if name == "build" else "solid"
        x, y, wide = time(start), top + row * _ROW, time.length(length)
        shapes.append(Box(x, y, wide, _ROW - 6, str(patch + 1), colour, fill))
    return shapes


def _first_free(free: Sequence[float], start: float) -> int:
    return next(row for row, instant in enumerate(free) if instant <= start + 1e-9)
