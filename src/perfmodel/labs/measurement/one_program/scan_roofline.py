"""Scanning posting lists under the roofline: bytes and operations from the data structure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from perfmodel.labs.measurement.one_program.corpus import Words
from perfmodel.labs.measurement.one_program.inverted_index import POSTING_BYTES, InvertedIndex
from perfmodel.labs.measurement.one_program.search import Searcher
from perfmodel.measurement.runs import short_runs
from perfmodel.roofline.model import Kernel
from perfmodel.validation import one_number, positive, whole

OPERATIONS = 2
"""Of a posting: a multiplication and an addition."""
SAMPLED = 200
"""One short list in this many is in the sample that a core's caches hold."""
DENSE = 20
"""A list is long if at least one document in this many is in it."""


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


ALIKE = 1.25
"""Ratio of two times up to which they count as equally long."""


def conclusion(bound: ScanBound) -> str:
    """Return which of memory and core bounds a scan, and what would make it faster.

    >>> conclusion(ScanBound(memory=1.0, core=1.1))
    'Memory and core take **about equally long**. To make the scan faster, relieve both.'
    """
    ratio = bound.overlapped / min(bound.memory, bound.core)
    if ratio < ALIKE:
        return "Memory and core take **about equally long**. To make the scan faster, relieve both."
    if bound.bound_by == "memory":
        return (
            f"**The memory is the bound here**: it needs {ratio:.1f} times as long as the core. "
            "Fewer bytes a posting would make the scan faster."
        )
    return (
        f"**The core is the bound here**: it needs {ratio:.1f} times as long as the memory. Fewer "
        "bytes a posting wouldn't help. A shorter loop would."
    )


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


def cached_scan_rate(searcher: Searcher, runs: int = 40) -> float:
    """Return postings a second of the loop on lists that lie in a cache.

    Two samples are read again and again, and the best of `runs` counts: one of the long lists, and
    one short list in SAMPLED. Each stands for all postings of its kind.
    """
    index = searcher.index
    long, short = long_and_short(index)
    samples = (long[long.size // 2 :][:1], short[SAMPLED // 2 :: SAMPLED])
    seconds = 0.0
    for words, sampled in zip((long, short), samples, strict=True):
        repeats, lengths = short_runs(partial(searcher.scan, sampled), 2e-3, runs)
        done = int(index.lengths[sampled].sum()) * repeats
        seconds += float(lengths.min()) / done * int(index.lengths[words].sum())
    return index.postings / seconds


def long_and_short(index: InvertedIndex) -> tuple[Words, Words]:
    """Return the words that at least one document in DENSE holds, and all other words."""
    dense = index.lengths * DENSE >= index.size
    return np.flatnonzero(dense).astype(np.int32), np.flatnonzero(~dense).astype(np.int32)


def list_bytes(index: InvertedIndex) -> int:
    """Return the bytes of all posting lists."""
    return POSTING_BYTES * index.postings
