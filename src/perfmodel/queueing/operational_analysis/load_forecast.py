"""From measured service times to a response time at another load, with its uncertainty.

Source: D. V. Lindley, "The theory of queues with a single server", Proc. Cambridge Philosophical
Society 48(2), 1952, for the recursion behind a replay; M. A. Crane and D. L. Iglehart, "Simulating
stable stochastic systems, III", Operations Research 23(1), 1975, for intervals from busy cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.measurement.statistics.intervals import bootstrap_interval
from perfmodel.queueing.distributions.service import Empirical
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.operational_analysis.sample_path import departures
from perfmodel.queueing.operational_analysis.timetable import MeasuredRun, Timetable
from perfmodel.queueing.simulation import Trace, simulate
from perfmodel.queueing.station.ggc import kraemer_langenbach_belz
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.mmc import mm1
from perfmodel.validation import Floats, finite, non_negative, positive, whole, within


@dataclass(frozen=True)
class Calibration:
    """Measured inputs of a prediction, from one or more runs of a server."""

    services: Floats
    """Measured service times in seconds, shape (n,)."""
    overhead: float
    """Mean seconds by which a service exceeds what the request asked for."""
    outside: float
    """Mean seconds from sending to answer that are neither waiting nor service."""

    @property
    def mean_service(self) -> float:
        """Seconds."""
        return float(self.services.mean())

    @property
    def scv(self) -> float:
        """Squared coefficient of variation of the service times."""
        return float(self.services.var() / self.services.mean() ** 2)


def calibrate(runs: Sequence[MeasuredRun]) -> Calibration:
    """Return the service times of one or more runs, with their overhead and time outside."""
    if not runs:
        raise ValueError("runs must be one or more, got none")
    services = np.concatenate([run.services for run in runs])
    planned = np.concatenate([run.plan.sizes for run in runs])
    beside = [run.answers - run.sent - replay(run.sent, run.services) for run in runs]
    return Calibration(
        services, float((services - planned).mean()), float(np.concatenate(beside).mean())
    )


def replay(arrivals: ArrayLike, services: ArrayLike) -> Floats:
    """Return the response time of each request at one server, first come first served.

    All are in seconds, shape (n,); by Lindley's recursion.

    >>> print(replay([0, 1, 10], [3, 3, 3]))
    [3. 5. 3.]
    """
    return departures(arrivals, services) - finite("arrivals", arrivals)


def formulas(known: Calibration, arrival_rate: float, arrival_scv: float = 1.0) -> dict[str, float]:
    """Return the mean response that each formula gives at a load, in seconds.

    M/M/1 knows the mean service, M/G/1 its variability too, G/G/1 both variabilities, `arrival_scv`
    being that of the gaps. The time outside the server is added to each.

    >>> server = Calibration(np.array([1.0, 3.0]), 0.0, 0.5)
    >>> {name: round(value, 3) for name, value in formulas(server, 0.25).items()}
    {'M/M/1': 4.5, 'M/G/1': 3.75, 'G/G/1': 3.75}
    """
    mean, outside = known.mean_service, known.outside
    models = {
        "M/M/1": mm1(arrival_rate, 1 / mean),
        "M/G/1": mg1(arrival_rate=arrival_rate, mean_service=mean, scv=known.scv),
        "G/G/1": kraemer_langenbach_belz(arrival_rate, mean, arrival_scv, known.scv),
    }
    return {name: float(result.response_time) + outside for name, result in models.items()}


def simulated(known: Calibration, timetable: Timetable, runs: int = 40, seed: int = 1) -> Floats:
    """Return mean responses of the timetable, simulated with service times drawn from a run.

    They are in seconds, shape (runs,). Their scatter is luck of the sizes for known arrivals. The
    timetable's sizes are not used.
    """
    jobs, gaps = timetable.arrivals.size, Trace(tuple(timetable.gaps))
    network = Network(
        [Station("server")],
        [JobClass("requests", timetable.rate)],
        [[Empirical(tuple(known.services))]],
    )
    means = [
        simulate(
            network,
            jobs,
            seed,
            arrivals={"requests": gaps},
            replication=number,
            keep_samples=True,
            progress=False,
        ).samples[0]
        for number in range(whole("runs", runs, low=1))
    ]
    return np.array([responses.mean() for responses in means]) + known.outside


def busy_cycles(run: MeasuredRun) -> tuple[Floats, Floats]:
    """Return the sum of responses and the number of requests of each busy cycle.

    A cycle starts with a request that finds the server free, so it doesn't depend on earlier
    requests. Neighbouring requests share a queue, neighbouring cycles don't.
    """
    free = run.plan.arrivals[1:] >= run.ends[:-1]
    cycle = np.concatenate([[0], np.cumsum(free)])
    total = np.bincount(cycle, run.responses)
    return np.asarray(total, dtype=float), np.bincount(cycle).astype(np.float64)


def measured_interval(run: MeasuredRun, confidence: float = 0.95) -> tuple[float, float]:
    """Return an interval of the mean response from busy cycles drawn with replacement.

    Its ends are in seconds. A run of one busy cycle, in which the server was never idle, bounds
    nothing: its interval goes from 0 to infinity.
    """
    total, count = busy_cycles(run)
    if total.size < 2:
        return 0.0, np.inf

    def mean_response(cycles: Floats, axis: int = -1) -> Floats:
        drawn = np.asarray(cycles, dtype=np.intp)
        return np.asarray(total[drawn].sum(axis) / count[drawn].sum(axis))

    return bootstrap_interval(np.arange(total.size), mean_response, confidence)


def predicted_interval(
    known: Calibration, arrival_rate: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Return an interval of M/G/1's mean response from service times drawn with replacement.

    Its ends are in seconds; the upper one is infinite where the data allow an overloaded server.
    """

    def speed(services: Floats, axis: int = -1) -> Floats:
        """Return 1 / response time, which is 0 for an overloaded server."""
        mean = np.asarray(services.mean(axis))
        scv, fits = services.var(axis) / mean**2, arrival_rate * mean < 1
        safe = np.where(fits, mean, 0.5 / arrival_rate)
        served = mg1(arrival_rate=arrival_rate, mean_service=safe, scv=scv)
        return np.where(fits, 1 / (served.response_time + known.outside), 0.0)

    slow, fast = bootstrap_interval(known.services, speed, confidence)
    return 1 / fast if fast else np.inf, 1 / slow if slow else np.inf


def amplification(utilization: ArrayLike, scv: ArrayLike, error: ArrayLike) -> Floats:
    """Return the relative error of M/G/1's response time if the mean service is off by `error`.

    That is predicted over true less 1, at the true `utilization`. All arguments broadcast.

    >>> print(amplification([0.0, 0.5, 0.8], 1.0, 0.05).round(4))
    [0.05   0.1053 0.3125]
    """
    rate, factor = within("utilization", utilization, 0, 1), 1 + finite("error", error)
    slower, variability = positive("1 + error", factor), non_negative("scv", scv)
    wrong, right = (
        mg1(arrival_rate=rate, mean_service=mean, scv=variability) for mean in (slower, 1.0)
    )
    return np.asarray(wrong.response_time / right.response_time - 1)
