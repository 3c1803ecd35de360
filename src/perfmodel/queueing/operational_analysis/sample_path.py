"""One server's sample path: when each job leaves, given when it comes and how long it is.

Take a bank counter and yesterday's log of customers. Nothing is random any more, so that two
orders of service can be compared customer by customer, and a law can be checked to the last digit.
The state is the jobs inside with the work that each has left; work goes down at rate 1 while
anybody is inside; it jumps when a job comes.

>>> print(departures([0, 1, 2], [5, 3, 1], "FCFS"), departures([0, 1, 2], [5, 3, 1], "SRPT"))
[5. 8. 9.] [9. 5. 3.]
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.service import Service, checked_service
from perfmodel.validation import Floats, non_negative, one_of, sample, whole

_MOST_JOBS = 100_000_000
Rank = Callable[[int, float, float], float]

RANKS: dict[str, tuple[Rank, bool]] = {
    "FCFS": (lambda number, size, left: number, False),
    "LCFS": (lambda number, size, left: -number, False),
    "SJF": (lambda number, size, left: size, False),
    "PLCFS": (lambda number, size, left: -number, True),
    "PSJF": (lambda number, size, left: size, True),
    "SRPT": (lambda number, size, left: left, True),
}
"""What is served first, by place in the order of arrival, size and work left: the lowest rank; and
whether an arrival may interrupt."""

PATH_POLICIES = (*RANKS, "PS")
"""Orders of service that `departures` follows job by job."""


def arrival_times(interarrival: Service, count: int, rng: np.random.Generator) -> Floats:
    """Draw the instants at which `count` jobs come, with independent times between them.

    Parameters
    ----------
    interarrival : Service
        Law of the time between arrivals in seconds (its mean is seconds, not a rate).
    count : int
        Number of jobs, 1 to 100 million.
    rng : numpy.random.Generator
        Source of random numbers.

    Returns
    -------
    ndarray
        Instants in seconds, shape (count,), rising; the first comes after one interarrival time.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Deterministic
    >>> print(arrival_times(Deterministic(2.0), 3, np.random.default_rng(0)))
    [2. 4. 6.]
    """
    jobs = whole("count", count, 1, _MOST_JOBS)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {rng!r}")
    return np.cumsum(checked_service("interarrival", interarrival).sample(rng, jobs))


def departures(
    arrivals: ArrayLike,
    sizes: ArrayLike,
    policy: str = "FCFS",
    estimates: ArrayLike | None = None,
) -> Floats:
    """Return when each job leaves a single server that is never idle while jobs wait.

    Parameters
    ----------
    arrivals : array_like
        Instants of arrival in seconds, shape (n,), not falling.
    sizes : array_like
        Seconds of work of each job, shape (n,), 0 or more.
    policy : str
        One of `PATH_POLICIES`. PLCFS, PSJF and SRPT interrupt the job in service and resume it
        later; PS shares the server equally among all jobs inside.
    estimates : array_like, optional
        What the scheduler takes the sizes for, in seconds, shape (n,); the sizes if not given. A
        job that outlives its estimate counts as having less than nothing left.

    Returns
    -------
    ndarray
        Instants of departure in seconds, in the order of `arrivals`. Ties go to the earlier job.

    Raises
    ------
    ValueError
        If the policy is unknown, the arrivals fall, a size or an estimate is negative, or the
        lengths differ.

    Examples
    --------
    >>> print(departures([0, 1], [3, 1], "PS"))
    [4. 3.]
    """
    arrived, work = checked_path(arrivals, sizes)
    guess = work if estimates is None else _as_long("estimates", estimates, arrived)
    if one_of("policy", policy, PATH_POLICIES) == "PS":
        return _shared(arrived.tolist(), work.tolist())
    return _ranked(arrived.tolist(), work.tolist(), guess.tolist(), *RANKS[policy])


def checked_path(arrivals: ArrayLike, sizes: ArrayLike) -> tuple[Floats, Floats]:
    """Return arrivals that don't fall with as many sizes of 0 or more, as float arrays."""
    arrived = sample("arrivals", arrivals)
    work = _as_long("sizes", sizes, arrived)
    if (np.diff(arrived) < 0).any():
        first = int(np.argmax(np.diff(arrived) < 0)) + 1
        raise ValueError(
            f"arrivals must not fall, got {arrived[first]:g} after {arrived[first - 1]:g}"
        )
    return arrived, work


def _as_long(name: str, values: ArrayLike, arrived: Floats) -> Floats:
    work = non_negative(name, values)
    if work.shape != arrived.shape:
        raise ValueError(
            f"{name} must have the shape {arrived.shape} of arrivals, got {work.shape}"
        )
    return work


def _ranked(
    arrived: list[float], work: list[float], guess: list[float], rank: Rank, preemptive: bool
) -> Floats:
    left, left_at = work.copy(), np.empty(len(arrived))
    inside: list[tuple[float, int]] = []
    clock, coming, count = arrived[0], 0, len(arrived)
    while inside or coming < count:
        if not inside:
            clock = max(clock, arrived[coming])
        while coming < count and arrived[coming] <= clock:
            heapq.heappush(inside, (rank(coming, guess[coming], guess[coming]), coming))
            coming += 1
        _, job = heapq.heappop(inside)
        until = arrived[coming] if preemptive and coming < count else np.inf
        if clock + left[job] <= until:
            clock += left[job]
            left_at[job] = clock
        else:
            left[job] -= until - clock
            clock = until
            expected = guess[job] - (work[job] - left[job])
            heapq.heappush(inside, (rank(job, guess[job], expected), job))
    return left_at


def _shared(arrived: list[float], work: list[float]) -> Floats:
    """Serve all at once: a job is done when the service that each got has grown by its size."""
    left_at = np.empty(len(arrived))
    inside: list[tuple[float, int]] = []
    clock, each, coming, count = arrived[0], 0.0, 0, len(arrived)
    while inside or coming < count:
        done = clock + (inside[0][0] - each) * len(inside) if inside else np.inf
        if coming < count and arrived[coming] < done:
            each += (arrived[coming] - clock) / max(len(inside), 1)
            clock = arrived[coming]
            heapq.heappush(inside, (each + work[coming], coming))
            coming += 1
        else:
            each, job = heapq.heappop(inside)
            left_at[job] = clock = done
    return left_at
