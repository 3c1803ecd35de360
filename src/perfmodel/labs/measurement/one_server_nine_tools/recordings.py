"""Three recorded runs of each of nine load generators: their reports and the requests behind them.

The tables beside this module were recorded for this lab; README.md says how.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from perfmodel.measurement.load_generators.requests import HttpRequests
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
    found = [run for run in recordings() if (run.tool, run.sample) == (tool, sample)]
    if not found:
        raise ValueError(f"sample must be one that was recorded, got {sample!r} of {tool!r}")
    return found[0]


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
