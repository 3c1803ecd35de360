"""Whether the machine is quiet enough to record a timing, and if not, what disturbs it.

Two things are looked at. Other processes' CPU time is read twice, while this one sleeps. Then every
core gets the same short piece of work over and over: how long it waited for its core, and how much
its times scatter about the best of the same run, tell the truth in a container or a virtual machine
as well, where the system's own counters may be those of a host with other tenants.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import psutil

from perfmodel.measurement.load import usable_cores
from perfmodel.validation import Floats

OTHERS = 0.1
"""Cores that all other processes together may use."""
WAITED = 0.03
"""Share of its time that the reference work may wait for its core.

On two cores with nothing beside it waits less than 0.01; with one busy loop beside it, 0.45.
"""
SCATTER = 0.15
"""Time that the slowest tenth of the reference work may take beyond the best, over the best.

On a virtual machine with nothing beside it is 0.03 to 0.04.
"""

WINDOW = 1.0
"""Seconds of each of the two looks."""
WORK = bytes(4 << 20)
"""What the reference work takes the checksum of: some milliseconds, and hardly any memory."""


@dataclass(frozen=True)
class Usage:
    """CPU time of the processes beside this one and its children, at one moment."""

    seconds: float
    """Of the wall clock."""
    spent: Mapping[tuple[int, float], tuple[str, float]]
    """By process id and start: name and CPU seconds so far."""


@dataclass(frozen=True)
class Quietness:
    """What was seen of the machine; `reasons` judges it."""

    others: Mapping[str, float]
    """Cores used by each other process, by name and id."""
    waited: float
    """Share of the reference work's time that it stood ready without a core, 0 to 1."""
    scatter: float
    """The 90th percentile of the reference work's times over the best, less 1."""

    def reasons(self) -> list[str]:
        """Return why this is not quiet enough for a recording; nothing if it is.

        >>> Quietness({"firefox (321)": 0.62, "cron (7)": 0.001}, 0.0, 0.3).reasons()
        ... # doctest: +NORMALIZE_WHITESPACE
        ['other processes use 0.62 of a core (at most 0.1): firefox (321) 0.62',
         'the slowest tenth of a fixed piece of work took 30 % longer than its best (at most 15 %)']
        """
        reasons = []
        if (cores := sum(self.others.values())) > OTHERS:
            most = sorted(self.others.items(), key=lambda other: -other[1])[:3]
            names = ", ".join(f"{name} {used:.2f}" for name, used in most if used >= 0.01)
            reasons.append(
                f"other processes use {cores:.2f} of a core (at most {OTHERS:g}): {names}"
            )
        if self.waited > WAITED:
            reasons.append(
                f"a fixed piece of work waited {100 * self.waited:.0f} % of its time for a core "
                f"(at most {100 * WAITED:.0f} %): other programs, a quota or a hypervisor"
            )
        if self.scatter > SCATTER:
            reasons.append(
                "the slowest tenth of a fixed piece of work took "
                f"{100 * self.scatter:.0f} % longer than its best (at most {100 * SCATTER:.0f} %)"
            )
        return reasons


def look(since: Usage | None = None) -> Quietness:
    """Return what can be seen of the machine now, in about two seconds.

    `since` is where the look at other processes begins, a second ago where left out.

    >>> 0 <= look().waited <= 1
    True
    """
    if since is None:
        since = usage()
        time.sleep(WINDOW)
    used = others(since, usage())
    with ThreadPoolExecutor(usable_cores()) as pool:
        runs = list(pool.map(lambda _: _reference(WINDOW), range(usable_cores())))
    return Quietness(used, *(max(found) for found in zip(*map(_judged, runs), strict=True)))


def usage() -> Usage:
    """Return the CPU time so far of all processes but this one and its children.

    A process whose time the system doesn't show to this user is left out.
    """
    me = psutil.Process()
    ours = {me.pid, *(child.pid for child in me.children(recursive=True))}
    spent = {}
    for process in psutil.process_iter(["name", "create_time", "cpu_times"]):
        about = process.info
        if process.pid not in ours and about["cpu_times"] is not None:
            times = about["cpu_times"]
            key = (process.pid, about["create_time"])
            spent[key] = (about["name"], times.user + times.system)
    return Usage(time.monotonic(), spent)


def others(before: Usage, after: Usage) -> dict[str, float]:
    """Return the cores that each process used between two moments, by name and process id.

    What began in between counts from its start; what ended in between is not seen.

    >>> before = Usage(10.0, {(7, 1.0): ("cron", 5.0)})
    >>> others(before, Usage(12.0, {(7, 1.0): ("cron", 6.0), (9, 11.0): ("make", 0.5)}))
    {'cron (7)': 0.5, 'make (9)': 0.25}
    """
    return {
        f"{name} ({key[0]})": (spent - before.spent.get(key, ("", 0.0))[1])
        / (after.seconds - before.seconds)
        for key, (name, spent) in after.spent.items()
    }


def _reference(seconds: float) -> Floats:
    """Do the same work for `seconds`; return wall and CPU time of each time, shape (times, 2)."""
    clocks = [_clocks()]
    while clocks[-1][0] < clocks[0][0] + seconds:
        hashlib.sha256(WORK).digest()
        clocks.append(_clocks())
    return np.diff(clocks, axis=0)


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.thread_time()


def _judged(times: Floats) -> tuple[float, float]:
    """Return the share waited and the scatter of one core's wall and CPU times."""
    wall, processor = times.T
    waited = max(0.0, 1 - float(processor.sum() / wall.sum()))
    return waited, float(np.quantile(wall, 0.9) / wall.min()) - 1
