"""Each printed number, compared with the same number computed from the requests of its run.

Three recorded runs of each of nine load generators: their reports and the requests behind them.

The tables next to this module were recorded for this lab; README.md describes how.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from perfmodel.measurement import (
    HttpRequests,
    ab_report,
    autocannon_report,
    h2load_report,
    hey_report,
    httperf_report,
    loadtest_report,
    locust_report,
    siege_report,
    wrk_summary,
)
from perfmodel.units import amount
from perfmodel.validation import Floats

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Recording:
    """One run of one tool."""

    tool: str
    sample: str
    version: str
    command: str
    date: str
    printed: dict[str, str] = field(repr=False)
    """Each field of the report, a number with its unit."""
    requests: HttpRequests | None = field(repr=False)
    """From the tool's own log; for hey and httperf, which have none of this run, the server's."""


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


@cache
def recordings() -> tuple[Recording, ...]:
    """Return all runs, three a tool."""
    printed: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in _rows("reports.csv"):
        printed[row["tool"], row["sample"]][row["field"]] = row["printed"]
    logs: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in _rows("requests.csv"):
        logs[row["tool"], row["sample"]].append(row)
    return tuple(
        Recording(**row, printed=printed[run], requests=_requests(logs[run]))
        for row in _rows("runs.csv")
        for run in [(row["tool"], row["sample"])]
    )


def _requests(rows: list[dict[str, str]]) -> HttpRequests | None:
    if not rows:
        return None

    def column(name: str) -> Floats:
        return np.array([float(row[name]) for row in rows])

    return HttpRequests(
        column("time_s"),
        column("status").astype(np.int64),
        column("body_bytes").astype(np.int64),
        column("start_s"),
        column("connect_s"),
        column("wait_s") if rows[0]["wait_s"] else None,
    )


def recording(tool: str, sample: str) -> Recording:
    """Return one run."""
    matches = [run for run in recordings() if (run.tool, run.sample) == (tool, sample)]
    if not matches:
        raise ValueError(f"sample must be one that was recorded, got {sample!r} of {tool!r}")
    return matches[0]


@dataclass(frozen=True)
class WrkHistogram:
    """What wrk's script saw at the end of a run."""

    duration: int
    """Microseconds."""
    requests: int
    counts: dict[int, int] = field(repr=False)
    """How often each time in microseconds is in the report."""


@cache
def wrk_histogram(sample: str) -> WrkHistogram:
    """Return the histogram of one of wrk's runs."""
    rows = {
        row["time_us"]: int(row["count"])
        for row in _rows("wrk_histograms.csv")
        if row["sample"] == sample
    }
    if not rows:
        raise ValueError(f"sample must be one that was recorded, got {sample!r}")
    duration, requests = rows.pop("duration"), rows.pop("requests")
    return WrkHistogram(duration, requests, {int(time): count for time, count in rows.items()})


Outcome = Literal[
    "to the last digit", "within the log's step", "within the overhead", "lost", "off"
]

LOST = {
    "ab": {
        "Failed requests": "its log holds no lengths",
        "Non-2xx responses": "its log holds no statuses",
        "HTML transferred": "its log holds no lengths",
    },
    "h2load": {"data": "its log holds no lengths"},
    "locust": {
        "req/s": "the moment of the start is in no log",
        "failures/s": "the moment of the start is in no log",
    },
    "wrk": {"Non-2xx or 3xx responses": "its histogram holds no statuses"},
}
"""Fields that the requests logged don't determine, and why."""
STEP = {"ab": 1.01e-3}
"""Seconds by which a time may be off, because the log rounds it: whole ms, halved and rounded."""
OVERHEAD = {"hey": (0.0, 10e-3), "httperf": (-3e-3, 10e-3)}
"""Seconds by which a time at the client may exceed the server's, for the way there and back on a
busy machine. httperf's clock may read up to 3 ms too little."""


class Row(NamedTuple):
    """One field of a report."""

    field: str
    printed: str
    ours: float | None
    outcome: Outcome
    why: str = ""


def reconciled(run: Recording) -> list[Row]:
    """Return each printed field with our value, in SI units, except the run's length."""
    ours, spent = _ours(run)
    length = amount(run.printed[spent]) if spent else None
    loose = length.half_unit / length.value if length else 0.0
    return [_row(run, field, ours, loose) for field in run.printed if field != spent]


def computed(run: Recording, field: str) -> float:
    """Return one field of a run's report from its requests, in SI units."""
    return _ours(run)[0][field]


def _row(run: Recording, field: str, ours: dict[str, float], loose: float) -> Row:
    """Return a field's row; a rate may have the relative error `loose` of the length."""
    why = LOST.get(run.tool, {}).get(field, "")
    if why or field not in ours:
        return Row(field, run.printed[field], None, "lost", why or "it isn't in the log")
    printed, value = amount(run.printed[field]), ours[field]
    half, short = printed.half_unit * (1 + 1e-9) + 1e-12, printed.value - value
    step = STEP.get(run.tool, 0.0) if printed.unit == "s" else loose * value
    low, high = OVERHEAD.get(run.tool, (0.0, 0.0)) if printed.unit == "s" else (0.0, 0.0)
    outcome: Outcome = "off"
    if abs(short) <= half:
        outcome = "to the last digit"
    elif abs(short) <= half + step:
        outcome = "within the log's step"
    elif low - half <= short <= high + half:
        outcome = "within the overhead"
    return Row(field, run.printed[field], value, outcome)


def _ours(run: Recording) -> tuple[dict[str, float], str]:
    """Return the report computed, and the printed field that gave the length of the run."""
    if run.tool == "wrk":
        histogram = wrk_histogram(run.sample)
        rate = {
            "requests": float(histogram.requests),
            "Requests/sec": 1e6 * histogram.requests / histogram.duration,
        }
        return {**wrk_summary(histogram.counts), **rate}, ""
    requests = run.requests
    assert requests is not None
    compute, spent, seconds = _WAYS[run.tool]
    length = seconds(run, amount(run.printed[spent]).value if spent else 0.0)
    return compute(run, requests, length), spent


def _connections(run: Recording) -> int:
    words = run.command.split()
    return int(words[words.index("-c") + 1])


def _timeout(run: Recording) -> float | None:
    words = run.command.split()
    return float(words[words.index("--timeout") + 1]) if "--timeout" in words else None


def _warm_up(run: Recording) -> float:
    return float(run.command.partition("--warm-up-time=")[2] or 0)


def _count(run: Recording) -> int:
    assert run.requests is not None
    return run.requests.count


_Way = tuple[
    Callable[[Recording, HttpRequests, float], dict[str, float]],
    str,
    Callable[[Recording, float], float],
]
_WAYS: dict[str, _Way] = {
    "ab": (
        lambda run, requests, length: ab_report(requests, _connections(run), length),
        "Time per request (mean)",
        lambda run, printed: printed * _count(run) / _connections(run),
    ),
    "siege": (
        lambda run, requests, length: siege_report(requests, length),
        "Elapsed time",
        lambda run, printed: printed,
    ),
    "httperf": (
        lambda run, requests, length: httperf_report(requests, _timeout(run), length),
        "test-duration",
        lambda run, printed: printed,
    ),
    "h2load": (
        lambda run, requests, length: h2load_report(requests, length, _warm_up(run)),
        "req/s",
        lambda run, printed: _count(run) / printed + _warm_up(run),
    ),
    "loadtest": (
        lambda run, requests, length: loadtest_report(requests, length),
        "Total time",
        lambda run, printed: printed,
    ),
    "hey": (
        lambda run, requests, length: hey_report(requests, length),
        "Total",
        lambda run, printed: printed,
    ),
    "locust": (lambda run, requests, length: locust_report(requests), "", lambda run, printed: 0.0),
    "autocannon": (
        lambda run, requests, length: autocannon_report(requests, run.sample == "rate"),
        "",
        lambda run, printed: 0.0,
    ),
}
