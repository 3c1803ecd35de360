"""A drawing of energy as an area: power times time, for a run and for the same work done faster."""

from __future__ import annotations

from perfmodel.labs.measurement.mixed_precision_energy.savings import MeteredRun, run_of
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text

STATIC, WORK, SECONDS = 60.0, 40e3, 1000.0
"""Watts for being on, joules of the work, and seconds of the slow run: the lab's example."""
_FLOORS = (126.0, 256.0)


def energy_areas(faster: float) -> Scene:
    """Draw the energy of the example's run, and of the same work done `faster` times as fast.

    >>> energy_areas(2.0).values["mean power, faster run (W)"]
    140.0
    """
    slow, quick = run_of(STATIC, WORK, SECONDS), run_of(STATIC, WORK, SECONDS / faster)
    time = Scale(0, SECONDS, 24, 340)
    shapes: list[Shape] = []
    for name, run, floor in (("full", slow, _FLOORS[0]), ("faster", quick, _FLOORS[1])):
        shapes += _run(name, run, time, floor)
    shapes += time.below(_FLOORS[1], "time (s)")
    says = (
        f"{faster:g} times as fast: {quick.watts:.0f} W in place of {slow.watts:.0f} W, and "
        f"{quick.joules / 1e3:.0f} kJ in place of {slow.joules / 1e3:.0f} kJ."
    )
    values = {
        "mean power, faster run (W)": quick.watts,
        "energy, faster run (kJ)": quick.joules / 1e3,
    }
    return Scene(300, shapes, says, values)


def _run(name: str, run: MeteredRun, time: Scale, floor: float) -> list[Shape]:
    power = Scale(0, STATIC + 2.5 * WORK / SECONDS, floor, floor - 96)
    width = time(run.seconds) - time(0)
    told = f"{name}: {run.watts:.0f} W × {run.seconds:,.0f} s = {run.joules / 1e3:.0f} kJ"
    on, top = power(STATIC), power(run.watts)
    return [
        Text(told, time(0), floor - 108, anchor="start", bold=True),
        Box(time(0), on, width, floor - on, "being on", 1, "light"),
        Box(time(0), top, width, on - top, "work", 2, "solid"),
        Line([(time.start, floor), (time.end, floor)]),
    ]
