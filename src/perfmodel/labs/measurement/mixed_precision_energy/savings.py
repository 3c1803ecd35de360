"""Nine watts less: does training emit less? Mixed precision (Antonopoulos, arXiv 2409.07853, 2024).

The paper finds 7 to 11 W less power with mixed precision on a desktop GPU, and no significant
difference in an analysis of variance. Its tables are not public. This module computes what such
numbers can show: energy is power times time, and a test needs enough runs.

>>> slow, fast = MeteredRun(121, 1000), MeteredRun(112, 700)
>>> round(1 - fast.joules / slow.joules, 3)
0.352
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.measurement.energy import JOULES_PER_KWH, GridIntensity
from perfmodel.validation import Floats, non_negative, positive, whole, within

WATT_HOUR = JOULES_PER_KWH / 1000
YEAR = 8760 * 3600.0
"""Seconds of 365 days."""
EXAMPLE_GRID = GridIntensity(400, "a round figure for the exercise, no grid's own")


@dataclass(frozen=True)
class MeteredRun:
    """A training run at a mean power (W) for a time (s)."""

    watts: float
    seconds: float

    @property
    def joules(self) -> float:
        """Energy of the run."""
        return self.watts * self.seconds

    @property
    def watt_hours(self) -> float:
        """The same in Wh."""
        return self.joules / WATT_HOUR

    def grams(self, grid: GridIntensity = EXAMPLE_GRID) -> float:
        """Return grams of CO2 equivalent on `grid`."""
        return 1e3 * self.joules * grid.kilograms_per_joule


def metered_run(static: float, dynamic: float, seconds: float) -> MeteredRun:
    """Return a run of `static` watts that flow anyway and `dynamic` joules that work takes.

    >>> metered_run(60, 40e3, 1000).joules, metered_run(60, 28e3, 625).watts
    (100000.0, 104.8)
    """
    time = float(positive("seconds", seconds))
    watts = float(non_negative("static", static)) + float(non_negative("dynamic", dynamic)) / time
    return MeteredRun(watts, time)


def runs_by_normal_formula(
    effect: float, deviation: float, alpha: float = 0.05, wanted: float = 0.8
) -> float:
    """Return the runs a group by n = 2 (z_alpha/2 + z_beta)^2 (spread / effect)^2, not rounded.

    The exact number, by the noncentral t distribution, is a little larger:
    `perfmodel.measurement.statistics.hypothesis_tests.samples_needed`. `deviation` is the standard
    deviation of a run, in the unit of the effect; the test is two-sided.

    >>> round(runs_by_normal_formula(9, 10), 2)
    19.38
    """
    ends = within("alpha", alpha, 0, 1) / 2, 1 - within("wanted", wanted, 0, 1)
    z = sum(float(stats.norm.isf(end)) for end in ends)
    return float(2 * (z * positive("deviation", deviation) / positive("effect", effect)) ** 2)


def significance_of(difference: float, deviation: float, samples: int) -> tuple[float, float]:
    """Return t and p of two groups of equal size and standard deviation whose means differ.

    >>> [round(v, 3) for v in significance_of(9, 15, 6)]
    [1.039, 0.323]
    """
    n = whole("samples", samples, low=2)
    t = difference / (float(positive("deviation", deviation)) * math.sqrt(2 / n))
    return t, float(2 * stats.t.sf(abs(t), 2 * n - 2))


def paired_significance_of(
    difference: float, deviation: float, pairs: int, correlation: float
) -> tuple[float, float]:
    """Return t and p of pairs whose differences deviate by spread * sqrt(2 (1 - correlation)).

    >>> [round(v, 3) for v in paired_significance_of(9, 15, 6, 0.9)]
    [3.286, 0.022]
    """
    n, rho = whole("pairs", pairs, low=2), float(within("correlation", correlation, -1, 1))
    if rho == 1:
        raise ValueError("correlation must be below 1: pairs that move as one have no spread")
    error = float(positive("deviation", deviation)) * math.sqrt(2 * (1 - rho) / n)
    t = difference / error
    return t, float(2 * stats.t.sf(abs(t), n - 1))


def synthetic_powers(
    samples: int, effect: float, deviation: float, correlation: float = 0.0, seed: int = 1
) -> tuple[Floats, Floats]:
    """Return watts, (samples,), in full and mixed precision; what warms both correlates a pair."""
    n, rho = whole("samples", samples, low=2), float(within("correlation", correlation, 0, 1))
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(size=n), rng.normal(size=(2, n))
    noise = math.sqrt(rho) * shared + math.sqrt(1 - rho) * own
    full, mixed = 121.0 + float(non_negative("deviation", deviation)) * noise - [[0.0], [effect]]
    return full, mixed


STATIC, WORK, SECONDS = 60.0, 40e3, 1000.0
"""Watts for being on, joules of the work, and seconds of the slow run: the lab's example."""
_FLOORS = (126.0, 256.0)


def energy_areas(faster: float) -> Scene:
    """Draw the energy of the example's run, and of the same work done `faster` times as fast.

    >>> energy_areas(2.0).values["mean power, faster run (W)"]
    140.0
    """
    slow, quick = metered_run(STATIC, WORK, SECONDS), metered_run(STATIC, WORK, SECONDS / faster)
    time = Scale(0, SECONDS, 24, 340)
    shapes: list[Shape] = []
    for name, run, floor in (("full", slow, _FLOORS[0]), ("faster", quick, _FLOORS[1])):
        shapes += _run(name, run, time, floor)
    shapes += time.below(_FLOORS[1], "time (s)")
    says = (
        f"The run that is {faster:g} times as fast takes {quick.joules / 1e3:.0f} kJ instead of "
        f"{slow.joules / 1e3:.0f} kJ, and draws {quick.watts:.0f} W instead of {slow.watts:.0f} W."
    )
    values = {
        "mean power, faster run (W)": quick.watts,
        "energy, faster run (kJ)": quick.joules / 1e3,
    }
    return Scene(300, shapes, says, values)


def _run(name: str, run: MeteredRun, time: Scale, floor: float) -> list[Shape]:
    power = Scale(0, STATIC + 2.5 * WORK / SECONDS, floor, floor - 96)
    width = time(run.seconds) - time(0)
    label = f"{name}: {run.watts:.0f} W × {run.seconds:,.0f} s = {run.joules / 1e3:.0f} kJ"
    on, top = power(STATIC), power(run.watts)
    return [
        Text(label, time(0), floor - 108, anchor="start", bold=True),
        Box(time(0), on, width, floor - on, "being on", 1, "light"),
        Box(time(0), top, width, on - top, "work", 2, "solid"),
        Line([(time.start, floor), (time.end, floor)]),
    ]


SAVING = (7.0, 11.0)
"""Watts less with mixed precision and other settings than in the benchmark run: from, to."""
