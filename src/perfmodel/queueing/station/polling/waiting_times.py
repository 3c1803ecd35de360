"""Mean waits at a polling server: queue by queue, and their sum weighed by load.

>>> polling([0.2, 0.1], mean_services=1.0, mean_switchovers=0.5).cycle_time
1.4285714285714286
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.station.polling.ages import second_moments
from perfmodel.queueing.station.polling.ring import CONSERVED, SOLVED, Ring, checked_ring
from perfmodel.queueing.station.result import StationResult
from perfmodel.validation import Floats


@dataclass(frozen=True, kw_only=True, repr=False)
class PollingQueues(StationResult):
    """Queues that one server visits in turn; arrays of one value a queue."""

    cycle_time: float
    """Mean seconds of a round: all switchovers over the idle share of time; 0 without any."""
    visit_time: Floats
    """Mean seconds that the server stays at each queue."""


def polling(
    arrival_rates: ArrayLike,
    mean_services: ArrayLike,
    mean_switchovers: ArrayLike,
    discipline: str | Sequence[str] = "exhaustive",
    *,
    scvs: ArrayLike = 1.0,
    switchover_scvs: ArrayLike = 0.0,
) -> PollingQueues:
    """Solve one server that visits queues in turn, exactly: Poisson arrivals, general times.

    Parameters
    ----------
    arrival_rates : array_like, shape (queues,)
        Jobs per second of each queue, 0 or more, in the order of the server's visits; at most 200.
    mean_services : array_like, shape (queues,) or scalar
        E[S] of each queue in seconds, above 0.
    mean_switchovers : array_like, shape (queues,) or scalar
        Mean seconds from leaving each queue to reaching the next, 0 or more. With none at all the
        server waits where it is while nobody is there.
    discipline : str or sequence of str, shape (queues,)
        "exhaustive": it leaves a queue when it is empty; "gated": it serves those whom it found.
    scvs : array_like, shape (queues,) or scalar
        Squared coefficients of variation of the service times, 0 or more; exponential by default.
    switchover_scvs : array_like, shape (queues,) or scalar
        Those of the switchover times, 0 or more; constant by default.

    Returns
    -------
    PollingQueues
        Arrays of one value a queue; `utilization` is what each contributes. A queue with rate 0
        has the wait of a job that would come.

    Raises
    ------
    ValueError
        If an argument is out of range, shapes differ or the total utilization is not below 1.

    Examples
    --------
    >>> fair = polling([0.3, 0.3], 1.0, [0.5, 0.5])
    >>> print(fair.waiting_time, fair.cycle_time)
    [2.375 2.375] 2.5
    >>> print(polling([0.5, 0.1], 1.0, 0.5, ["gated", "exhaustive"]).waiting_time.round(4))
    [3.4821 2.0893]
    """
    ring = checked_ring(
        SOLVED,
        arrival_rates,
        mean_services,
        mean_switchovers,
        discipline,
        scvs,
        switchover_scvs,
    )
    loads, cycle = ring.loads, float(ring.switchovers.sum() / (1 - ring.loads.sum()))
    residual = second_moments(ring) / 2
    exhaustive = residual / (1 - loads) + ring.rates * ring.seconds / 2 / (1 - loads)
    waiting = np.where(ring.of_kind("gated"), residual * (1 + loads), exhaustive)
    return PollingQueues.from_waiting(
        ring.rates,
        ring.services,
        waiting,
        "Polling, " + " and ".join(sorted(set(ring.disciplines))),
        cycle_time=cycle,
        visit_time=loads * cycle,
    )


def pseudo_conserved_wait(
    arrival_rates: ArrayLike,
    mean_services: ArrayLike,
    mean_switchovers: ArrayLike,
    discipline: str | Sequence[str] = "exhaustive",
    *,
    scvs: ArrayLike = 1.0,
    switchover_scvs: ArrayLike = 0.0,
) -> float:
    """Return the mean wait over the queues of a polling server, weighed by load: a law in one line.

    Boxma and Groenendijk's law fixes the sum of load times wait over the queues, whatever their
    order. It holds for a server that takes one job a visit, too, for which no formula gives the
    waits of single queues. If all queues are equal, each has this wait.

    Parameters
    ----------
    arrival_rates, mean_services, mean_switchovers, scvs, switchover_scvs : array_like
        As for `polling`.
    discipline : str or sequence of str, shape (queues,)
        "exhaustive", "gated", or "1-limited": at most one job a visit.

    Returns
    -------
    float
        Seconds. A 1-limited queue's weight is its load times 1 - its mean arrivals in a round.

    Raises
    ------
    ValueError
        As `polling`; also if no job arrives, or if at a 1-limited queue one job or more arrives in
        a mean round, so that it has no steady state.

    Examples
    --------
    >>> for discipline in ("exhaustive", "gated", "1-limited"):
    ...     print(round(pseudo_conserved_wait([0.3, 0.3], 1.0, 0.5, discipline), 3))
    2.375
    3.125
    12.5
    """
    ring = checked_ring(
        CONSERVED,
        arrival_rates,
        mean_services,
        mean_switchovers,
        discipline,
        scvs,
        switchover_scvs,
    )
    loads, switching = ring.loads, ring.switchovers.sum()
    cycle = switching / (1 - loads.sum())
    limited = ring.of_kind("1-limited")
    weights = loads * np.where(limited, 1 - _caught(ring, limited, cycle), 1.0)
    if not weights.any():
        raise ValueError(f"arrival_rates must not all be 0, got {arrival_rates!r}")
    left = 2 * (loads[~ring.of_kind("exhaustive")] ** 2).sum() - loads @ loads
    total = loads.sum() * (ring.backlog + _mean_residual(ring))
    return float((total + cycle / 2 * (loads.sum() ** 2 + left)) / weights.sum())


def _caught(ring: Ring, limited: np.ndarray, cycle: float) -> Floats:
    """Return the mean arrivals at each queue in a round, refusing 1 or more where one is served."""
    arrivals = ring.rates * cycle
    if (arrivals[limited] >= 1).any():
        raise ValueError(
            "arrival_rates must bring less than one job in a mean round to a 1-limited queue, got "
            f"{arrivals[limited].max():g} in {cycle:g} s"
        )
    return arrivals


def _mean_residual(ring: Ring) -> float:
    """Return E[R^2] / (2 E[R]) of R, all switchovers of a round; 0 where there are none."""
    total = ring.switchovers.sum()
    variance = ring.switchover_scvs @ ring.switchovers**2
    return float((total + variance / total) / 2) if total else 0.0
