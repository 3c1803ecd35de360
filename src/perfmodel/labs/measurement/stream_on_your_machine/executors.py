"""Executors compared on STREAM (Heller, Kaiser, Diehl, Fey and Schweitzer, 2016).

HPX offers several ways to run the same parallel loop. Which of them is the fastest? The paper's own
tables aren't available to us; the times here are the public reference run of the same benchmark in
the HPX repository, and the answer depends on the statistic:

>>> [winner("copy", statistic) for statistic in STATISTICS]
['parallel', 'fork_join', 'fork_join']

`stream_model` holds the model of a loop's time, `stream_sweep` measures it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from perfmodel.labs.measurement.stream_on_your_machine.traffic import (
    STREAM,
    WORD,
    expected,
    misplaced,
    placed_rate,
)
from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.validation import positive, whole

Statistic = Literal["min", "median", "mean"]
STATISTICS: tuple[Statistic, ...] = ("min", "median", "mean")


@dataclass(frozen=True)
class Times:
    """Seconds of one loop by one executor: the statistics that were published."""

    min: float
    median: float
    mean: float
    max: float | None = None
    """None where it is not known to us."""

    def of(self, statistic: Statistic) -> float:
        """Return one of them."""
        if statistic not in STATISTICS:
            raise ValueError(f"statistic must be one of {STATISTICS}, got {statistic!r}")
        return float(getattr(self, statistic))


ELEMENTS = 518_176
"""Of each array in the reference run."""
SAMPLES = 10_000
"""Of each loop in it."""

REFERENCE = {
    "copy": {
        "fork_join": Times(5.062e-5, 5.472e-5, 5.503e-5, 9.535e-5),
        "parallel": Times(4.939e-5, 6.397e-5, 7.373e-5, 1.686e-4),
        "scheduler": Times(5.239e-5, 6.307e-5, 7.308e-5, 1.484e-4),
    },
    "scale": {
        "fork_join": Times(8.411e-5, 8.750e-5, 1.004e-4, 3.4e-2),
        "parallel": Times(7.787e-5, 8.410e-5, 8.855e-5),
        "scheduler": Times(7.738e-5, 8.541e-5, 9.027e-5),
    },
    "add": {
        "fork_join": Times(1.191e-4, 1.276e-4, 1.290e-4, 1.55e-2),
        "parallel": Times(1.100e-4, 1.156e-4, 1.202e-4),
        "scheduler": Times(1.125e-4, 1.168e-4, 1.289e-4, 3.4e-2),
    },
    "triad": {
        "fork_join": Times(1.289e-4, 1.325e-4, 1.327e-4),
        "parallel": Times(1.161e-4, 1.272e-4, 1.320e-4),
        "scheduler": Times(1.184e-4, 1.254e-4, 1.394e-4, 3.1e-2),
    },
}
"""Four threads, clang 18; HPX repository, lsu_default/stream_report_test.json."""


def reference_rate(loop: str, executor: str, statistic: Statistic) -> float:
    """Return counted bytes/s of the reference run."""
    return STREAM[loop].counted * ELEMENTS / REFERENCE[loop][executor].of(statistic)


def winner(loop: str, statistic: Statistic) -> str:
    """Return the executor whose reference time is the smallest by a statistic."""
    rows = REFERENCE[loop]
    return min(rows, key=lambda executor: rows[executor].of(statistic))


def pauses_needed(times: Times, pause: float, samples: int = SAMPLES) -> float:
    """Return how many pauses of a length lift the mean of `samples` from the median to where it is.

    The rest of the samples is taken as symmetric, with its mean at the median.
    """
    length = float(positive("pause", pause))
    return (times.mean - times.median) * whole("samples", samples, 1) / length


def _statistic_decides() -> Trend:
    found = {statistic: winner("copy", statistic) for statistic in STATISTICS}
    said = ", ".join(f"{name} by {statistic}" for statistic, name in found.items())
    return Trend(tuple(found.values()) == ("parallel", "fork_join", "fork_join"), f"copy: {said}")


def _derived(quantity: str, printed: str, unit: str, ours: Callable[[], float]) -> Claim:
    scale = 1e9 if unit == "bytes/s" else 1.0
    return Claim(
        "modern_cpp",
        quantity,
        "recomputed",
        float(printed) * scale,
        unit,
        "STREAM's definition, reference run (HPX repository)",
        lambda: float(ours()),
        derived=True,
        absolute=half_unit(printed) * scale,
    )


def claims() -> list[Claim]:
    """Return what follows from STREAM's definition and from the public reference run."""
    return [
        *_rate_claims(),
        *_pause_claims(),
        *_round_claims(),
        _derived(
            "two sockets: local data over data all on one of them",
            "2",
            "1",
            lambda: placed_rate(misplaced(0), 1, 0.8) / placed_rate(misplaced(1), 1, 0.8),
        ),
        Claim(
            "modern_cpp",
            "the fastest executor for copy",
            "trend",
            "parallel by the minimum, fork_join by median and mean",
            "",
            "reference run (HPX repository)",
            _statistic_decides,
        ),
    ]


def _rate_claims() -> list[Claim]:
    rates: dict[tuple[str, str, Statistic], str] = {
        ("copy", "parallel", "min"): "167.9",
        ("add", "parallel", "min"): "113.1",
        ("triad", "parallel", "median"): "97.8",
        ("triad", "fork_join", "median"): "93.9",
    }
    triad = REFERENCE["triad"]
    return [
        *(
            _derived(
                f"{name}: counted rate by {statistic}, executor {executor}",
                printed,
                "bytes/s",
                partial(reference_rate, name, executor, statistic),
            )
            for (name, executor, statistic), printed in rates.items()
        ),
        _derived("copy, scale: moved over counted", "1.5", "1", partial(_uncounted, "copy")),
        _derived("add, triad: moved over counted", "1.333", "1", partial(_uncounted, "triad")),
        _derived(
            "triad: median of fork_join over that of parallel",
            "1.0417",
            "1",
            lambda: triad["fork_join"].median / triad["parallel"].median,
        ),
        _derived("three arrays", "12.44e6", "bytes", lambda: 3.0 * WORD * ELEMENTS),
    ]


def _uncounted(loop: str) -> float:
    return STREAM[loop].moved / STREAM[loop].counted


def _pause_claims() -> list[Claim]:
    scale = REFERENCE["scale"]["fork_join"]
    return [
        _derived("scale, fork_join: mean/median", "1.147", "1", lambda: scale.mean / scale.median),
        _derived("34 ms in 10,000 samples add to the mean", "3.4e-6", "s", lambda: 0.034 / SAMPLES),
        _derived("such pauses that explain it", "4", "1", lambda: pauses_needed(scale, 0.034)),
    ]


def _round_claims() -> list[Claim]:
    after = dict(zip("abc", ("576650390625", "115330078125", "153773437500"), strict=True))
    return [
        _derived(f"{name} after 10 rounds", printed, "1", partial(_after_ten, place))
        for place, (name, printed) in enumerate(after.items())
    ]


def _after_ten(place: int) -> float:
    return expected(10)[place]
