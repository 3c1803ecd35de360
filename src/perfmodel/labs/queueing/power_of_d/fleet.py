"""A fleet of n servers and a dispatcher that looks at d of them, or at old lengths, simulated.

Between two updates of the board the servers are independent, because each server's arrival rate
depends only on the board.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation.options import JoinShortestQueue
from perfmodel.queueing.simulation.simulate import simulate
from perfmodel.queueing.simulation.statistics import Estimate, of_replications
from perfmodel.validation import Floats, one_number, positive, whole, within


def fresh_fleet(
    servers: int,
    utilization: float,
    looks: int | None = 2,
    jobs: int = 40_000,
    runs: int = 4,
    seed: int = 1,
) -> Estimate:
    """Simulate a fleet whose dispatcher sees the lengths as they are.

    The mean response is in mean service times, its interval Student's over the `runs`. A job looks
    at servers drawn independently; 1 is at random, None all of them.

    >>> seen = fresh_fleet(10, 0.8, looks=1, jobs=20_000)
    >>> bool(seen.covers(5.0))
    True
    """
    count, rho = whole("servers", servers, low=2), _utilization(utilization)
    names = [f"s{k}" for k in range(count)]
    network = Network(
        [Station(name) for name in names],
        [JobClass("jobs", arrival_rate=rho * count)],
        [1.0] * count,
        visits=[(1 + 1e-12) / count] * count,
    )
    group = JoinShortestQueue(names, choices=looks)

    def one_run(number: int) -> float:
        run = simulate(
            network,
            jobs,
            seed,
            dispatch=[group],
            percentiles=[50.0],
            replication=number,
            progress=False,
        )
        return float(run.response_time.value[0])

    with ThreadPoolExecutor() as pool:
        return of_replications(list(pool.map(one_run, range(whole("runs", runs, low=2)))))


def rates_by_board(shares: Floats, utilization: float, looks: int | None) -> Floats:
    """Return the arrivals at each server that the board shows with 0, 1, ... jobs.

    For a fraction b_i of at least i jobs the rate is rho (b_i^d - b_{i+1}^d) / (b_i - b_{i+1}), or
    0 where the board shows no server; a job looks up d servers, or all if `looks` is None.

    >>> print(rates_by_board(np.array([0.5, 0.25, 0.25]), 0.8, 2))
    [1.2 0.6 0.2]
    >>> print(rates_by_board(np.array([0.5, 0.25, 0.25]), 0.8, None))
    [1.6 0.  0. ]
    """
    here = shares > 0
    if looks is None:
        rates = np.zeros(shares.size)
        rates[np.argmax(here)] = utilization / shares[np.argmax(here)]
        return rates
    tail = np.append(shares[::-1].cumsum()[::-1], 0.0)
    joins = tail[:-1] ** looks - tail[1:] ** looks
    rates = np.divide(utilization * joins, shares, out=np.zeros_like(shares), where=here)
    return np.asarray(rates)


def stale_fleet(
    servers: int,
    utilization: float,
    looks: int | None,
    period: float,
    *,
    time: float = 600.0,
    warm_up: float = 100.0,
    runs: int = 4,
    seed: int = 1,
) -> Estimate:
    """Simulate a fleet whose dispatcher reads the lengths from a board that is updated at times.

    All times are in mean service times: `period` between updates, `time` that is counted after the
    `warm_up`. The mean response is by Little's law from the mean number inside.

    >>> seen = stale_fleet(50, 0.8, 1, period=5.0, time=4000.0)
    >>> bool(seen.covers(5.0))
    True
    """
    count, rho = whole("servers", servers, low=2), _utilization(utilization)
    age = one_number("period", period, positive)
    drawn = None if looks is None else whole("looks", looks, low=1)
    skipped = int(np.ceil(one_number("warm_up", warm_up, positive) / age))
    counted = int(np.ceil(one_number("time", time, positive) / age))
    rng = np.random.default_rng(whole("seed", seed))
    jobs = np.zeros((whole("runs", runs, low=2), count), dtype=np.int64)
    total = np.zeros(len(jobs))
    for update in range(skipped + counted):
        boards = [rates_by_board(np.bincount(run) / count, rho, drawn)[run] for run in jobs]
        after, inside = _until_update(jobs.ravel(), np.concatenate(boards), age, rng)
        jobs = after.reshape(jobs.shape)
        total += inside.reshape(jobs.shape).mean(axis=1) * (update >= skipped)
    return of_replications((total / counted / rho).tolist())


def _until_update(
    jobs: np.ndarray, rates: Floats, age: float, rng: np.random.Generator
) -> tuple[np.ndarray, Floats]:
    """Follow all servers for a period, and return their jobs at its end and the means during it.

    Each steps at the pace of its arrivals and one service, up or down, or stays where it is empty.
    As the steps of a Poisson stream part its time evenly on average, so do the numbers inside.
    """
    pace = rates + 1.0
    steps = rng.poisson(pace * age)
    now, inside = jobs.copy(), jobs.astype(float)
    for step in range(int(steps.max(initial=0))):
        moving = np.flatnonzero(steps > step)
        up = rng.random(moving.size) * pace[moving] < rates[moving]
        now[moving] = np.maximum(now[moving] + np.where(up, 1, -1), 0)
        inside[moving] += now[moving]
    return now, inside / (steps + 1)


def _utilization(value: float) -> float:
    return float(within("utilization", one_number("utilization", value, positive), 0, 0.999))
