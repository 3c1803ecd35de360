"""The service under load: the same queries sent to a server process by a plan."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from perfmodel.labs.measurement.one_program.corpus import (
    LONGEST,
    SHORTEST,
    Query,
    draw_queries,
)
from perfmodel.labs.measurement.one_program.search import Searcher
from perfmodel.queueing.distributions.service import Exponential
from perfmodel.queueing.operational_analysis.load_forecast import Calibration, simulated
from perfmodel.queueing.operational_analysis.sample_path import arrival_times
from perfmodel.queueing.operational_analysis.timetable import (
    MeasuredRun,
    Timetable,
    measure_requests,
)
from perfmodel.validation import Floats, positive, whole

PROGRAM = "perfmodel.labs.measurement.one_program.index_server"


@contextmanager
def saved(searcher: Searcher) -> Iterator[Path]:
    """Give a folder with the index of `searcher`, which is deleted afterwards."""
    with TemporaryDirectory() as folder:
        searcher.index.save(Path(folder))
        yield Path(folder)


def serve(
    folder: Path,
    searcher: Searcher,
    arrival_rate: float,
    count: int,
    seed: int,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
) -> MeasuredRun:
    """Send `count` queries, drawn from `seed`, at random moments; `arrival_rate` is in 1/s.

    The server loads its index from `folder`. Without a loopback interface the `searcher` answers
    inside this process.
    """
    queries = draw_queries(count, seed, shortest, longest)
    return measure_requests(
        timetable(arrival_rate, queries, seed),
        [f"query/{position}" for position in range(len(queries))],
        [partial(searcher.search, query) for query in queries],
        command(folder, count, seed, shortest, longest),
    )


def command(folder: Path, count: int, seed: int, shortest: int, longest: int) -> list[str]:
    """Return the command that starts the server of these queries."""
    return [sys.executable, "-m", PROGRAM, *map(str, (folder, count, seed, shortest, longest))]


def timetable(arrival_rate: float, queries: Sequence[Query], seed: int) -> Timetable:
    """Return when to send the queries; no time is asked for, a query takes what it takes."""
    gap = Exponential(1 / float(positive("arrival_rate", arrival_rate)))
    arrivals = arrival_times(gap, len(queries), np.random.default_rng([whole("seed", seed), 11]))
    return Timetable(arrivals, np.zeros(len(queries)))


def response_interval(known: Calibration, plan: Timetable, runs: int = 40) -> tuple[float, float]:
    """Return the interval that holds 95 % of the simulated mean responses (s) of a `plan`.

    Each simulated run draws other service times, so this is the luck of one run. What `known` has
    wrong isn't in it.
    """
    means: Floats = simulated(known, plan, runs)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
