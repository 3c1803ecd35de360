"""The farm that judges: patches are built on some machines, then booted on others.

Two stations in tandem with several servers each. With patches that keep coming it is an open
network for `perfmodel.queueing`; with a pile of patches at once the question is when the last is
done.

Source: A. Mathai and others, 2024, for the stages (kbuilder, kreproducer behind a queue). The times
are assumptions of this lab, because we don't know the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Box, Fill, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.queueing import JobClass, Lognormal, Network, Station, replay_waits
from perfmodel.validation import Floats, positive, sample, whole, within

MINUTE = 60.0


@dataclass(frozen=True)
class Farm:
    """Mean times of the two stages, and the machines of each.

    >>> farm = Farm(build=12 * MINUTE, builders=16, boot=8 * MINUTE, boots=8)
    >>> farm.bottleneck, 3600 * farm.capacity
    ('boot', 60.0)
    """

    build: float
    """Mean seconds to build a kernel, above 0."""
    builders: int
    """Machines that build, 1 or more."""
    boot: float
    """Mean seconds to boot it and try to crash it, above 0."""
    boots: int
    """Machines that boot, 1 or more."""

    @property
    def demands(self) -> tuple[float, float]:
        """Seconds a patch that each stage needs, all its machines together: build, boot."""
        return self.build / self.builders, self.boot / self.boots

    @property
    def bottleneck(self) -> str:
        """The stage that needs more."""
        return "build" if self.demands[0] >= self.demands[1] else "boot"

    @property
    def capacity(self) -> float:
        """Patches a second that can't be exceeded."""
        return 1 / max(self.demands)

    def network(self, arrival_rate: float, scv: float = 0.25) -> Network:
        """Return the farm as a network of queues, with times of this SCV; rate in patches/s."""
        stations = [Station("build", servers=self.builders), Station("boot", servers=self.boots)]
        distributions = [Lognormal(self.build, scv), Lognormal(self.boot, scv)]
        return Network(stations, [JobClass("patches", arrival_rate=arrival_rate)], distributions)

    def least_makespan(self, jobs: int) -> float:
        """Return the seconds that a pile of `jobs` needs at least, with these times exactly.

        The bottleneck is busy all the time, except during the first patch's way to it or the last
        patch's way from it.
        """
        first, second = (whole("jobs", jobs, 1) * demand for demand in self.demands)
        return max(first + self.boot, second + self.build)


def schedule(
    builds: ArrayLike, boots: ArrayLike, builders: int, machines: int
) -> tuple[Floats, Floats]:
    """Return when each patch is built and booted, in the order given; all are there at time 0.

    >>> built, booted = schedule([2.0, 2.0, 2.0], [3.0, 3.0, 3.0], builders=1, machines=2)
    >>> print(built, booted)
    [2. 4. 6.] [5. 7. 9.]
    """
    first, second = (positive(n, sample(n, v)) for n, v in (("builds", builds), ("boots", boots)))
    if first.shape != second.shape:
        raise ValueError(f"boots must have as many jobs as builds, {first.size}, got {second.size}")
    built = first + replay_waits(np.zeros(first.size), first, whole("builders", builders, 1))
    order = np.argsort(built, kind="stable")
    waits = np.empty(first.size)
    waits[order] = replay_waits(built[order], second[order], whole("machines", machines, 1))
    return built, built + waits + second


PATCHES, ROWS = 8, 3
"""Patches drawn, and rows that the sheet has for each stage."""
_TOP, _ROW = 70.0, 24.0


def farm_trace(builders: int, boots: int, build: float = 12.0, boot: float = 8.0) -> Scene:
    """Draw the schedule of eight patches, all there at time 0; `build` and `boot` in minutes.

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
    bottleneck = "neither stage" if isclose(*farm.demands) else f"the {farm.bottleneck} stage"
    says = (
        f"The last patch is done after {last:.0f} min. Equation (3) says at least "
        f"{farm.least_makespan(PATCHES):.0f} min, and the bottleneck is {bottleneck}."
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
