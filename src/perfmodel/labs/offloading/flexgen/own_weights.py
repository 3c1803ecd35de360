"""Weights read from a file through memory mapping against weights read from RAM, on your machine.

A file stands for the weights on disk. Mapped, its pages come from disk at the first touch and from
the operating system's file cache later on; both are compared with a copy within memory.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from perfmodel.measurement import drop_pages, median_interval
from perfmodel.validation import Floats, positive, whole

SIZE = 64 << 20
"""Bytes of the file; a layer of OPT-6.7B has six times as many."""
REPEATS = 7
SAME = 1.5
"""Factor within which two rates say nothing about a difference."""


@dataclass(frozen=True)
class ReadRates:
    """Bytes/s of reading the same bytes from three places, one value a repetition.

    From a mapped file after the system was asked to drop its pages (if it can be: `dropped`), from
    the file cache, and from an array in memory.
    """

    disk: Floats
    cached: Floats
    ram: Floats
    dropped: bool

    @property
    def from_disk(self) -> bool:
        """Whether first readings are so much slower that they came from a disk."""
        return self.dropped and bool(np.median(self.disk) * SAME <= np.median(self.cached))

    def rows(self) -> list[tuple[str, float, float, float]]:
        """Return place, median and the ends of its 95 % interval, in GB/s.

        There is no row of the disk where nothing shows that one was read.
        """
        rows = []
        for name in ("disk", "cached", "ram")[not self.from_disk :]:
            rates = getattr(self, name) / 1e9
            low, high = median_interval(rates)
            rows.append((name, float(np.median(rates)), low, high))
        return rows

    def conclusion(self) -> str:
        """Return what the rates say, in words that fit each way in which they can come out."""
        disk, cached, ram = (float(np.median(r)) for r in (self.disk, self.cached, self.ram))
        gap = (
            f"Reading a mapped file that is in the file cache runs at {cached / ram:.0%} of the "
            "copy from RAM."
        )
        if not self.dropped:
            return (
                "Your system can't be asked to drop a file's pages: no disk was measured, and the "
                f"table has no row of it. {gap}"
            )
        if not self.from_disk:
            return (
                "The first reading was about as fast as the later ones: the pages were in memory "
                "all the same, or your disk is as fast as mapping. Which can't be told, so that "
                f"the table has no row of the disk. {gap}"
            )
        return f"From disk it took {ram / disk:.0f} times as long as from RAM. {gap}"


def read_rates(
    size: int = SIZE,
    repeats: int = REPEATS,
    folder: str | Path | None = None,
    clock: Callable[[], float] = perf_counter,
) -> ReadRates:
    """Write a file of `size` bytes, and read it from disk, the file cache and RAM in turn."""
    count = whole("repeats", repeats, 1)
    length = whole("size", size, 4096)
    data = np.random.default_rng(0).integers(0, 256, length, dtype=np.uint8)
    target = np.empty_like(data)
    seconds: dict[str, list[float]] = {"disk": [], "cached": [], "ram": []}

    def timed(work: Callable[[], object], into: str) -> None:
        began = clock()
        work()
        seconds[into].append(clock() - began)

    with tempfile.NamedTemporaryFile(dir=folder) as file:
        data.tofile(file.name)
        os.fsync(file.fileno())
        dropped = True
        np.copyto(target, data)
        for _ in range(count):
            dropped = drop_pages(file.name) and dropped
            timed(lambda: np.copyto(target, np.memmap(file.name, np.uint8, "r")), "disk")
            timed(lambda: np.copyto(target, np.memmap(file.name, np.uint8, "r")), "cached")
            timed(lambda: np.copyto(target, data), "ram")
    rates = {name: length / positive(name, times) for name, times in seconds.items()}
    return ReadRates(rates["disk"], rates["cached"], rates["ram"], dropped)
