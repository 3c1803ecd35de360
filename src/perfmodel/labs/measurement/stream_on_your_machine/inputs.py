"""The public reference run of STREAM in the HPX repository: what each executor took.

Four threads, clang 18; `tools/perftests_ci/perftest/references/lsu_default/` of
github.com/STEllAR-GROUP/hpx, file `stream_report_test.json`. The benchmark is that of Heller,
Kaiser, Diehl, Fey and Schweitzer (2016), whose own tables weren't available to us.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from perfmodel.validation import one_of

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
