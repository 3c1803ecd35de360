"""Memory bandwidth by the four loops of STREAM, on one core or all, with every byte accounted for.

STREAM counts the bytes that the loop names: 8 for each element read and 8 for each written. A
processor moves more. Before it writes a line, it reads the line from memory (write-allocate),
because the cache can't know that all of it will be overwritten. So the triad a = b + 3 c counts 24
bytes an element and moves 32.

Non-temporal stores bypass the caches and move only the 24 bytes. Compilers use them on request, and
the C library uses them to copy large blocks. Therefore two programs that "do STREAM" can differ by
a third on the same memory. The loops here use ordinary stores; `triad, non-temporal` shows the
other kind.

NumPy has no triad: `multiply(c, 3, out=a)` and `add(a, b, out=a)` are two passes that count 40 and
move 48 bytes an element. It stands in, labelled, where numba is missing.

The arrays are larger than the caches (`array_bytes`) and each thread is the first to touch the part
that it works on, so that its pages lie in the memory next to its core.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from itertools import cycle

import numpy as np

from perfmodel.measurement.cpu import kernels, llvm, pages
from perfmodel.measurement.cpu.caches import ASSUMED_SIZES, Hierarchy
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads, static_chunks
from perfmodel.measurement.runs import RUNS, Runs, timed
from perfmodel.validation import Floats, whole

Pass = Callable[[Floats, Floats, Floats], object]

WORD = 8
"""Bytes of an element."""

LARGEST_CHECK = 1 << 30
"""Bytes of the arrays with which smaller ones are compared, where a cache may be hidden."""

UNIT = 64 * kernels.STREAM_UNROLL // WORD
"""A thread's part is whole turns of the widest loop."""


@dataclass(frozen=True)
class StreamLoop:
    """One loop: what it computes and the bytes that it counts and moves an element."""

    name: str
    formula: str
    counted: int
    """Bytes an element that its passes name: STREAM's count."""
    moved: int
    """Bytes an element between memory and cache, write-allocate included."""
    implementation: str
    """`numba`, `numpy` or `llvm`."""
    loop: Pass
    note: str = ""


def stream_loops() -> dict[str, StreamLoop]:
    """Return copy, scale, add and triad by numba; by NumPy, with a note, where numba is missing."""
    try:
        from perfmodel.measurement.cpu import stream_kernels as loops
    except ImportError:
        return _numpy_loops()
    return {
        "copy": StreamLoop("copy", "c = a", 16, 24, "numba", loops.copy),
        "scale": StreamLoop("scale", "b = 3 c", 16, 24, "numba", loops.scale),
        "add": StreamLoop("add", "c = a + b", 24, 32, "numba", loops.add),
        "triad": StreamLoop("triad", "a = b + 3 c", 24, 32, "numba", loops.triad),
    }


def non_temporal_triad() -> StreamLoop:
    """Return the triad whose stores go round the caches.

    Raises `Unavailable` if llvmlite is missing or the processor is of an unknown kind.
    """
    bits = llvm.isa().vector_bits[-1]
    pointer, count = ctypes.c_void_p, ctypes.c_uint64
    run = llvm.assembled(
        kernels.triad(64, bits, True), "kernel", None, (pointer, pointer, pointer, count, count)
    )

    def loop(a: Floats, b: Floats, c: Floats) -> None:
        run(a.ctypes.data, b.ctypes.data, c.ctypes.data, a.nbytes * 8 // bits, 1)

    note = "stores that skip write-allocate"
    return StreamLoop("triad, non-temporal", "a = b + 3 c", 24, 24, "llvm", loop, note)


def array_bytes(
    caches: Hierarchy, threads: int, memory: int | None, strict: bool = False
) -> tuple[int, str]:
    """Return the bytes of each of three arrays, and a note where memory forbids what is needed.

    Parameters
    ----------
    caches : Hierarchy
        The data caches.
    threads : int
        Cores at work, whose last-level caches add up.
    memory : int or None
        Bytes of main memory; all three arrays take at most a quarter of it.
    strict : bool
        Each array four times the last-level caches, as STREAM demands. Otherwise the three
        together are, which already leaves hardly anything to be found again in the cache.

    Returns
    -------
    size : int
        Bytes, a multiple of the widest loop's turn for each thread.
    note : str
        Empty, or what the sizes fall short of.

    Examples
    --------
    >>> from perfmodel.measurement.cpu.caches import CacheLevel
    >>> array_bytes(Hierarchy((CacheLevel(3, 30 << 20, 4),), 64, "sysfs"), 4, None)[0] >> 20
    40
    """
    last = caches.last_level(whole("threads", threads, 1))
    if caches.size(3) is None:
        last = max(last, ASSUMED_SIZES[-1][1])
    wanted = 4 * last if strict else -(-4 * last // 3)
    notes = []
    if memory is not None and 3 * wanted > memory // 4:
        wanted = memory // 12
        notes.append("arrays smaller than four times the caches: there is too little memory")
    if caches.source == "assumed":
        notes.append("cache sizes are assumed, not known")
    elif caches.note:
        notes.append(caches.note)
    unit = WORD * UNIT * threads
    return -(-wanted // unit) * unit, "; ".join(notes)


def settled_size(
    size: int, largest: int, rate: Callable[[int], float], near: float = 0.1
) -> tuple[int, str]:
    """Return the bytes of an array to measure memory with, and a note on larger ones.

    That is `size` if the largest arrays give the same `rate` (in bytes/s, to the relative `near`);
    otherwise `largest`, since a cache held the smaller ones.

    >>> settled_size(1 << 20, 1 << 28, lambda size: 80e9 if size < 50e6 else 20e9)
    (268435456, 'arrays of 1 MiB give 80 GB/s and of 256 MiB 20 GB/s: the larger ones are taken')
    """
    if largest <= size:
        return size, "no larger arrays fit, so a cache may hold these"
    known, truth = rate(size), rate(largest)
    both = (
        f"arrays of {size / 2**20:.3g} MiB give {known / 1e9:.3g} GB/s and of "
        f"{largest / 2**20:.4g} MiB {truth / 1e9:.3g} GB/s"
    )
    if known <= (1 + near) * truth:
        return size, f"{both}: no cache holds the smaller ones"
    return largest, f"{both}: the larger ones are taken"


class StreamArrays:
    """Three arrays of doubles, a = 1, b = 2, c = 0, each part first touched by its own thread.

    They begin with a page and their size is rounded up to a whole part for each thread.
    """

    def __init__(self, threads: PinnedThreads, size: int) -> None:
        unit = UNIT * len(threads)
        elements = -(-whole("size", size, 1) // (WORD * unit)) * unit
        self._cut(threads, elements)
        self.a, self.b, self.c = (pages.fresh(WORD * elements).view(np.float64) for _ in range(3))
        self.fill()

    def cut_for(self, threads: PinnedThreads) -> StreamArrays:
        """Return the same memory with parts for the threads of another `threads`."""
        other = copy(self)
        other._cut(threads, self.a.size)
        return other

    def _cut(self, team: PinnedThreads, elements: int) -> None:
        self.team = team
        self.parts = static_chunks(elements, len(team), UNIT)

    def fill(self) -> None:
        """Set the arrays to their first values, each thread its part."""

        def touch(member: int) -> None:
            for array, value in zip(self.of(member), (1.0, 2.0, 0.0), strict=True):
                array[:] = value

        self.team.run(touch)

    def of(self, thread: int) -> tuple[Floats, Floats, Floats]:
        """Return the part of a, b and c that belongs to thread `thread`."""
        part = self.parts[thread]
        return self.a[part], self.b[part], self.c[part]

    def pieces(self, count: int) -> list[list[tuple[Floats, Floats, Floats]]]:
        """Return `count` equal pieces of a, b and c, each as the threads' parts of it.

        What is left over, less than a turn of the loop for each thread and piece, is in none.
        """
        turns = self.a.size // (UNIT * len(self.team))
        long = turns // whole("count", count, 1) * UNIT
        if long == 0:
            raise ValueError(f"count must be at most {turns} for these arrays, got {count}")
        parts = [self.of(member) for member in range(len(self.team))]
        return [
            [(a[at:][:long], b[at:][:long], c[at:][:long]) for a, b, c in parts]
            for at in range(0, count * long, long)
        ]


def measure_bandwidth(
    kernel: StreamLoop,
    arrays: StreamArrays,
    runs: int = RUNS,
    max_seconds: float = float("inf"),
    note: str = "",
    pieces: int = 1,
) -> Runs:
    """Measure one loop on all threads of the arrays' team; a run is one pass over the arrays.

    Parameters
    ----------
    kernel : StreamLoop
        One of `stream_loops()`, or `non_temporal_triad()`.
    arrays : Arrays
        What it works on.
    runs : int
        Of which the best is the capacity.
    max_seconds : float
        No run is begun after this time, three apart.
    note : str
        What `array_bytes` had to say.
    pieces : int
        Runs that a pass is cut into. They go on where the one before stopped, so all of the arrays
        is passed before any of it comes again; a pass over arrays of a gigabyte is no short run.

    Returns
    -------
    Runs
        In bytes, as STREAM counts them.
    """
    cut = arrays.pieces(pieces)
    turn = cycle(cut)

    def run() -> float:
        parts = next(turn)
        return arrays.team.run(lambda member: kernel.loop(*parts[member]))

    seconds = timed(run, runs, warmup=2, max_seconds=max_seconds)
    work = float(kernel.counted) * sum(part[0].size for part in cut[0])
    words = "; ".join(text for text in (kernel.note, note) if text)
    return Runs(kernel.name, work, "bytes", seconds, len(arrays.team), arrays.team.pinned, words)


def _numpy_loops() -> dict[str, StreamLoop]:
    def copy(a: Floats, b: Floats, c: Floats) -> None:
        np.copyto(c, a)

    def scale(a: Floats, b: Floats, c: Floats) -> None:
        np.multiply(c, 3.0, out=b)

    def add(a: Floats, b: Floats, c: Floats) -> None:
        np.add(a, b, out=c)

    def triad(a: Floats, b: Floats, c: Floats) -> None:
        np.multiply(c, 3.0, out=a)
        np.add(a, b, out=a)

    plain = "NumPy, because numba is missing"
    twice = f"{plain}: two passes, 40 bytes an element counted and 48 moved"
    return {
        "copy": StreamLoop("copy", "c = a", 16, 24, "numpy", copy, plain),
        "scale": StreamLoop("scale", "b = 3 c", 16, 24, "numpy", scale, plain),
        "add": StreamLoop("add", "c = a + b", 24, 32, "numpy", add, plain),
        "triad": StreamLoop("triad", "a = b + 3 c", 40, 48, "numpy", triad, twice),
    }
