"""Your disk: how fast it writes and reads, with the copy in memory told apart.

What a program writes goes to the page cache, DRAM that the kernel lends to files; `fsync` waits
until the disk has it. What was written or read lately is read from there again, so that the pages
are given up before a cold read, where the system can be asked to. Files are small, in a temporary
folder, and deleted.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from perfmodel.labs.offloading.fuyou.inputs import GPT_13B, READ, WRITTEN
from perfmodel.measurement import drop_pages, median_interval
from perfmodel.validation import Floats, whole

SIZE = 32 * 2**20
"""Bytes of the file."""
SMALL = 4096
"""Bytes of a small file."""
APART = 2.0
"""A cold read must take this many times as long as a warm one to be called the disk's."""
Clock = Callable[[], float]


@dataclass(frozen=True, eq=False)
class DiskTimes:
    """Seconds of each repetition, shape (repeats,)."""

    buffered: Floats
    """Of writing the file to the page cache."""
    synced: Floats
    """Of writing it and waiting for the disk."""
    small: Floats
    """Of writing a small file and waiting for the disk."""
    warm: Floats
    """Of reading the file from the page cache."""
    cold: Floats
    """Of reading it after its pages were given up; empty where the system can't be asked to."""
    size: int = SIZE
    """Bytes of the file."""
    in_memory: bool = False
    """Whether the folder is on a file system that is kept in memory."""

    @property
    def distinguishable(self) -> bool:
        """Whether cold reads are so much slower that they come from a disk."""
        return bool(self.cold.size and np.median(self.cold) >= APART * np.median(self.warm))

    def rate(self, name: str) -> tuple[float, float, float]:
        """Return the median bytes/s of the `name`d times, and its interval's ends (95 %).

        >>> times = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
        >>> DiskTimes(*map(np.array, (times,) * 5), size=10**9).rate("cold")
        (2000000000.0, 2000000000.0, 2000000000.0)
        """
        seconds = getattr(self, name)
        size = SMALL if name == "small" else self.size
        low, high = median_interval(seconds)
        return float(size / np.median(seconds)), float(size / high), float(size / low)


def time_disk(
    size: int = SIZE, repeats: int = 7, folder: Path | None = None, clock: Clock = perf_counter
) -> DiskTimes:
    """Write and read files of `size` bytes in a temporary folder, and return the seconds.

    One repetition more is made first and left out. The files are deleted also after an error.
    """
    count = whole("repeats", repeats, 6)
    data = np.random.default_rng(0).bytes(whole("size", size, 1))
    rows: dict[str, list[float]] = {name: [] for name in ("buffered", "synced", "small", "warm")}
    cold: list[float] = []
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        path = Path(temporary) / "large"
        in_memory = file_system(path.parent) in ("tmpfs", "ramfs")
        for _ in range(count + 1):
            rows["buffered"].append(_write(path, data, False, clock))
            path.unlink()
            rows["synced"].append(_write(path, data, True, clock))
            rows["small"].append(_write(Path(temporary) / "small", data[:SMALL], True, clock))
            if drop_pages(path):
                cold.append(_read(path, size, clock))
            else:
                _read(path, size, clock)
            rows["warm"].append(_read(path, size, clock))
            path.unlink()
    measured = {name: np.array(seconds[1:]) for name, seconds in rows.items()}
    return DiskTimes(**measured, cold=np.array(cold[1:]), size=size, in_memory=in_memory)


def file_system(folder: Path) -> str:
    """Return the kind of file system that a folder is on, empty where it can't be found out."""
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return ""
    rows = [line.split() for line in mounts.read_text().splitlines()]
    resolved = folder.resolve()
    above = [(len(row[1]), row[2]) for row in rows if resolved.is_relative_to(row[1])]
    return max(above)[1] if above else ""


def gpt_step(times: DiskTimes, disks: int = 1) -> float:
    """Return the seconds in which `disks` such disks move what a step of the 13B model needs.

    Reads are taken as cold ones, writes as synced ones, one after the other.

    >>> times = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    >>> round(gpt_step(DiskTimes(*map(np.array, (times,) * 5), size=10**9)))
    189
    """
    read, wrote = times.rate("cold")[0], times.rate("synced")[0]
    busy = GPT_13B.parameters * (READ / read + WRITTEN / wrote)
    return float(busy / whole("disks", disks, 1))


def conclusion(times: DiskTimes) -> str:
    """Return a sentence about the disk, and whether it was measured at all."""
    if times.in_memory:
        return (
            "Your temporary folder is in memory, so no disk was measured. Give `time_disk` a "
            "folder on a disk."
        )
    slow = np.median(times.synced) / np.median(times.buffered)
    said = f"Waiting for the disk made writing {slow:.1f} times as long. "
    if not times.cold.size:
        return said + "This system can't drop its pages, so the reads are from memory."
    gap = np.median(times.cold) / np.median(times.warm)
    if not times.distinguishable:
        return said + (
            f"Cold reads took only {gap:.1f} times as long as warm ones. That doesn't distinguish "
            "a fast disk from a copy in memory, of this system or of the system below it."
        )
    step = gpt_step(times)
    small = times.rate("synced")[0] / times.rate("small")[0]
    return said + (
        f"Cold reads took {gap:.1f} times as long as warm ones, so they came from outside this "
        f"system's memory. Small files are written {small:.0f} times as slowly per byte. A step of "
        f"the 13B model would keep this disk busy for {step:.0f} s."
    )


def _write(path: Path, data: bytes, sync: bool, clock: Clock) -> float:
    began = clock()
    with open(path, "wb", buffering=0) as file:
        file.write(data)
        if sync:
            os.fsync(file.fileno())
    return clock() - began


def _read(path: Path, size: int, clock: Clock) -> float:
    into = bytearray(size)
    began = clock()
    with open(path, "rb", buffering=0) as file:
        read = file.readinto(into)
    seconds = clock() - began
    if read != size:
        raise OSError(f"size must be read in one go, got {read} of {size} bytes")
    return seconds
