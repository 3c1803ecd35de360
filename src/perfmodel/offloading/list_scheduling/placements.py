"""Placements: what a given one takes, the best of all, and a bound from below."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.offloading.flow_shops.orders import johnson_order
from perfmodel.offloading.list_scheduling.jobs import (
    Bools,
    HostDeviceJobs,
    HostDeviceSchedule,
    Ints,
    PlacementClocks,
)
from perfmodel.offloading.list_scheduling.lists import job_order
from perfmodel.offloading.placement.problem import PlacementProblem
from perfmodel.offloading.placement.program import best_placement
from perfmodel.validation import Floats

MAX_JOBS = 20
"""Jobs of which all 2^n placements are tried."""
PART = 2**16
"""Placements tried at once, so that they take little memory."""


def split_schedule(
    jobs: HostDeviceJobs, on_host: ArrayLike, order: ArrayLike | None = None
) -> HostDeviceSchedule:
    """Return when each job runs if the host does some and the device the others.

    Parameters
    ----------
    jobs : HostDeviceJobs
    on_host : array_like of bool, shape (jobs,)
        Which jobs the host does.
    order : array_like of int, shape (jobs,)
        The order in which link, device and host take their jobs; Johnson's if not given.

    Raises
    ------
    ValueError
        If an argument doesn't fit the jobs.

    Examples
    --------
    >>> jobs = HostDeviceJobs([4.0, 1.0, 3.0], [0.5, 0.5, 0.5], [0.0, 0.4, 0.4])
    >>> split_schedule(jobs, [False, True, False]).end
    array([0.5, 1. , 1. ])
    """
    chosen = _placement(jobs, on_host)
    if chosen.ndim != 1:
        raise ValueError(f"on_host must be one placement, got shape {chosen.shape}")
    clocks = PlacementClocks(jobs)
    for job in _johnson(jobs) if order is None else job_order(jobs, order):
        clocks.place(job, bool(chosen[job]))
    return clocks.schedule()


def split_makespans(jobs: HostDeviceJobs, on_host: ArrayLike) -> Floats:
    """Return the makespans of many placements at once, the device in Johnson's order.

    Parameters
    ----------
    jobs : HostDeviceJobs
    on_host : array_like of bool, shape (..., jobs)
        Which jobs the host does, a placement in each row.

    Returns
    -------
    ndarray, shape (...)
        Seconds.

    Examples
    --------
    >>> jobs = HostDeviceJobs([4.0, 1.0, 3.0], [0.5, 0.5, 0.5], [0.0, 0.4, 0.4])
    >>> split_makespans(jobs, [[False] * 3, [False, True, True], [False, True, False]])
    array([1.5, 4. , 1. ])
    """
    chosen = _placement(jobs, on_host)
    host = chosen @ jobs.host + jobs.start_up * chosen.any(axis=-1)
    link, device = np.zeros((2, *chosen.shape[:-1]))
    for job in _johnson(jobs):
        here = ~chosen[..., job]
        link += here * jobs.fetch[job]
        device = np.where(here, np.maximum(device, link) + jobs.device[job], device)
    return np.asarray(np.maximum(host, device))


def best_split(jobs: HostDeviceJobs) -> HostDeviceSchedule:
    """Return an optimal schedule, found by trying all placements of at most 20 `jobs`.

    >>> jobs = HostDeviceJobs([2.0, 2.0, 3.0], 2.5, 0.0)
    >>> best_split(jobs).makespan
    4.0
    """
    if jobs.count > MAX_JOBS:
        raise ValueError(f"jobs must be {MAX_JOBS} at most to try all, got {jobs.count}")
    numbers = np.arange(2**jobs.count)
    placements = np.stack([numbers & 1 << job > 0 for job in range(jobs.count)], axis=1)
    parts = np.array_split(placements, max(1, len(placements) // PART))
    makespans = np.concatenate([split_makespans(jobs, part) for part in parts])
    return split_schedule(jobs, placements[int(np.argmin(makespans))])


def split_bound(jobs: HostDeviceJobs) -> float:
    """Return seconds that no schedule of the `jobs` is below.

    The larger of two: the longest of the jobs' shortest ways, and the linear program in which jobs
    may be cut in parts, where host, device and link are busy no longer than the makespan.

    >>> split_bound(HostDeviceJobs([2.0, 2.0, 2.0], 2.0, 0.0))
    3.0
    """
    ways = np.minimum(jobs.host + jobs.start_up, jobs.fetch + jobs.device)
    nothing = np.zeros(jobs.count)
    machines = [(jobs.host, nothing), (nothing, jobs.device), (nothing, jobs.fetch)]
    cut = PlacementProblem(
        size=nothing,
        capacity=np.full(2, np.inf),
        work=np.array([np.stack(seconds, axis=1) for seconds in machines]),
        rate=np.ones(3),
    )
    return max(best_placement(cut).time, float(ways.max()))


def _johnson(jobs: HostDeviceJobs) -> Ints:
    return np.asarray(johnson_order(np.stack([jobs.fetch, jobs.device], axis=1)))


def _placement(jobs: HostDeviceJobs, on_host: ArrayLike) -> Bools:
    chosen = np.asarray(on_host)
    if chosen.dtype.kind != "b" or chosen.shape[-1:] != (jobs.count,):
        raise ValueError(
            f"on_host must be true or false for each of the {jobs.count} jobs, "
            f"got {chosen.dtype} of shape {chosen.shape}"
        )
    return chosen
