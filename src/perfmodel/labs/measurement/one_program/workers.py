"""Building the index on several processes: each indexes a share of the blocks, one merges them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.measurement.one_program.inverted_index import (
    block_bounds,
    build_blocks,
    merge_blocks,
    timed_build,
)
from perfmodel.measurement.statistics.intervals import bootstrap_interval
from perfmodel.scaling.laws import amdahl_speedup
from perfmodel.scaling.speedup_measurement import Job
from perfmodel.validation import Floats, positive, sample, whole


@dataclass(frozen=True)
class BuildProfile:
    """Seconds of the two parts of some builds on one process, shape (builds,)."""

    blocks: Floats
    """For all blocks, which workers can share."""
    merging: Floats
    """For merging them, which one process does."""

    def __post_init__(self) -> None:
        """Refuse times that are not above zero or don't pair."""
        shape = positive("blocks", sample("blocks", self.blocks, 2)).shape
        if positive("merging", sample("merging", self.merging, 2)).shape != shape:
            raise ValueError(f"merging must have the shape {shape} of blocks")

    @property
    def serial_fraction(self) -> float:
        """Fraction of the time that only one process can work on (no unit)."""
        return float(np.median(self.merging / (self.blocks + self.merging)))

    def forecast(self, workers: int) -> tuple[float, float, float]:
        """Return the time of a build on `workers` by Amdahl's law (s), and its 95 % interval.

        The interval covers the scatter of the builds. It knows no cost of moving results.

        >>> BuildProfile(np.full(3, 0.9), np.full(3, 0.1)).forecast(2)
        (0.55, 0.55, 0.55)
        """
        speedup = amdahl_speedup(
            self.merging / (self.blocks + self.merging), whole("workers", workers, 1)
        )
        times = (self.blocks + self.merging) / speedup
        low, high = bootstrap_interval(times, np.median, 0.95)
        return float(np.median(times)), low, high


def profile(size: int, builds: int) -> BuildProfile:
    """Return the `BuildProfile` of a corpus of `size` documents, after one build to warm up."""
    timed = [timed_build(size)[1:] for _ in range(whole("builds", builds, 2) + 1)]
    blocks, merging = np.transpose(timed[1:])
    return BuildProfile(blocks, merging)


@contextmanager
def builder(size: int, workers: int) -> Iterator[Job]:
    """Give a job that builds the index on 1 to `workers` processes and returns a checksum.

    On one worker this process builds alone. The others are started and warmed up beforehand.
    """
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(build_blocks, [block_bounds(size, 1)] * workers))

        def build(count: int) -> int:
            if count == 1:
                return checksum(timed_build(size)[0].documents)
            shares = shared_out(block_bounds(size), count)
            blocks = [block for share in pool.map(build_blocks, shares) for block in share]
            return checksum(merge_blocks(blocks).documents)

        yield build


def shared_out(bounds: Sequence[tuple[int, int]], workers: int) -> list[list[tuple[int, int]]]:
    """Return the blocks of each worker: neighbours, so that the blocks stay in order.

    >>> shared_out([(0, 5), (5, 5), (10, 5)], 2)
    [[(0, 5)], [(5, 5), (10, 5)]]
    """
    edges = [len(bounds) * k // workers for k in range(workers + 1)]
    return [list(bounds[a:b]) for a, b in pairwise(edges)]


def checksum(documents: ArrayLike) -> int:
    """Return a number that changes if a posting is missing or in another place."""
    values = np.asarray(documents, dtype=np.uint64)
    return int((values * np.arange(1, values.size + 1, dtype=np.uint64)).sum())
