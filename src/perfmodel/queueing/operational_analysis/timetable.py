"""Requests sent to a real server by a plan that nothing delays, and what became of each.

The server is a process behind the loopback interface; where there is none, a worker inside this
process takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from perfmodel.queueing.distributions.service import Exponential, Service
from perfmodel.queueing.operational_analysis import loopback
from perfmodel.queueing.operational_analysis.local_worker import serve_tasks
from perfmodel.queueing.operational_analysis.loopback_server import KINDS
from perfmodel.queueing.operational_analysis.sample_path import arrival_times
from perfmodel.validation import Floats, one_of, positive, whole


@dataclass(frozen=True)
class Timetable:
    """When requests are to be sent and how long each asks for, in seconds, shape (n,)."""

    arrivals: Floats
    sizes: Floats

    @property
    def gaps(self) -> Floats:
        """Seconds between arrivals, the first counted from 0."""
        return np.diff(self.arrivals, prepend=0.0)

    @property
    def rate(self) -> float:
        """Arrivals per second."""
        return float(1 / self.gaps.mean())

    @property
    def arrival_scv(self) -> float:
        """Squared coefficient of variation of the gaps."""
        return _scv(self.gaps)


@dataclass(frozen=True)
class MeasuredRun:
    """What became of a plan: instants in seconds since the opening, shape (n,)."""

    plan: Timetable
    starts: Floats
    """When the server took a request up."""
    ends: Floats
    """When it was done with it."""
    answers: Floats
    """When the answer was back."""
    sent: Floats
    """When the generator really sent a request."""
    where: str
    """What served, and why not a loopback server where it was another."""

    @property
    def lateness(self) -> Floats:
        """Seconds by which the generator sent a request after its time."""
        return self.sent - self.plan.arrivals

    @property
    def services(self) -> Floats:
        """Seconds that each request kept the server."""
        return self.ends - self.starts

    @property
    def responses(self) -> Floats:
        """Seconds from the planned arrival to the answer: lateness counts."""
        return self.answers - self.plan.arrivals

    @property
    def utilization(self) -> float:
        """Share of the time to the last end that the server was kept."""
        return float(self.services.sum() / self.ends[-1])


def plan(arrival_rate: float, sizes: Service, count: int, seed: int) -> Timetable:
    """Draw a timetable of Poisson arrivals, `arrival_rate` requests per second.

    >>> timetable = plan(100.0, Exponential(0.004), 50, seed=1)
    >>> timetable.arrivals.size, bool(timetable.sizes.min() > 0)
    (50, True)
    """
    mean_gap = 1 / float(positive("arrival_rate", arrival_rate))
    rng, requests = np.random.default_rng(whole("seed", seed)), whole("count", count, low=2)
    return Timetable(
        arrival_times(Exponential(mean_gap), requests, rng), sizes.sample(rng, requests)
    )


def measure(timetable: Timetable, kind: str = "sleep") -> MeasuredRun:
    """Run a plan on a server process over the loopback, or inside this process without one.

    A request asks for seconds of waiting ("sleep") or of processor time ("cpu"). `ServerDiedError`
    is raised if the server's process ended before all answers were there.

    >>> measure(plan(500.0, Exponential(0.0005), 10, seed=1)).responses.size
    10
    """
    one_of("kind", kind, KINDS)
    sizes = timetable.sizes.tolist()
    work = [partial(KINDS[kind], size) for size in sizes]
    return measure_requests(timetable, [f"{kind}/{size!r}" for size in sizes], work)


def measure_requests(
    timetable: Timetable,
    requests: Sequence[str],
    work: Sequence[Callable[[], object]],
    command: Sequence[str] = (),
) -> MeasuredRun:
    """Run a plan of `requests`, each a kind and an amount, on the server that `command` starts.

    Without a loopback interface a worker inside this process does the same `work`, in seconds that
    the `sizes` of the `timetable` foresee.
    """
    try:
        with loopback.server(command) as shop:
            exchange = loopback.exchange(shop, timetable.arrivals, requests)
    except loopback.LoopbackUnavailableError as problem:
        served = serve_tasks(work, timetable.arrivals, timetable.sizes)
        return MeasuredRun(
            timetable,
            served.starts,
            served.departures,
            served.departures,
            timetable.arrivals,
            f"a worker inside this process: {problem}",
        )
    return MeasuredRun(
        timetable,
        exchange.started,
        exchange.finished,
        exchange.answered,
        exchange.sent,
        "loopback server",
    )


def drift(runs: Sequence[MeasuredRun]) -> float:
    """Return by how much the mean service times of runs differ: largest over smallest, less 1.

    It is near 0 on a quiet machine. What was calibrated on such runs can't be better than this.
    """
    if len(runs) < 2:
        raise ValueError(f"runs must be two or more, got {len(runs)}")
    means = [float(run.services.mean()) for run in runs]
    return max(means) / min(means) - 1


def _scv(values: Floats) -> float:
    return float(values.var() / values.mean() ** 2)
