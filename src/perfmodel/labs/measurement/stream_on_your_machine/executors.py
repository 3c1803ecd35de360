"""Executors compared on STREAM (Heller, Kaiser, Diehl, Fey and Schweitzer, 2016).

HPX offers several ways to run the same parallel loop. Which of them is the fastest? The paper's own
tables aren't available to us; the times here are the public reference run of the same benchmark in
the HPX repository, and the answer depends on the statistic:

>>> [winner("copy", statistic) for statistic in STATISTICS]
['parallel', 'fork_join', 'fork_join']

The public reference run of STREAM in the HPX repository: what each executor took.

Four threads, clang 18; `tools/perftests_ci/perftest/references/lsu_default/` of
github.com/STEllAR-GROUP/hpx, file `stream_report_test.json`. The benchmark is that of Heller,
Kaiser, Diehl, Fey and Schweitzer (2016), whose own tables weren't available to us.

A distribution of delays: what a program's times may look like, given their minimum and median.

Each run takes the minimum plus an exponential delay, and a few runs meet a pause. This is the
simplest distribution with a given minimum and median. Its mean can be compared with a measured
mean, and samples from it show how each statistic judges such a program.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from perfmodel.labs.measurement.stream_on_your_machine.traffic import STREAM
from perfmodel.validation import Floats, non_negative, one_of, within

Statistic = Literal["min", "median", "mean"]
STATISTICS: tuple[Statistic, ...] = ("min", "median", "mean")


@dataclass(frozen=True)
class LoopTimes:
    """Seconds of one loop by one executor: the statistics that were published."""

    min: float
    median: float
    mean: float
    max: float | None = None
    """None where it is not known to us."""

    def of(self, statistic: Statistic) -> float:
        """Return the time that `statistic` names."""
        one_of("statistic", statistic, STATISTICS)
        return float(getattr(self, statistic))


ELEMENTS = 518_176
"""Of each array in the reference run."""
SAMPLES = 10_000
"""Of each loop in it."""

REFERENCE = {
    "copy": {
        "fork_join": LoopTimes(5.062e-5, 5.472e-5, 5.503e-5, 9.535e-5),
        "parallel": LoopTimes(4.939e-5, 6.397e-5, 7.373e-5, 1.686e-4),
        "scheduler": LoopTimes(5.239e-5, 6.307e-5, 7.308e-5, 1.484e-4),
    },
    "scale": {
        "fork_join": LoopTimes(8.411e-5, 8.750e-5, 1.004e-4, 3.4e-2),
        "parallel": LoopTimes(7.787e-5, 8.410e-5, 8.855e-5),
        "scheduler": LoopTimes(7.738e-5, 8.541e-5, 9.027e-5),
    },
    "add": {
        "fork_join": LoopTimes(1.191e-4, 1.276e-4, 1.290e-4, 1.55e-2),
        "parallel": LoopTimes(1.100e-4, 1.156e-4, 1.202e-4),
        "scheduler": LoopTimes(1.125e-4, 1.168e-4, 1.289e-4, 3.4e-2),
    },
    "triad": {
        "fork_join": LoopTimes(1.289e-4, 1.325e-4, 1.327e-4),
        "parallel": LoopTimes(1.161e-4, 1.272e-4, 1.320e-4),
        "scheduler": LoopTimes(1.184e-4, 1.254e-4, 1.394e-4, 3.1e-2),
    },
}
"""Times by loop and executor."""


def reference_rate(loop: str, executor: str, statistic: Statistic) -> float:
    """Return counted bytes/s of the reference run.

    >>> round(reference_rate("copy", "parallel", "min") / 1e9, 1)
    167.9
    """
    return STREAM[loop].counted * ELEMENTS / REFERENCE[loop][executor].of(statistic)


def winner(loop: str, statistic: Statistic) -> str:
    """Return the executor whose reference time for `loop` is the smallest by `statistic`."""
    rows = REFERENCE[loop]
    return min(rows, key=lambda executor: rows[executor].of(statistic))


def synthetic_times(
    published: LoopTimes,
    shape: int | tuple[int, ...],
    pauses: float = 0.0,
    pause: float = 0.034,
    seed: int = 1,
) -> Floats:
    """Return times of a made program that has a published minimum and median.

    The minimum, an exponential delay, and now and then a pause of `pause` seconds, with a
    probability of `pauses`. The published mean isn't used.
    """
    rng = np.random.default_rng(seed)
    delays = rng.exponential(_delay(published), shape)
    paused = rng.random(shape) < within("pauses", pauses, 0, 1)
    return np.asarray(published.min + delays + float(non_negative("pause", pause)) * paused)


def synthetic_mean(law: LoopTimes, pauses: float = 0.0, pause: float = 0.034) -> float:
    """Return the mean that `synthetic_times` tends to, for the same `law`, `pauses` and `pause`.

    >>> round(synthetic_mean(LoopTimes(min=1.0, median=2.0, mean=0.0)), 4)
    2.4427
    """
    probability = float(within("pauses", pauses, 0, 1))
    return law.min + _delay(law) + probability * float(non_negative("pause", pause))


def _delay(law: LoopTimes) -> float:
    """Return the mean of the exponential delay whose median is the published one's distance."""
    if law.median <= law.min:
        raise ValueError(f"law must have its median above its minimum, got {law}")
    return (law.median - law.min) / math.log(2)
