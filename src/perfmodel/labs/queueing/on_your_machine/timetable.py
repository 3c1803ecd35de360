"""A timetable of requests, run on a real server and noted down, or recorded by a polite tester.

The server is a process behind the loopback interface; where there is none, a worker inside this
process takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.queueing.on_your_machine import loopback
from perfmodel.labs.queueing.on_your_machine.loopback_server import KINDS
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.queueing.distributions.service import Exponential, Service
from perfmodel.queueing.operational_analysis.local_worker import serve_tasks
from perfmodel.queueing.operational_analysis.sample_path import arrival_times, departures
from perfmodel.validation import Floats, one_of, positive, sample, whole


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
    try:
        with loopback.server() as shop:
            exchange = loopback.drive(shop, timetable.arrivals, timetable.sizes, kind)
    except loopback.LoopbackUnavailableError as problem:
        return _inside(timetable, KINDS[kind], str(problem))
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


def recorded_politely(arrivals: ArrayLike, ends: ArrayLike, connections: int) -> Floats:
    """Return the response times that a generator with few connections would have written down.

    It sends a request when it is due and one of its connections is free, and starts its stopwatch
    only then. At one server, first come first served, the requests end when they would anyway. All
    are in seconds, shape (n,), in order. With one connection these are service times, and no
    waiting at all.

    >>> for connections in (1, 2, 3):
    ...     print(recorded_politely([0, 1, 2], [5, 6, 7], connections))
    [5. 1. 1.]
    [5. 5. 2.]
    [5. 5. 5.]
    """
    due, departures = sample("arrivals", arrivals), sample("ends", ends)
    if due.shape != departures.shape:
        raise ValueError(
            f"ends must have the shape {due.shape} of arrivals, got {departures.shape}"
        )
    at_once = min(whole("connections", connections, low=1), departures.size)
    free = np.concatenate([np.full(at_once, -np.inf), departures[:-at_once]])
    return np.asarray(departures - np.maximum(due, free))


def _inside(timetable: Timetable, work: Callable[[float], None], reason: str) -> MeasuredRun:
    tasks = [lambda seconds=seconds: work(seconds) for seconds in timetable.sizes.tolist()]
    served = serve_tasks(tasks, timetable.arrivals, timetable.sizes)
    return MeasuredRun(
        timetable,
        served.starts,
        served.departures,
        served.departures,
        timetable.arrivals,
        f"a worker inside this process: {reason}",
    )


def _scv(values: Floats) -> float:
    return float(values.var() / values.mean() ** 2)


DUE = (0.0, 1.0, 2.0, 3.0, 4.0)
SIZES = (4.0, 1.0, 2.0, 1.0, 2.0)


def stopwatches(
    connections: int, due: Sequence[float] = DUE, sizes: Sequence[float] = SIZES
) -> Scene:
    """Draw each request from when it is due, with the part that a polite tester's stopwatch sees.

    `due` and `sizes` are in seconds, of six requests at most.

    >>> stopwatches(1).values
    {'recorded mean (s)': 2.0, 'true mean (s)': 4.8}
    """
    ends = departures(due, sizes)
    recorded = recorded_politely(due, ends, connections)
    time = Scale(0, max(12.0, float(ends.max())), 36, 348)
    row = 150 / len(due)
    shapes: list[Shape] = []
    for i, (came, size, gone, recorded_time) in enumerate(
        zip(due, sizes, ends, recorded, strict=True)
    ):
        y = 64 + i * row
        sent, start = time(gone - recorded_time), time(gone - size)
        shapes.append(Text(str(i + 1), 28, y + row / 2 - 4, anchor="end"))
        shapes.append(Line([(time(came), y - 2), (time(came), y + row - 6)], style="thick"))
        if sent > time(came):
            middle = y + row / 2 - 4
            shapes.append(Line([(time(came), middle), (sent, middle)], 2, "dashed"))
        if start > sent + 0.01:
            shapes.append(Box(sent, y, start - sent, row - 8, "", 1, "hatch"))
        shapes.append(Box(start, y, time(gone) - start, row - 8, "", 1, "solid"))
    shapes += [Line([(16, 15), (40, 15)], 2, "dashed"), Text("held back", 46, 15, anchor="start")]
    shapes += legend(130, 15, [("in the queue", 1, "hatch")])
    shapes += legend(250, 15, [("served", 1, "solid")])
    shapes.append(Text("upright: due. Boxes: on the stopwatch", 16, 40, anchor="start"))
    shapes += time.below(216, "time (s)")
    mean, true = float(recorded.mean()), float(np.mean(ends - np.asarray(due)))
    says = f"The tester records {mean:.3g} s on average, and its users wait {true:.3g} s."
    return Scene(252, shapes, says, {"recorded mean (s)": mean, "true mean (s)": true})
