"""The farm that judges: patches are built on some machines, then booted on others.

Two stations in tandem with several servers each. With patches that keep coming it is an open
network for `perfmodel.queueing`; with a pile of patches at once the question is when the last is
done.

Source: A. Mathai and others, 2024, for the stages (kbuilder, kreproducer behind a queue). The times
are this lab's: the paper's are not known to us.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing import JobClass, Lognormal, Network, Station
from perfmodel.validation import Floats, positive, sample, whole

MINUTE = 60.0


@dataclass(frozen=True)
class Farm:
    """Mean times of the two stages, and the machines of each.

    >>> farm = Farm(build=12 * MINUTE, builders=16, boot=8 * MINUTE, boots=8)
    >>> farm.bottleneck, 3600 * farm.capacity
    ('boot', 60.0)
    """

    build: float
    """Mean seconds to build a kernel, above 0."""
    builders: int
    """Machines that build, 1 or more."""
    boot: float
    """Mean seconds to boot it and try to crash it, above 0."""
    boots: int
    """Machines that boot, 1 or more."""

    def __post_init__(self) -> None:
        """Refuse times and numbers that cannot be."""
        positive("build", self.build)
        positive("boot", self.boot)
        whole("builders", self.builders, 1)
        whole("boots", self.boots, 1)

    @property
    def demands(self) -> tuple[float, float]:
        """Seconds a patch that each stage needs, all its machines together: build, boot."""
        return self.build / self.builders, self.boot / self.boots

    @property
    def bottleneck(self) -> str:
        """The stage that needs more."""
        return "build" if self.demands[0] >= self.demands[1] else "boot"

    @property
    def capacity(self) -> float:
        """Patches a second that can't be exceeded."""
        return 1 / max(self.demands)

    def network(self, arrival_rate: float, scv: float = 0.25) -> Network:
        """Return the farm with patches that come at random, as a network of queues.

        `arrival_rate` is in patches/s, below `capacity`; `scv` is that of the log-normal times.
        """
        stations = [Station("build", servers=self.builders), Station("boot", servers=self.boots)]
        laws = [Lognormal(self.build, scv), Lognormal(self.boot, scv)]
        return Network(stations, [JobClass("patches", arrival_rate=arrival_rate)], laws)

    def least_makespan(self, jobs: int) -> float:
        """Return the seconds that a pile of `jobs` needs at least, with these times exactly.

        The bottleneck is busy all the time, but for the first patch's way to it or the last one's
        way from it.
        """
        first, second = (whole("jobs", jobs, 1) * demand for demand in self.demands)
        return max(first + self.boot, second + self.build)


def schedule(
    builds: ArrayLike, boots: ArrayLike, builders: int, machines: int
) -> tuple[Floats, Floats]:
    """Return when each patch of a pile is built and booted, each stage in order of arrival.

    `builds` and `boots` are seconds, shape (jobs,); all patches are there at time 0. Returned are
    the seconds at which each is built and at which each has been booted, in the order given.

    >>> built, booted = schedule([2.0, 2.0, 2.0], [3.0, 3.0, 3.0], builders=1, machines=2)
    >>> print(built, booted)
    [2. 4. 6.] [5. 7. 9.]
    """
    first, second = (positive(n, sample(n, v)) for n, v in (("builds", builds), ("boots", boots)))
    if first.shape != second.shape:
        raise ValueError(f"boots must have as many jobs as builds, {first.size}, got {second.size}")
    built = _served(np.zeros(first.size), first, whole("builders", builders, 1))
    order = np.argsort(built, kind="stable")
    booted = np.empty(first.size)
    booted[order] = _served(built[order], second[order], whole("machines", machines, 1))
    return built, booted


def _served(ready: Floats, times: Floats, servers: int) -> Floats:
    """Return when jobs leave servers that take them in order."""
    free = [0.0] * servers
    left = np.empty(ready.size)
    for i, (instant, seconds) in enumerate(zip(ready, times, strict=True)):
        left[i] = max(heapq.heappop(free), instant) + seconds
        heapq.heappush(free, left[i])
    return left
