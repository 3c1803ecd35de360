"""What processes found for each quantity, and the summary over all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from perfmodel.machines import MachineFigure
from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.runs import RUNS, Runs
from perfmodel.measurement.statistics.intervals import geometric_mean_interval, prediction_interval

SHARED = 0.005
"""Relative error that all processes share, so their scatter doesn't show it. A run lasts at least
one millisecond, and the call and the clock take up to some microseconds of it."""


@dataclass(frozen=True)
class Reading:
    """What one process found for one quantity, in SI units."""

    quantity: str
    unit: str
    """`FLOP/s`, `bytes/s` or `s`."""
    best: float
    """The highest rate or the shortest time; for overheads the median again."""
    median: float
    runs: int
    note: str = ""
    low: float | None = None
    """Lower end of the median's interval within this process, where it has one."""
    high: float | None = None


Readings = list[Reading | Unavailable]


@dataclass(frozen=True)
class Summary:
    """One quantity over all processes, in SI units."""

    quantity: str
    unit: str
    best: float
    """The capacity: highest rate or shortest time of any run."""
    median: float
    """Geometric mean of the processes' medians."""
    low: float | None
    """Lower end of the interval in which the median of one more process lies, 95 times in 100.

    Of a single process it is that of its own median; None where it has none."""
    high: float | None
    processes: int
    runs: int
    """Of all processes together."""
    note: str
    best_low: float | None = None
    """Lower end of the interval in which the best of one more process lies, 95 times in 100; None
    for a single process."""
    best_high: float | None = None


def rate(quantity: str, runs: Runs) -> Reading:
    """Return the reading of `quantity`, the rate of some `runs`.

    >>> import numpy as np
    >>> rate("copy", Runs("copy", 100.0, "bytes", np.array([2.0, 1.0, 4.0]), 1, True)).best
    100.0
    """
    unit = f"{runs.unit}/s"
    return Reading(quantity, unit, runs.best, runs.median, runs.seconds.size, runs.note)


def guarded(part: Callable[[], Iterator[Reading]]) -> Readings:
    """Return what `part` yields; where something is unavailable, its readings so far and why."""
    readings: Readings = []
    try:
        readings.extend(part())
    except Unavailable as missing:
        readings.append(missing)
    return readings


def summarised(readings: Iterable[Reading | Unavailable]) -> list[Summary]:
    """Return one summary for each quantity of `readings`, in the order of first appearance."""
    groups: dict[str, list[Reading]] = {}
    for reading in readings:
        if isinstance(reading, Reading):
            groups.setdefault(reading.quantity, []).append(reading)
    return [_summary(group) for group in groups.values()]


def missing(answers: Sequence[Readings]) -> tuple[Unavailable, ...]:
    """Return what was unavailable in the processes' `answers`, each thing once."""
    reasons = {
        str(item): item for answer in answers for item in answer if isinstance(item, Unavailable)
    }
    return tuple(reasons.values())


def figure(one: Summary, source: str, date: str, remark: str = "") -> MachineFigure:
    """Return a summary as a machine's figure.

    Rates are the capacities, the best of all runs, and times of events medians; both carry the
    interval in which one more process would find the same, where there were several.
    """
    words = [one.note, remark]
    value, ends = one.best, (one.best_low, one.best_high)
    if one.quantity.endswith("_time"):
        value, ends = one.median, (one.low, one.high)
    else:
        words.append(f"best of {one.runs} runs in {one.processes} processes")
        if one.low is not None and one.high is not None:
            among = f"{one.low:.3g} to {one.high:.3g} in 95 % of further processes"
            words.append(f"median {one.median:.3g}, {among}")
    low, high = ends
    if low is None or high is None or not low <= value <= high:
        low = high = None
    note = "; ".join(text for text in words if text)
    return MachineFigure(value, one.unit, "measured", source, date, True, note, low, high)


def _widened(ends: tuple[float, float]) -> tuple[float, float]:
    """Return an interval with the error that all processes share, `SHARED`, added on both sides."""
    return ends[0] / (1 + SHARED), ends[1] * (1 + SHARED)


def _summary(group: list[Reading]) -> Summary:
    first = group[0]
    best = min if first.unit == "s" else max
    medians = [item.median for item in group]
    bests = [item.best for item in group]
    top = best(bests)
    middle, low, high = medians[0], first.low, first.high
    best_low, best_high = None, None
    runs = sum(item.runs for item in group)
    few = "" if runs >= RUNS or first.quantity.endswith("_time") else f"fewer than {RUNS} runs"
    if len(group) > 1:
        # The processes are the sample, however many runs each made.
        middle = geometric_mean_interval(medians)[0]
        low, high = _widened(prediction_interval(medians))
        ends = _widened(prediction_interval(bests))
        # What was seen is possible, however far it lies from the others.
        best_low, best_high = min(ends[0], top), max(ends[1], top)
    return Summary(
        first.quantity,
        first.unit,
        top,
        middle,
        low,
        high,
        len(group),
        runs,
        "; ".join(text for text in (first.note, few) if text),
        best_low,
        best_high,
    )
