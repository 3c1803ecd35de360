"""Independent repetitions of a run, on the cores of this machine or on a cluster.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> web = Network([Station("web")], [JobClass("users", arrival_rate=8)], service=[0.1])
>>> runs = replicate(web, customers=1000, replications=5, seed=1)
>>> runs.method, runs.customers
('event simulation, 5 replications', 5000)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from perfmodel.queueing.network.model import Network
from perfmodel.queueing.simulation.result import ESTIMATES, SimulationResult, short_measures
from perfmodel.queueing.simulation.run_length.precision import lengthened
from perfmodel.queueing.simulation.simulate import reported, simulate
from perfmodel.queueing.simulation.statistics import Estimate, of_replications
from perfmodel.validation import one_number, one_of, whole, within

MOST_REPLICATIONS = 100_000
MOST_THREADS = 1000
SHARES = 10
"""A repetition must have a tenth of the customers that one run needs for an interval."""


def replicate(
    network: Network,
    customers: int = 100_000,
    replications: int = 10,
    seed: int = 0,
    *,
    until: float | None = None,
    limit: int = 1000,
    workers: int | None = None,
    cluster: Any = None,
    progress: bool | Callable[[float], None] = True,
    confidence: float = 0.95,
    **options: Any,
) -> SimulationResult:
    """Simulate a network several times, independently, and take intervals across the repetitions.

    Parameters
    ----------
    network : Network
        As for `simulate`.
    customers : int
        Jobs or cycles of each repetition.
    replications : int
        2 to 100,000.
    seed : int
        Of the random numbers; every repetition has its own part of them.
    until : float, optional
        Add repetitions until each class's response time has an interval whose half width is no
        more than this share of its value; from 0.0001 to 1.
    limit : int
        Repetitions at which to stop all the same; the result's warning then says so.
    workers : int, optional
        Threads of this machine; one a core if left out. Compiled runs leave Python's lock alone.
    cluster : dask.distributed.Client or str, optional
        A client, or the address of a scheduler, that runs the repetitions instead.
    progress : bool or callable
        As in `simulate`.
    confidence : float
        Of all intervals.
    **options
        Passed on to `simulate`.

    Returns
    -------
    SimulationResult
        The same numbers wherever the repetitions ran. Its warning says when a repetition was too
        short for its warm-up to be over. A measure has no interval where the repetitions together
        are shorter than one run must be, or each is shorter than a tenth of that.
    """
    count = whole("replications", replications, 2, MOST_REPLICATIONS)
    whole("limit", limit, 2, MOST_REPLICATIONS)
    _threads(workers)
    task = partial(_repetition, network, customers, seed, {**options, "confidence": confidence})
    done: list[SimulationResult] = []

    def run_of(length: int) -> SimulationResult:
        report = reported(progress)
        done.extend(_runs(task, range(len(done), length), report, workers, cluster))
        return _combined(done, confidence)

    if until is None:
        return run_of(count)
    width = one_number("until", until, partial(within, low=1e-4, high=1))
    return lengthened(run_of, count, width, whole("limit", limit, count, MOST_REPLICATIONS))


def difference(
    first: Network, second: Network, measure: str = "response_time", **options: Any
) -> Estimate:
    """Return by how much `measure` is larger in `first` than in `second`, seed by seed.

    Both see the same arrivals and service times (common random numbers), so that their
    difference is known far better than either value.

    Parameters
    ----------
    first, second : Network
        With classes and stations of the same number.
    measure : str
        A field of `SimulationResult` with an interval.
    **options
        Passed on to `replicate`.

    Returns
    -------
    Estimate
        In the measure's shape and unit.

    Examples
    --------
    >>> from perfmodel.queueing.network.model import JobClass, Network, Station
    >>> users = [JobClass("users", arrival_rate=0.8)]
    >>> kinds = (Station("web", discipline=d) for d in ("FCFS", "SRPT"))
    >>> fcfs, srpt = (Network([kind], users, [1.0]) for kind in kinds)
    >>> gain = difference(fcfs, srpt, customers=2000, replications=5)
    >>> bool(gain.low[0] > 0)
    True
    """
    one_of("measure", measure, ESTIMATES)
    values = [_values(network, measure, **options) for network in (first, second)]
    return of_replications(values[0] - values[1], options.get("confidence", 0.95))


def _values(
    network: Network,
    measure: str,
    customers: int = 100_000,
    replications: int = 10,
    seed: int = 0,
    workers: int | None = None,
    **options: Any,
) -> np.ndarray:
    task = partial(_repetition, network, customers, seed, options)
    count = whole("replications", replications, 2, MOST_REPLICATIONS)
    with ThreadPoolExecutor(_threads(workers)) as pool:
        return np.array([getattr(run, measure).value for run in pool.map(task, range(count))])


def _threads(workers: int | None) -> int | None:
    return os.cpu_count() if workers is None else whole("workers", workers, 1, MOST_THREADS)


def _runs(
    task: Callable[[int], SimulationResult],
    numbers: range,
    report: Callable[[float], None] | None,
    workers: int | None,
    cluster: Any,
) -> list[SimulationResult]:
    if cluster is not None:
        return _on_cluster(task, numbers, cluster, report)
    with ThreadPoolExecutor(_threads(workers)) as pool:
        return _watched(pool.map(task, numbers), len(numbers), report)


def _repetition(
    network: Network, customers: int, seed: int, options: dict[str, Any], replication: int
) -> SimulationResult:
    return simulate(network, customers, seed, replication=replication, progress=False, **options)


def _watched(
    runs: Iterable[SimulationResult], count: int, report: Callable[[float], None] | None
) -> list[SimulationResult]:
    done = []
    for run in runs:
        done.append(run)
        if report:
            report(len(done) / count)
    return done


def _on_cluster(
    task: Callable[[int], SimulationResult],
    numbers: range,
    cluster: Any,
    report: Callable[[float], None] | None,
) -> list[SimulationResult]:
    import distributed

    client_of: Any = distributed.Client

    if not hasattr(cluster, "map") and not (isinstance(cluster, str) and ":" in cluster):
        raise ValueError(
            f"cluster must be a Client or an address such as tcp://host:8786, got {cluster!r}"
        )
    if not isinstance(cluster, str):
        futures = cluster.map(task, numbers, pure=False)
        return _watched((future.result() for future in futures), len(numbers), report)
    with client_of(cluster) as client:
        return _on_cluster(task, numbers, client, report)


def _combined(runs: list[SimulationResult], confidence: float) -> SimulationResult:
    first = runs[0]
    kept: dict[str, Any] = {name: getattr(first, name) for name in first.__dataclass_fields__}
    needed = _needed_together(runs)
    for name in ESTIMATES:
        both = of_replications([getattr(run, name).value for run in runs], confidence)
        kept[name] = both.without_interval(np.full(both.value.shape, name in needed))
    kept["customers_needed"] = needed
    unsettled = sum("warm-up" in run.warning for run in runs)
    warm = f"the warm-up may not be over in {unsettled} repetitions" if unsettled else ""
    kept["warning"] = "; ".join(filter(None, [warm, short_measures(needed)]))
    kept["method"] = f"event simulation, {len(runs)} replications"
    kept["customers"] = sum(run.customers for run in runs)
    kept["warm_up"] = float(np.mean([run.warm_up for run in runs]))
    kept["warm_up_customers"] = sum(run.warm_up_customers for run in runs)
    kept["samples"] = tuple(
        np.concatenate(parts) for parts in zip(*(run.samples for run in runs), strict=True)
    )
    return SimulationResult(**kept)


def _needed_together(runs: list[SimulationResult]) -> dict[str, float]:
    """Return by measure the customers that runs together need for an interval, if they lack them.

    Each must have its share of them: all begin empty, so that many short ones are all too low.
    """
    seen = sum(run.customers for run in runs) / max(1.0, len(runs) / SHARES)
    least = {
        name: min(run.customers_needed.get(name, 0.0) for run in runs)
        for name in runs[0].customers_needed
    }
    return {name: customers for name, customers in least.items() if customers > seen}
