"""The number of jobs inside a system, over time, from the instants at which each came and left.

Take a car park with a counter at the gate. One accumulator adds, at every event, the number of
cars inside times the seconds since the last event; the other adds each car's stay when it leaves.
The first cuts the area between arrivals and departures into columns and the second into rows, so
that they agree, and N = X R is what is left after dividing.

Sources: J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 9(3),
1961; P. J. Denning and J. P. Buzen, "The operational analysis of queueing network models", ACM
Computing Surveys 10(3), 1978.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.operational_analysis.counters import CounterReading
from perfmodel.validation import Floats, finite, one_number, sample


def read_path(arrivals: ArrayLike, departures: ArrayLike, time: float) -> CounterReading:
    """Return what the counters of a recorded sample path show at an instant.

    Parameters
    ----------
    arrivals, departures : array_like
        Instants in seconds, one of each for a job, shape (n,).
    time : float
        Instant of the reading in seconds.

    Raises
    ------
    ValueError
        If the lengths differ or a job leaves before it comes.

    Examples
    --------
    >>> read_path([0, 1], [4, 3], 2.0)
    CounterReading(time=2.0, finished=0, area=3.0)
    """
    entered, left = _path(arrivals, departures)
    now = one_number("time", time)
    return CounterReading(
        now, int((left <= now).sum()), population_area(entered, left, -np.inf, now)
    )


def population_at(arrivals: ArrayLike, departures: ArrayLike, times: ArrayLike) -> Floats:
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
    >>> print(population_at([0, 1], [4, 3], [0, 1, 2, 3.5, 5]))
    [0. 1. 2. 1. 0.]
    """
    entered, left = _path(arrivals, departures)
    when = finite("times", times)
    inside = np.searchsorted(np.sort(entered), when) - np.searchsorted(np.sort(left), when)
    return np.asarray(inside, dtype=float)


def population_area(arrivals: ArrayLike, departures: ArrayLike, start: float, end: float) -> float:
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
    >>> population_area([0, 1], [4, 3], 0, 10)
    6.0
    """
    entered, left = _window(arrivals, departures, start, end)
    instants = np.concatenate([entered, left])
    steps = np.repeat([1, -1], [entered.size, left.size])
    order = np.argsort(instants, kind="stable")
    return float(np.cumsum(steps[order])[:-1] @ np.diff(instants[order]))


def time_spent(arrivals: ArrayLike, departures: ArrayLike, start: float, end: float) -> float:
    """Return job-seconds from `start` to `end` by rows: one job's time inside after another's.

    Parameters
    ----------
    arrivals, departures, start, end
        As for `population_area`.

    Returns
    -------
    float
        Sum over the jobs of the part of the stay that lies in the window.

    Raises
    ------
    ValueError
        As `population_area`.

    Examples
    --------
    >>> time_spent([0, 1], [4, 3], 0, 10), time_spent([0, 1], [4, 3], 2, 10)
    (6.0, 3.0)
    """
    entered, left = _window(arrivals, departures, start, end)
    return float((left - entered).sum())


def mean_response_time(
    arrivals: ArrayLike, departures: ArrayLike, start: float, end: float
) -> float:
    """Return the mean time inside of the jobs that leave within the window, in seconds.

    Parameters
    ----------
    arrivals, departures, start, end
        As for `population_area`.

    Returns
    -------
    float
        What stopwatches on the jobs would show; whole stays, also of jobs that came before.

    Raises
    ------
    ValueError
        As `population_area`, or if no job leaves within the window.

    Examples
    --------
    >>> mean_response_time([0, 1], [4, 3], 2, 10)
    3.0
    """
    entered, left = _path(arrivals, departures)
    since, until = _ends(start, end)
    chosen = (left > since) & (left <= until)
    if not chosen.any():
        raise ValueError(
            f"start and end must have a departure between them, got {start!r}, {end!r}"
        )
    return float((left - entered)[chosen].mean())


def _path(arrivals: ArrayLike, departures: ArrayLike) -> tuple[Floats, Floats]:
    entered, left = sample("arrivals", arrivals), sample("departures", departures)
    if entered.shape != left.shape:
        raise ValueError(
            f"departures must have the shape {entered.shape} of arrivals, got {left.shape}"
        )
    if (left < entered).any():
        job = int(np.argmax(left < entered))
        raise ValueError(
            f"departures must not be before arrivals, got {left[job]:g} for {entered[job]:g}"
        )
    return entered, left


def _window(
    arrivals: ArrayLike, departures: ArrayLike, start: float, end: float
) -> tuple[Floats, Floats]:
    since, until = _ends(start, end)
    entered, left = _path(arrivals, departures)
    return np.clip(entered, since, until), np.clip(left, since, until)


def _ends(start: float, end: float) -> tuple[float, float]:
    since, until = (
        value if np.ndim(value) == 0 and value in (-math.inf, math.inf) else one_number(name, value)
        for name, value in (("start", start), ("end", end))
    )
    if not until >= since:
        raise ValueError(f"end must be start = {start!r} or more, got {end!r}")
    return since, until
