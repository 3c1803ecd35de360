"""Lists of jobs placed one by one: each where it would be done first, or from the two ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.offloading.list_scheduling.jobs import (
    HostDeviceJobs,
    HostDeviceSchedule,
    Ints,
    PlacementClocks,
)


def heavy_cached_first(jobs: HostDeviceJobs) -> Ints:
    """Return the `jobs` by falling seconds on the host, the cached ones before the others.

    The list that HybriMoE takes from both ends (Zhong et al. 2025). Equal jobs stay in order.

    >>> heavy_cached_first(HostDeviceJobs([1, 3, 2, 4], 0.5, [0, 0, 0.4, 0.4]))
    array([1, 0, 3, 2])
    """
    return np.lexsort((-jobs.host, ~jobs.cached))


def two_ended_list(jobs: HostDeviceJobs, order: ArrayLike | None = None) -> HostDeviceSchedule:
    """Return the schedule of a list taken from both ends.

    The device is offered the list's head, the host its tail, and the one that would be done with
    its offer first takes it, the device where both would. The rule of HybriMoE (Zhong et al. 2025).

    Parameters
    ----------
    jobs : HostDeviceJobs
    order : array_like of int, shape (jobs,)
        The list; `heavy_cached_first` if not given.

    Examples
    --------
    >>> jobs = HostDeviceJobs([4.0, 1.0, 3.0], [0.5, 0.5, 0.5], [0.0, 0.4, 0.4])
    >>> schedule = two_ended_list(jobs)
    >>> schedule.on_host, schedule.makespan
    (array([False,  True, False]), 1.0)
    """
    waiting = list(heavy_cached_first(jobs) if order is None else job_order(jobs, order))
    clocks = PlacementClocks(jobs)
    while waiting:
        to_host = clocks.on_device(waiting[0]) > clocks.on_host(waiting[-1])
        clocks.place(waiting.pop(-1 if to_host else 0), to_host)
    return clocks.schedule()


def earliest_finish_list(
    jobs: HostDeviceJobs, order: ArrayLike | None = None
) -> HostDeviceSchedule:
    """Return the schedule of a list whose jobs each go where they would be done first.

    On equal machines without fetches it is Graham's list scheduling: at most 2 - 1/m times the
    optimum on m machines in any order, 4/3 - 1/(3m) with the longest first (Graham 1969). On two
    different machines with a link it is at most 3 times: a placement adds no more to the makespan
    than the shorter way of doing the job, and host, link and device together do all that the
    optimum does.

    Parameters
    ----------
    jobs : HostDeviceJobs
    order : array_like of int, shape (jobs,)
        The list; `heavy_cached_first` if not given. Ties go to the device.

    Examples
    --------
    >>> equal = HostDeviceJobs([1.0, 1.0, 2.0], [1.0, 1.0, 2.0], 0.0)
    >>> earliest_finish_list(equal, [0, 1, 2]).makespan, earliest_finish_list(equal).makespan
    (3.0, 2.0)
    """
    clocks = PlacementClocks(jobs)
    for job in heavy_cached_first(jobs) if order is None else job_order(jobs, order):
        clocks.place(job, clocks.on_device(job) > clocks.on_host(job))
    return clocks.schedule()


def job_order(jobs: HostDeviceJobs, order: ArrayLike) -> Ints:
    """Return `order` as an array, refusing one that isn't of these `jobs`."""
    sequence = np.asarray(order)
    each_once = np.array_equal(np.sort(sequence, axis=None), np.arange(jobs.count))
    if sequence.ndim != 1 or sequence.dtype.kind not in "iu" or not each_once:
        raise ValueError(f"order must have each of the {jobs.count} jobs once, got {order!r}")
    return np.asarray(sequence, np.int64)
