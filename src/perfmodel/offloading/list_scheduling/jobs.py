"""Jobs for a host and a device, a schedule of them, and the clocks of a list that is placed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats, non_negative, one_number, sample

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class HostDeviceJobs:
    """Jobs that a host or a device can do; arrays of one shape (jobs,), all of 0 or more.

    >>> HostDeviceJobs([4.0, 1.0], [0.5, 0.5], [0.0, 0.4]).cached
    array([ True, False])
    """

    host: Floats
    """Seconds on the host, 0 or more."""
    device: Floats
    """Seconds on the device, its data there, 0 or more."""
    fetch: Floats
    """Seconds of the link to bring its data to the device; 0 where they are there (cached)."""
    start_up: float = 0.0
    """Seconds that the host takes in addition for the first job it gets, 0 or more."""

    def __post_init__(self) -> None:
        """Refuse times that can't be, and arrays of different lengths."""
        host = sample("host", self.host)
        for name in ("host", "device", "fetch"):
            value = non_negative(name, getattr(self, name))
            if value.ndim and value.shape != host.shape:
                raise ValueError(
                    f"{name} must be one number or one for each of the {host.size} jobs, "
                    f"got shape {value.shape}"
                )
            object.__setattr__(self, name, np.broadcast_to(value, host.shape))
        start_up = one_number("start_up", self.start_up, non_negative)
        object.__setattr__(self, "start_up", start_up)

    @property
    def count(self) -> int:
        """How many jobs."""
        return self.host.size

    @property
    def cached(self) -> Bools:
        """Which jobs need no fetch."""
        return np.asarray(self.fetch == 0)


@dataclass(frozen=True, eq=False)
class HostDeviceSchedule:
    """The machine and the times of each job; arrays of shape (jobs,), seconds.

    Attributes
    ----------
    jobs : HostDeviceJobs
    on_host : ndarray of bool
    order : ndarray of int
        The jobs in the order in which they were placed; machines and link keep to it.
    start, end : ndarray
        Of the job on its machine; start-up is inside.
    fetched : ndarray
        When its data are on the device; 0 for cached jobs and those of the host.
    """

    jobs: HostDeviceJobs
    on_host: Bools
    order: Ints
    start: Floats
    end: Floats
    fetched: Floats

    @property
    def makespan(self) -> float:
        """Seconds until the last job is done."""
        return float(self.end.max())


class PlacementClocks:
    """When host, device and link are free while jobs are placed, and what was placed."""

    def __init__(self, jobs: HostDeviceJobs) -> None:
        self.jobs, self.order = jobs, list[int]()
        self.chosen = np.zeros(jobs.count, bool)
        self.start, self.end, self.fetched = np.zeros((3, jobs.count))
        self.host = self.device = self.link = 0.0

    def on_host(self, job: int) -> float:
        """Return when the host would be done with a job."""
        start_up = 0.0 if self.chosen.any() else self.jobs.start_up
        return float(self.host + start_up + self.jobs.host[job])

    def there(self, job: int) -> float:
        """Return when the data of a job would be on the device."""
        return 0.0 if self.jobs.cached[job] else float(self.link + self.jobs.fetch[job])

    def on_device(self, job: int) -> float:
        """Return when the device would be done with a job."""
        return float(max(self.device, self.there(job)) + self.jobs.device[job])

    def place(self, job: int, to_host: bool) -> None:
        """Give a job to the host or the device for good."""
        self.order.append(int(job))
        if to_host:
            self.start[job], self.end[job] = self.host, self.on_host(job)
            self.chosen[job], self.host = True, self.end[job]
            return
        self.fetched[job], self.end[job] = self.there(job), self.on_device(job)
        self.start[job] = max(self.device, self.fetched[job])
        self.device, self.link = self.end[job], max(self.link, self.fetched[job])

    def schedule(self) -> HostDeviceSchedule:
        """Return what was placed."""
        order = np.array(self.order, np.int64)
        return HostDeviceSchedule(self.jobs, self.chosen, order, self.start, self.end, self.fetched)
