"""Birth-death processes: a number that moves up and down by one, at rates that depend on it.

Two mechanics look after ten machines: the more of them stand still, the fewer are left to fail. The
steady state is a product of ratios of rates; computed in logarithms, it holds for a hundred
thousand states as well as for three.

Source: L. Kleinrock, "Queueing Systems", vol. 1, Wiley, 1975, sections 3.1 and 3.8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.station.result import StationResult
from perfmodel.validation import Floats, one_number, positive, sample, whole

_MOST_STATES = 10_000_000


def birth_death_probabilities(birth_rates: ArrayLike, death_rates: ArrayLike) -> Floats:
    """Return the steady state of a chain that moves up and down by one.

    Parameters
    ----------
    birth_rates : array_like, shape (K,)
        Rate from state n to n + 1 for n = 0 to K - 1, in 1/s, above 0.
    death_rates : array_like, shape (K,)
        Rate from state n + 1 to n, in 1/s, above 0.

    Returns
    -------
    ndarray, shape (K + 1,)
        Probabilities that sum to 1; logarithms keep their ratios from overflowing.

    Raises
    ------
    ValueError
        If a rate is not above 0, or there is not one death rate for each birth rate.

    Examples
    --------
    >>> print(birth_death_probabilities([1, 1], [1, 2]))
    [0.4 0.4 0.2]
    """
    up = positive("birth_rates", sample("birth_rates", birth_rates))
    down = positive("death_rates", sample("death_rates", death_rates))
    if up.size != down.size:
        raise ValueError(f"death_rates must be {up.size} values as birth_rates, got {down.size}")
    logs = np.concatenate([[0.0], np.cumsum(np.log(up) - np.log(down))])
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def machine_repair(
    population: int, think_time: float, service_time: float, servers: int = 1
) -> StationResult:
    """Solve c servers for N customers who think, ask, and wait for the answer (M/M/c//N).

    Parameters
    ----------
    population : int
        N customers, or machines, 1 to 10 million.
    think_time : float
        Mean seconds that one thinks, or runs without failing, above 0.
    service_time : float
        Mean seconds of service, or of repair, above 0.
    servers : int
        c, 1 or more.

    Returns
    -------
    StationResult
        Of the servers' station; `throughput` is that of the closed loop.

    Examples
    --------
    >>> shop = machine_repair(10, think_time=8, service_time=2, servers=2)
    >>> print(shop.throughput.round(6), shop.response_time.round(6))
    0.854266 3.705952
    """
    chances = machine_repair_probabilities(population, think_time, service_time, servers)
    inside, c, service = np.arange(chances.size), servers, float(service_time)
    throughput = chances @ np.minimum(inside, c) / service
    present, line = chances @ inside, chances @ np.maximum(inside - c, 0)
    return StationResult(
        arrival_rate=throughput,
        throughput=throughput,
        utilization=throughput * service / c,
        response_time=present / throughput,
        waiting_time=line / throughput,
        queue_length=present,
        waiting_length=line,
        method="M/M/c//N",
    )


def machine_repair_probabilities(
    population: int, think_time: float, service_time: float, servers: int = 1
) -> Floats:
    """Return the probabilities of 0 to N customers at the servers of `machine_repair`.

    Parameters
    ----------
    population, think_time, service_time, servers
        As for `machine_repair`.

    Returns
    -------
    ndarray, shape (population + 1,)
        Steady-state probabilities as an outside observer sees them.

    Examples
    --------
    >>> print(machine_repair_probabilities(2, think_time=1, service_time=1))
    [0.2 0.4 0.4]
    """
    n = whole("population", population, 1, _MOST_STATES)
    c = whole("servers", servers, 1, _MOST_STATES)
    think = one_number("think_time", think_time, positive)
    service = one_number("service_time", service_time, positive)
    inside = np.arange(n + 1)
    return birth_death_probabilities((n - inside[:-1]) / think, np.minimum(inside[1:], c) / service)
