"""Latency and bandwidth of each cache and of memory, by the size of a program's working set.

A load's latency shows only if the next load must wait for it. So the working set holds one pointer
in each cache line, and the pointers form one random cycle through all lines. No prefetcher can
guess the next line, and every line is visited once before one is visited again.

Below the size of a cache the walk stays in it. Above, it pays for the next level, and above some
megabytes also for address translation, most of all with pages of 4 KiB.

The walk is machine code that loads through the pointer itself. Walking by index, `i = a[i]`,
measures the index arithmetic too: an address that is base plus scaled index takes a cycle more on
many cores, and in numba a signed index more again, because a negative one must wrap around.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfmodel.machines.registry import size_text
from perfmodel.measurement.cpu import kernels, llvm, pages
from perfmodel.measurement.cpu.caches import Hierarchy
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads
from perfmodel.measurement.runs import RUNS, Runs
from perfmodel.validation import whole

SIZES = tuple(1 << k for k in range(14, 29))
"""Working sets in bytes: 16 KiB to 256 MiB."""

SECONDS = 1e-3
"""Length of one run."""

LINES = 1 << 21
"""Lines of a walk that no measurement here comes to the end of."""

Addresses = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Rung:
    """What one working set gave."""

    size: int
    """Bytes."""
    runs: Runs

    @property
    def latency(self) -> float:
        """Seconds a load, in the shortest run."""
        return self.runs.shortest


class PointerCycle:
    """Pointers that lead once through the cache lines of a working set, in random order.

    Parameters
    ----------
    size : int
        Bytes; at least two lines, rounded down to whole lines.
    line : int
        Bytes between two pointers.
    seed : int
        Of the order. Each of the (n - 1)! cycles is equally likely, as with Sattolo's algorithm.
    lines : int, optional
        Lines of the walk, all if not given: of fewer, one is drawn from each of as many equal
        stretches.
    memory : ndarray, optional
        Memory of `size` bytes or more to lay the cycle into, whose content is lost.

    Examples
    --------
    >>> cycle = PointerCycle(1024, line=64)
    >>> len(cycle.lines()), len(set(cycle.lines().tolist()))
    (16, 16)
    """

    def __init__(
        self,
        size: int,
        line: int = 64,
        seed: int = 1,
        lines: int | None = None,
        memory: Addresses | None = None,
    ) -> None:
        self.line = whole("line", line, 8)
        if line % 8:
            raise ValueError(f"line must be a multiple of 8, got {line}")
        self.size = whole("size", size, 2 * line) // line * line
        """Bytes of the working set."""
        every = self.size // line
        self.count = every if lines is None else min(every, whole("lines", lines, 2))
        """Lines of the walk."""
        words = line // 8
        self.words: Addresses = (
            pages.fresh(self.size) if memory is None else memory[: every * words]
        )
        self.base = int(self.words.ctypes.data)
        random = np.random.default_rng(seed)
        order = random.permutation(self.count)
        if self.count < every:
            bounds = np.arange(self.count + 1) * every // self.count
            order = random.integers(bounds[:-1], bounds[1:])[order]
        following = np.roll(order, -1).astype(np.uint64) * np.uint64(line) + np.uint64(self.base)
        self.words[order * words] = following
        self.start = self.base + int(order[0]) * line

    def lines(self) -> NDArray[np.int64]:
        """Return the numbers of the lines in the order of the walk, shape (count,)."""
        visited = np.empty(self.count, dtype=np.int64)
        index = self.start
        for step in range(self.count):
            number = (index - self.base) // self.line
            visited[step] = number
            index = int(self.words[number * self.line // 8])
        return visited


def walker() -> Any:
    """Return `walk(address, turns)`, which follows 16 pointers a turn and returns the last."""
    llvm.isa()
    number = ctypes.c_uint64
    return llvm.assembled(kernels.chase(), "kernel", number, (number, number))


def measure_latency(
    cycle: PointerCycle,
    threads: PinnedThreads,
    runs: int = RUNS,
    last_level: int = 0,
    seconds: float = SECONDS,
    flush: Callable[[], object] | None = None,
) -> Runs:
    """Measure the time of a load that depends on the one before: `Runs` in loads.

    Parameters
    ----------
    cycle : Cycle
        The working set.
    threads : Team
        One thread.
    runs : int
        Runs, each of which goes on where the one before stopped.
    last_level : int
        Bytes of the last-level cache. Building the cycle leaves parts of it there; the walk first
        covers twice that, or once the whole cycle, without being timed.
    seconds : float
        About the length of a run.
    flush : callable, optional
        Called instead of that walk, for a cycle whose few lines would stay in the cache. It passes
        over enough other memory to evict all of them.
    """
    if len(threads) != 1:
        raise ValueError(f"threads must be one thread, got {len(threads)}")
    walk = walker()
    index = cycle.start

    def step(_: int, turns: int) -> None:
        nonlocal index
        index = walk(index, turns)

    if flush is None:
        settle = min(cycle.count, max(2 * last_level // cycle.line, 1 << 12))
        threads.run(lambda member: step(member, -(-settle // kernels.CHASE_UNROLL)))
    else:
        flush()
    turns, lengths = threads.short_runs(step, seconds, runs)
    loads = float(turns * kernels.CHASE_UNROLL)
    note = pages.described(cycle.words) if cycle.size >= pages.PAGE else ""
    return Runs(size_text(cycle.size), loads, "loads", lengths, 1, threads.pinned, note)


def latency_ladder(
    caches: Hierarchy, threads: PinnedThreads, sizes: Sequence[int] = SIZES, runs: int = RUNS
) -> list[Rung]:
    """Return the latency of a load for each working set of `sizes` bytes, smallest first.

    `threads` is one thread, and the best of `runs` counts; `caches` says how long a line is and
    what must be walked beforehand so that nothing of the set's making is left.
    """
    last = caches.last_level()
    return [
        Rung(size, measure_latency(PointerCycle(size, caches.line), threads, runs, last))
        for size in sorted(sizes)
    ]


def measure_read_bandwidth(
    size: int, threads: PinnedThreads, runs: int = RUNS, seconds: float = SECONDS
) -> Runs:
    """Measure how fast a `threads` of threads reads a working set again and again: `Runs` in bytes.

    Each thread has `size` bytes of its own, rounded up to a whole turn of the loop with the widest
    registers. The best of `runs` runs of about `seconds` seconds is the bandwidth of all. Raises
    `Unavailable` if llvmlite is missing or the processor is of an unknown kind.
    """
    bits = llvm.isa().vector_bits[-1]
    vectors = -(-whole("size", size, 1) * 8 // (bits * kernels.STREAM_UNROLL))
    vectors *= kernels.STREAM_UNROLL
    number = ctypes.c_uint64
    run = llvm.assembled(kernels.read(bits), "kernel", number, (number, number, number))
    arrays: list[Addresses] = [np.empty(0, dtype=np.uint64)] * len(threads)

    def touch(member: int) -> None:
        arrays[member] = pages.fresh(vectors * bits // 8)
        arrays[member][:] = member + 1

    threads.run(touch)
    repeats, lengths = threads.short_runs(
        lambda member, n: run(arrays[member].ctypes.data, vectors, n), seconds, runs
    )
    work = float(vectors * bits // 8) * repeats * len(threads)
    return Runs(size_text(size), work, "bytes", lengths, len(threads), threads.pinned)


def read_bandwidth_ladder(
    threads: PinnedThreads, sizes: Sequence[int] = SIZES, runs: int = RUNS
) -> list[Rung]:
    """Return the bandwidth at which `threads` reads working sets of `sizes` bytes a thread.

    The best of `runs` counts, as in `measure_read_bandwidth`.
    """
    return [Rung(size, measure_read_bandwidth(size, threads, runs)) for size in sorted(sizes)]
