"""Scanning posting lists under the roofline: bytes and operations from the data structure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfmodel.labs.measurement.one_program.corpus import VOCABULARY
from perfmodel.labs.measurement.one_program.inverted_index import POSTING_BYTES, InvertedIndex
from perfmodel.labs.measurement.one_program.search import Searcher
from perfmodel.measurement.runs import short_runs
from perfmodel.roofline.model import Kernel
from perfmodel.validation import one_number, positive, whole

OPERATIONS = 2
"""Of a posting: a multiplication and an addition."""
SAMPLED = 200
"""One word in this many is in the sample of lists that a core's caches hold."""


def scan_kernel(postings: int) -> Kernel:
    """Return the operations and bytes of reading `postings` postings once.

    The scores stay in a cache, so only the lists come from memory.

    >>> scan_kernel(1000).intensity
    0.4
    """
    count = whole("postings", postings, 1)
    return Kernel("scan", float(OPERATIONS * count), float(POSTING_BYTES * count))


@dataclass(frozen=True)
class ScanBound:
    """What memory and core need for a scan, each if it were alone."""

    memory: float
    """Seconds for the bytes."""
    core: float
    """Seconds for the loop on lists that the caches hold."""

    @property
    def overlapped(self) -> float:
        """Seconds by the roofline: the longer of the two."""
        return max(self.memory, self.core)

    @property
    def in_turn(self) -> float:
        """Seconds if nothing overlaps: their sum."""
        return self.memory + self.core

    @property
    def bound_by(self) -> str:
        """Which of the two takes longer."""
        return "memory" if self.memory > self.core else "core"


def scan_bound(postings: int, bandwidth: float, cached_rate: float) -> ScanBound:
    """Return the bound of a scan; `bandwidth` in bytes/s, `cached_rate` in postings/s.

    >>> bound = scan_bound(1_000_000, bandwidth=10e9, cached_rate=1e9)
    >>> bound.memory, bound.core, bound.bound_by
    (0.0005, 0.001, 'core')
    """
    work, rates = scan_kernel(postings), (bandwidth, cached_rate)
    moved, looped = (
        one_number(name, rate, positive)
        for name, rate in zip(("bandwidth", "cached_rate"), rates, strict=True)
    )
    return ScanBound(work.bytes / moved, postings / looped)


def cached_scan_rate(searcher: Searcher, every: int = SAMPLED, runs: int = 40) -> float:
    """Return postings a second of the loop on lists that lie in a cache: the best of `runs`.

    They are the lists of one word in `every`, so they are as short and long as all lists together,
    except for the few longest.
    """
    index = searcher.index
    words = np.arange(every // 2, VOCABULARY, whole("every", every, 1), dtype=np.int32)
    done = int(index.lengths[words].sum())

    def run(times: int) -> None:
        for _ in range(times):
            searcher.scan(words)

    repeats, seconds = short_runs(run, 2e-3, runs)
    return float(done * repeats / seconds.min())


def list_bytes(index: InvertedIndex) -> int:
    """Return the bytes of all posting lists."""
    return POSTING_BYTES * index.postings
