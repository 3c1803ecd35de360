"""Little's law by two counters: the mean time inside, from a system that has timed no job.

Take a car park with a counter at the gate. One accumulator adds, at every event, the number of
cars inside times the seconds since the last event; the other adds each car's stay when it leaves.
The first cuts the area between arrivals and departures into columns and the second into rows, so
that they agree, and N = X R is what is left after dividing. Disks and web servers export the
first accumulator; this module reads it.

Sources: J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 9(3),
1961; P. J. Denning and J. P. Buzen, "The operational analysis of queueing network models", ACM
Computing Surveys 10(3), 1978; a poll of C. Xia at the workshop TeaPACS 2021.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.queueing.distributions.service import Exponential
from perfmodel.queueing.operational_analysis.counters import Gauge, Reading, Window, between
from perfmodel.queueing.operational_analysis.laws import little_population
from perfmodel.queueing.operational_analysis.sample_path import POLICIES, arrival_times, departures
from perfmodel.validation import Floats, finite, sample

__all__ = [
    "Gauge",
    "Reading",
    "Window",
    "area_inside",
    "between",
    "claims",
    "jobs_inside",
    "mean_stay",
    "read_path",
    "time_spent",
]


def read_path(arrivals: ArrayLike, departures: ArrayLike, time: float) -> Reading:
    """Return what the counters of a recorded sample path show at an instant.

    Parameters
    ----------
    arrivals, departures : array_like
        Instants in seconds, one of each for a job, shape (n,).
    time : float
        Instant of the reading in seconds.

    Returns
    -------
    Reading

    Raises
    ------
    ValueError
        If the lengths differ or a job leaves before it comes.

    Examples
    --------
    >>> read_path([0, 1], [4, 3], 2.0)
    Reading(time=2.0, finished=0, area=3.0)
    """
    came, left = _path(arrivals, departures)
    now = float(finite("time", time))
    return Reading(now, int((left <= now).sum()), area_inside(came, left, -np.inf, now))


def jobs_inside(arrivals: ArrayLike, departures: ArrayLike, times: ArrayLike) -> Floats:
    """Return the number of jobs inside at the instants `times`, just before what happens then.

    Parameters
    ----------
    arrivals, departures : array_like
        Instants in seconds, one of each for a job, shape (n,).
    times : array_like
        Instants at which to look, any shape.

    Returns
    -------
    ndarray
        Jobs that came before the instant and had not left before it.

    Raises
    ------
    ValueError
        If the lengths differ or a job leaves before it comes.

    Examples
    --------
    >>> print(jobs_inside([0, 1], [4, 3], [0, 1, 2, 3.5, 5]))
    [0. 1. 2. 1. 0.]
    """
    came, left = _path(arrivals, departures)
    when = finite("times", times)
    inside = np.searchsorted(np.sort(came), when) - np.searchsorted(np.sort(left), when)
    return np.asarray(inside, dtype=float)


def area_inside(arrivals: ArrayLike, departures: ArrayLike, start: float, end: float) -> float:
    """Return job-seconds from `start` to `end` by columns: number inside times time, per event.

    Parameters
    ----------
    arrivals, departures : array_like
        Instants in seconds, one of each for a job, shape (n,).
    start, end : float
        The window in seconds; either may be infinite.

    Returns
    -------
    float
        The area between the staircases of arrivals and departures.

    Raises
    ------
    ValueError
        If the lengths differ, a job leaves before it comes, or `end` is below `start`.

    Examples
    --------
    >>> area_inside([0, 1], [4, 3], 0, 10)
    6.0
    """
    came, left = _window(arrivals, departures, start, end)
    instants = np.concatenate([came, left])
    steps = np.repeat([1, -1], [came.size, left.size])
    order = np.argsort(instants, kind="stable")
    return float(np.cumsum(steps[order])[:-1] @ np.diff(instants[order]))


def time_spent(arrivals: ArrayLike, departures: ArrayLike, start: float, end: float) -> float:
    """Return job-seconds from `start` to `end` by rows: one job's time inside after another's.

    Parameters
    ----------
    arrivals, departures, start, end
        As for `area_inside`.

    Returns
    -------
    float
        Sum over the jobs of the part of the stay that lies in the window.

    Raises
    ------
    ValueError
        As `area_inside`.

    Examples
    --------
    >>> time_spent([0, 1], [4, 3], 0, 10), time_spent([0, 1], [4, 3], 2, 10)
    (6.0, 3.0)
    """
    came, left = _window(arrivals, departures, start, end)
    return float((left - came).sum())


def mean_stay(arrivals: ArrayLike, departures: ArrayLike, start: float, end: float) -> float:
    """Return the mean time inside of the jobs that leave within the window, in seconds.

    Parameters
    ----------
    arrivals, departures, start, end
        As for `area_inside`.

    Returns
    -------
    float
        What stopwatches on the jobs would show; whole stays, also of jobs that came before.

    Raises
    ------
    ValueError
        As `area_inside`, or if no job leaves within the window.

    Examples
    --------
    >>> mean_stay([0, 1], [4, 3], 2, 10)
    3.0
    """
    came, left = _path(arrivals, departures)
    chosen = (left > start) & (left <= end)
    if not chosen.any():
        raise ValueError(
            f"start and end must have a departure between them, got {start!r}, {end!r}"
        )
    return float((left - came)[chosen].mean())


def claims() -> list[Claim]:
    """Return the ledger entries: the poll, and the identity on paths of every order of service."""
    return [
        Claim(
            "little_by_counters",
            "cars at a drive-through, 12 an hour for 6 minutes each",
            "recomputed",
            1.2,
            "1",
            "C. Xia, TeaPACS 2021, slide 16",
            lambda: float(little_population(12 / 3600, 6 * 60)),
            absolute=half_unit("1.2"),
        ),
        Claim(
            "little_by_counters",
            "counters by columns and by rows on one path under every order of service",
            "trend",
            "the two accumulators agree to the precision of the numbers",
            "",
            "proof by two counters (Little 1961; Denning and Buzen 1978)",
            _identity,
        ),
    ]


def _identity() -> Trend:
    rng = np.random.default_rng(7)
    came = arrival_times(Exponential(1.25), 2000, rng)
    sizes = Exponential(1.0).sample(rng, came.size)
    worst = 0.0
    for policy in POLICIES:
        left = departures(came, sizes, policy)
        columns = area_inside(came, left, 100.0, 2000.0)
        rows = time_spent(came, left, 100.0, 2000.0)
        worst = max(worst, abs(columns / rows - 1))
    return Trend(
        worst < 1e-12, f"relative difference {'below' if worst < 1e-12 else 'above'} 1e-12"
    )


def _path(arrivals: ArrayLike, departures: ArrayLike) -> tuple[Floats, Floats]:
    came, left = sample("arrivals", arrivals), sample("departures", departures)
    if came.shape != left.shape:
        raise ValueError(f"departures must have the shape {came.shape}, got {left.shape}")
    if (left < came).any():
        job = int(np.argmax(left < came))
        raise ValueError(
            f"departures must not be before arrivals, got {left[job]:g} for {came[job]:g}"
        )
    return came, left


def _window(
    arrivals: ArrayLike, departures: ArrayLike, start: float, end: float
) -> tuple[Floats, Floats]:
    if not end >= start:
        raise ValueError(f"end must be start = {start!r} or more, got {end!r}")
    came, left = _path(arrivals, departures)
    return np.clip(came, start, end), np.clip(left, start, end)
