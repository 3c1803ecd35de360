"""Simulations of one server, open or closed, for comparison with the formulas.

>>> from perfmodel.queueing.distributions.service import Exponential
>>> open_server(0.5, Exponential(1.0), customers=2000).customers
2000
"""

from __future__ import annotations

from collections.abc import Iterator

from scipy.optimize import brentq

from perfmodel.queueing.distributions.service import (
    Deterministic,
    Exponential,
    Hyperexponential,
    Service,
)
from perfmodel.queueing.network import mva
from perfmodel.queueing.network.elements import Discipline
from perfmodel.queueing.network.markov_chain import explore_chain, steady_state
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation.result import SimulationResult
from perfmodel.queueing.simulation.simulate import simulate
from perfmodel.validation import positive, whole, within


def sizes(scv: float, mean: float = 1.0) -> Service:
    """Return a distribution of job sizes with a mean in seconds and a variability.

    For a squared coefficient of variation of 0 it is constant, for 1 exponential, above 1
    hyperexponential with balanced means.

    >>> sizes(0), sizes(1)
    (Deterministic(mean=1.0), Exponential(mean=1.0))
    """
    if scv == 0:
        return Deterministic(mean)
    return Exponential(mean) if scv == 1 else Hyperexponential.balanced(mean, scv)


def open_server(
    utilization: float,
    service: Service,
    discipline: Discipline = "FCFS",
    *,
    servers: int = 1,
    arrival_scv: float = 1.0,
    customers: int = 100_000,
    seed: int = 1,
) -> SimulationResult:
    """Simulate a station whose jobs come from outside, whether or not earlier ones are done.

    >>> run = open_server(0.5, Exponential(1.0), servers=2, customers=2000)
    >>> run.network.arrival_rate
    array([1.])
    """
    rate = (
        float(positive("utilization", utilization))
        * whole("servers", servers, low=1)
        / service.moment(1)
    )
    network = Network(
        [Station("server", servers, discipline)], [JobClass("jobs", rate)], [[service]]
    )
    arrivals = {"jobs": sizes(arrival_scv, 1 / rate)}
    return simulate(network, customers, seed, arrivals=arrivals, progress=False)


def closed_server(
    population: int,
    think_time: float,
    service: Service,
    *,
    customers: int = 100_000,
    seed: int = 1,
) -> SimulationResult:
    """Simulate a first-come first-served server whose jobs come back after thinking.

    The mean of the exponential think time is in seconds; `customers` are cycles.

    >>> alone = closed_server(1, 1.0, Deterministic(2.0), customers=500)
    >>> alone.response_time.value.round(6)
    array([2.])
    """
    job = JobClass("jobs", population=population, think_time=think_time)
    return simulate(
        Network([Station("server")], [job], [[service]]), customers, seed, progress=False
    )


def closed_response(population: int, think_time: float, mean_service: float = 1.0) -> float:
    """Return the mean response time in seconds of a closed server with exponential sizes, exactly.

    >>> round(closed_response(10, 9.685), 3)
    2.815
    """
    job = JobClass("jobs", population=population, think_time=think_time)
    return float(
        mva.exact_mva(Network([Station("server")], [job], [[mean_service]])).response_time[0]
    )


def closed_response_of_mixture(population: int, think_time: float, scv: float) -> float:
    """Return the mean response time in seconds of a closed server with sizes of mean 1 s, exactly.

    No product form holds in order of arrival once sizes are not exponential. The chain counts the
    jobs at the server and knows from which of the two exponential distributions the size in service
    was drawn. `scv` is above 1, of the sizes of `sizes`.

    >>> round(closed_response_of_mixture(10, 9.685, 20), 2)
    4.8
    """
    customers = whole("population", population, low=1)
    think = float(positive("think_time", think_time))
    distribution = Hyperexponential.balanced(1.0, float(positive("scv - 1", scv - 1)) + 1)
    kinds = list(enumerate(zip(distribution.probabilities, distribution.means, strict=True)))

    def moves(state: tuple[int, int]) -> Iterator[tuple[tuple[int, int], float]]:
        jobs, kind = state
        if jobs < customers:
            comes = (customers - jobs) / think
            if jobs:
                yield (jobs + 1, kind), comes
            else:
                yield from (((1, fresh), comes * share) for fresh, (share, _) in kinds)
        if jobs:
            ends = 1 / distribution.means[kind]
            if jobs == 1:
                yield (0, 0), ends
            else:
                yield from (((jobs - 1, fresh), ends * share) for fresh, (share, _) in kinds)

    chain = explore_chain((0, 0), moves)
    present = float(chain.mean(steady_state(chain), lambda state: state[0]))
    return present * think / (customers - present)


def think_time_for(utilization: float, population: int, mean_service: float = 1.0) -> float:
    """Return the think time that gives a closed server with exponential sizes a utilization.

    It is in seconds, the root of exact mean value analysis.

    >>> round(think_time_for(0.8, 10), 3), round(think_time_for(0.8, 1), 3)
    (9.685, 0.25)
    """
    share = float(positive("load", within("utilization", utilization, 0, 1 - 1e-9)))
    cycle = whole("population", population, low=1) * mean_service / share
    return float(
        brentq(
            lambda think: think + closed_response(population, think, mean_service) - cycle,
            0.0,
            cycle,
        )
    )
