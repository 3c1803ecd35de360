"""What else the machine did while a measurement ran: load, preemptions, stolen time, frequency."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from pathlib import Path

SYSTEM = Path("/")


@dataclass(frozen=True)
class Snapshot:
    """Counters of the system at one moment; None where the system does not show one."""

    average: float | None
    """Load average of the last minute: processes that run or wait for a core."""
    preemptions: int
    """Times that this process was taken off its core against its will, since it started."""
    stolen: int | None
    """Clock ticks, over all cores, in which the hypervisor ran somebody else."""
    ticks: int | None
    """Clock ticks of any kind, over all cores."""
    frequencies: tuple[float, ...]
    """Frequency of each core in Hz; empty where it cannot be read."""


@dataclass(frozen=True)
class Load:
    """What happened between two snapshots; None where the system does not show it."""

    average: float | None
    """Load average of the last minute, at the end."""
    cores: int
    """Cores that this process may use."""
    preemptions: int
    """Times that this process was taken off its core against its will."""
    stolen: float | None
    """Share of all cores' time that the hypervisor gave to somebody else, 0 to 1."""
    frequency_change: float | None
    """Largest relative difference of a core's frequency between begin and end."""


def snapshot(root: Path = SYSTEM) -> Snapshot:
    """Return the counters of the system now, as a `Snapshot`, from `proc` and `sys` below `root`.

    Examples
    --------
    >>> snapshot().preemptions >= 0
    True
    """
    stolen, ticks = _ticks(root / "proc/stat")
    return Snapshot(
        average=_load_average(),
        preemptions=resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw,
        stolen=stolen,
        ticks=ticks,
        frequencies=_frequencies(root / "sys/devices/system/cpu"),
    )


def between(before: Snapshot, after: Snapshot) -> Load:
    """Return what happened from the snapshot `before` to the later one `after`.

    >>> before = Snapshot(0.5, 10, 100, 1000, (2e9,))
    >>> after = Snapshot(1.5, 13, 110, 1200, (1.5e9,))
    >>> meanwhile = between(before, after)
    >>> meanwhile.preemptions, meanwhile.stolen, meanwhile.frequency_change
    (3, 0.05, 0.25)
    """
    pairs = zip(before.frequencies, after.frequencies, strict=False)
    changes = [abs(second - first) / first for first, second in pairs if first > 0]
    return Load(
        average=after.average,
        cores=usable_cores(),
        preemptions=after.preemptions - before.preemptions,
        stolen=_share_stolen(before, after),
        frequency_change=max(changes, default=None),
    )


def usable_cores() -> int:
    """Return the number of cores that this process may use.

    >>> usable_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_quota(root: Path = SYSTEM) -> float | None:
    """Return how many cores' time this process's control groups allow it; None without a limit.

    Reads `cpu.max` of the group and of those above it (version 2), or the quota of version 1.
    """
    groups = {"": "/"}
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, kinds, group = line.split(":", 2)
        groups |= dict.fromkeys(kinds.split(","), group)
    limits = []
    base = root / "sys/fs/cgroup"
    for folder in _upward(base, groups[""]):
        limits.append(_limit(*(_text(folder / "cpu.max").split() or ("max", "")), ""))
    for folder in _upward(base / "cpu", groups.get("cpu", "/")):
        period = _text(folder / "cpu.cfs_period_us")
        limits.append(_limit(_text(folder / "cpu.cfs_quota_us"), period, ""))
    known = [limit for limit in limits if limit is not None]
    return min(known, default=None)


def _upward(base: Path, group: str) -> list[Path]:
    inner = base / group.lstrip("/")
    return [
        inner,
        *(parent for parent in inner.parents if parent == base or base in parent.parents),
    ]


def _limit(quota: str, period: str, *_rest: str) -> float | None:
    if not quota.isdecimal() or not period.isdecimal() or int(period) == 0:
        return None
    return int(quota) / int(period)


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _share_stolen(before: Snapshot, after: Snapshot) -> float | None:
    if before.stolen is None or after.stolen is None:
        return None
    if before.ticks is None or after.ticks is None or after.ticks <= before.ticks:
        return None
    return (after.stolen - before.stolen) / (after.ticks - before.ticks)


def _load_average() -> float | None:
    try:
        return os.getloadavg()[0]
    except OSError:
        return None


def _ticks(path: Path) -> tuple[int | None, int | None]:
    try:
        first = path.read_text("ascii").split("\n", 1)[0].split()
    except OSError:
        return None, None
    if len(first) < 9 or first[0] != "cpu":
        return None, None
    # The guest times that follow are already counted in user and nice.
    kinds = [int(value) for value in first[1:9]]
    return kinds[7], sum(kinds)


def _frequencies(folder: Path) -> tuple[float, ...]:
    frequencies = []
    for path in sorted(folder.glob("cpu[0-9]*/cpufreq/scaling_cur_freq")):
        try:
            frequencies.append(1e3 * float(path.read_text("ascii")))
        except (OSError, ValueError):
            return ()
    return tuple(frequencies)
