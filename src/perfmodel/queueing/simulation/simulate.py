"""Simulate a network: one long run, or independent replications on cores or on a cluster.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> web = Network([Station("web")], [JobClass("users", arrival_rate=8)], service=[0.1])
>>> run = simulate(web, customers=20_000, seed=1)
>>> bool(run.response_time.covers(0.5).all()), run.method
(True, 'event simulation')
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from perfmodel.queueing.network.elements import ServiceDistribution
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.simulation.driver import Progress, run
from perfmodel.queueing.simulation.options import Batch, JoinShortestQueue, Options, WhenFull
from perfmodel.queueing.simulation.result import SimulationResult
from perfmodel.queueing.simulation.run_length.precision import lengthened
from perfmodel.queueing.simulation.summary import summary
from perfmodel.validation import at_most, one_number, sample, whole, within

MOST_CUSTOMERS = 200_000_000
"""Jobs of one run: about a minute's work; more are spread over replications."""
LEVELS = (50.0, 90.0, 95.0, 99.0)
MOST_LEVELS = 1000


def simulate(
    network: Network,
    customers: int = 100_000,
    seed: int = 0,
    *,
    until: float | None = None,
    limit: int = 20_000_000,
    arrivals: Mapping[str, ServiceDistribution] | None = None,
    forks: Mapping[str, Sequence[str]] | None = None,
    batches: Mapping[str, Batch] | None = None,
    dispatch: Sequence[JoinShortestQueue] = (),
    when_full: WhenFull = "block",
    percentiles: Sequence[float] = LEVELS,
    confidence: float = 0.95,
    replication: int = 0,
    keep_samples: bool = False,
    progress: bool | Progress = True,
) -> SimulationResult:
    """Simulate a network event by event until `customers` jobs (open) or cycles (closed) are done.

    What happens at one moment happens in this order: services that end, station by station, and
    then arrivals, class by class. Where all times are constants or traces, and none is stretched by
    a batch, moments that differ by rounding alone are one moment, in any unit of time.

    Parameters
    ----------
    network : Network
        Starts empty; the jobs of closed classes start by thinking.
    customers : int
        Jobs (open) or cycles (closed) to see done in all, up to 200 million.
    seed : int
        Two runs with one seed have the same arrivals and service times wherever the names of
        class and station agree (common random numbers).
    until : float, optional
        Go on past `customers` until each class's response time has an interval whose half width is
        no more than this share of its value, such as 0.01; from 0.0001 to 1.
    limit : int
        Customers at which to stop all the same; the result's warning then says so.
    arrivals, forks, batches, dispatch, when_full
        As the fields of `options.Options`: laws of interarrival times, `Trace` included; where
        jobs split into tasks; batch servers; groups to join the shortest of; full stations.
    percentiles : sequence of float
        In per cent.
    confidence : float
        Of all intervals.
    replication : int
        Which independent repetition of the seed.
    keep_samples : bool
        Whether to hand back every response time.
    progress : bool or callable
        A bar on the terminal for runs of more than two seconds, or a function that is told the
        share done.

    Returns
    -------
    SimulationResult

    Raises
    ------
    ValueError
        If a number is out of range, a station is overloaded, names do not fit, jobs block each
        other for ever, or a trace of service times is shorter than the run.
    """
    count, number = whole("customers", customers, 1, MOST_CUSTOMERS), whole("seed", seed)
    at_most("number of percentiles", sample("percentiles", percentiles).size, MOST_LEVELS)
    levels = tuple(within("percentiles", percentiles, 0, 100).tolist())
    one_number("confidence", confidence, partial(within, low=0.5, high=0.9999))
    whole("replication", replication, high=MOST_CUSTOMERS)
    whole("limit", limit, 1, MOST_CUSTOMERS)
    if not isinstance(keep_samples, bool | np.bool_):
        raise ValueError(f"keep_samples must be True or False, got {keep_samples!r}")
    given: Any = [{} if x is None else x for x in (arrivals, forks, batches)]
    options = Options(given[0], given[1], given[2], dispatch, when_full).checked(network)
    reported(progress)

    def run_of(length: int) -> SimulationResult:
        raw = run(network, options, length, number, replication, reported(progress))
        return summary(network, options, raw, number, levels, confidence, keep_samples)

    if until is None:
        return run_of(count)
    width = one_number("until", until, partial(within, low=1e-4, high=1))
    return lengthened(run_of, count, width, whole("limit", limit, count, MOST_CUSTOMERS))


def simulated_intervals(
    network: Network, customers: int = 20_000, seed: int = 1
) -> tuple[tuple[tuple[float, float], tuple[float, float]], ...]:
    """Return the simulated 95 % intervals of throughput and response time, class by class.

    What `compare_solvers` takes as its simulation.

    Parameters
    ----------
    network : Network
        As for `simulate`.
    customers : int
        Jobs (open) or cycles (closed) to simulate.
    seed : int
        Of the random numbers.

    Returns
    -------
    tuple of pairs of pairs of float
        For each class the ends of the interval of its throughput (1/s) and of its response time
        (s).

    Raises
    ------
    ValueError
        As `simulate`.

    Examples
    --------
    >>> from perfmodel.queueing.network.model import JobClass, Network, Station
    >>> job = JobClass("jobs", population=1, think_time=1.0)
    >>> [(rate, time)] = simulated_intervals(Network([Station("server")], [job], [1.0]))
    >>> rate[0] < 0.5 < rate[1] and time[0] < 1.0 < time[1]
    True
    """
    return simulate(network, customers, seed, progress=False).intervals()


def reported(progress: Any) -> Progress | None:
    """Return what is told the share done: a bar if `progress` is True, nothing if it is False.

    >>> reported(3.0)
    Traceback (most recent call last):
        ...
    ValueError: progress must be a function of the share done, or True or False, got 3.0
    """
    if progress is None or isinstance(progress, bool | np.bool_):
        return Bar() if progress else None
    if not callable(progress):
        raise ValueError(
            f"progress must be a function of the share done, or True or False, got {progress!r}"
        )
    return cast(Progress, progress)


class Bar:
    """A bar on the terminal that appears once a run has taken two seconds."""

    def __init__(self, patience: float = 2.0, clock: Any = time.monotonic) -> None:
        """Start waiting."""
        self._clock, self._due = clock, clock() + patience

    def __call__(self, share: float) -> None:
        """Show that `share` of the run, between 0 and 1, is done."""
        if self._clock() >= self._due or (share >= 1 and self._due == 0):
            done = round(40 * min(share, 1.0))
            end = "\n" if share >= 1 else ""
            sys.stderr.write(f"\rsimulating [{'#' * done}{' ' * (40 - done)}] {share:4.0%}{end}")
            sys.stderr.flush()
            self._due = self._clock() + 0.2
