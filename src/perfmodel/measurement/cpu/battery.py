"""What one child process of the suite measures: arithmetic, memory or overheads.

Each function is called in a fresh process that is pinned before any library is loaded, and returns
plain readings; what this machine can't show is returned as the error that says so, not raised, so
that the rest goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from perfmodel.measurement.cpu.caches import CacheLevel, Hierarchy, hierarchy, memory_nodes
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads, usable_threads
from perfmodel.measurement.errors import Unavailable
from perfmodel.measurement.readings import Reading, Readings, guarded, rate
from perfmodel.measurement.runs import Runs

if TYPE_CHECKING:
    from perfmodel.measurement.cpu.overheads import EventTime
    from perfmodel.measurement.cpu.stream import StreamArrays, StreamLoop

GEMM = 512
"""Rows and columns of the square matrices whose product is timed."""

STREAM_SECONDS = {False: 0.4, True: 1.2}
"""Time for the runs of one loop over arrays in memory, for the quick suite and the full one."""

PIECE = 32 << 20
"""Bytes of each array that a thread passes in a run: long enough to start several threads, and
short enough that some run is left in peace."""

MIN_MEMORY_BYTES = 64 << 20
"""Bytes of the smallest working set that counts as main memory."""


def arithmetic(full: bool = False) -> Readings:
    """Return peaks and rates of a matrix product, on one core and on all.

    With `full`, also one core's peak for every width of the vector registers, fused or not.
    """
    from perfmodel.measurement.cpu import blas, peak

    def peaks(team: PinnedThreads, ending: str) -> Iterator[Reading]:
        for precision in peak.TYPES:
            runs = peak.measure_peak(peak.widest(precision), team)
            yield rate(f"peak_{precision}{ending}", replace(runs, note=_joined(runs)))

    def every_width(team: PinnedThreads) -> Iterator[Reading]:
        for variant in peak.variants():
            kind = "fma" if variant.fused else "separate"
            name = f"rate_{variant.precision}_{variant.vector_bits or 'scalar'}_{kind}_one_core"
            yield rate(name, peak.measure_peak(variant, team, runs=30))

    def products(threads: int, ending: str) -> Iterator[Reading]:
        about = blas.library()
        for precision in blas.DTYPES:
            runs = blas.measure_gemm((GEMM, GEMM, GEMM), precision, threads, runs=20)
            words = f"{about.name} {about.version} for {about.core_type}, {GEMM} cubed"
            yield rate(f"gemm_{precision}{ending}", replace(runs, note=words))

    cores = usable_threads()
    readings: Readings = []
    for count, ending in _teams(cores):
        with PinnedThreads(count) as team:
            readings += guarded(lambda: peaks(team, ending))  # noqa: B023
            if full and count == 1:
                readings += guarded(lambda: every_width(team))
        readings += guarded(lambda: products(count, ending))  # noqa: B023
    return readings


def memory(full: bool = False) -> Readings:
    """Return bandwidth and latency of memory and of each cache level.

    With `full`, all four loops of STREAM and the triad with non-temporal stores, on arrays as large
    as STREAM demands.
    """
    from perfmodel.measurement.cpu import stream
    from perfmodel.measurement.provenance import host

    caches, cores = hierarchy(), usable_threads()
    most = host().memory
    size, note = stream.array_bytes(caches, len(cores), most, strict=full)
    if caches.size(3) is None or caches.source == "assumed":
        largest = min(stream.LARGEST_CHECK, most // 12) if most else size
        size, seen = _settled(size, largest, len(cores))
        note = "; ".join(filter(None, (note, seen)))
    with PinnedThreads(len(cores)) as everyone:
        shared = stream.StreamArrays(everyone, size) if memory_nodes() == 1 else None
    readings: Readings = []
    for count, ending in _teams(cores):
        with PinnedThreads(count) as team:
            arrays = shared.cut_for(team) if shared else stream.StreamArrays(team, size)
            readings += guarded(partial(_streams, arrays, note, ending, full))
            if count == 1:
                readings += guarded(partial(_latencies, caches, arrays, note))
            if count == len(cores):
                readings += guarded(partial(_reading, caches, team))
    return readings


def _settled(size: int, largest: int, threads: int) -> tuple[int, str]:
    """Return the size of arrays that no cache holds, and what larger ones gave."""
    from perfmodel.measurement.cpu import stream

    triad = stream.stream_loops()["triad"]

    def rate(each: int) -> float:
        with PinnedThreads(threads) as team:
            runs = stream.measure_bandwidth(triad, stream.StreamArrays(team, each), runs=4)
        return float(runs.work / min(runs.seconds))

    return stream.settled_size(size, largest, rate)


def ladders() -> Readings:
    """Return latency and reading bandwidth of one core for working sets of many sizes."""
    from perfmodel.measurement.cpu import latency

    caches = hierarchy()
    enough = max(MIN_MEMORY_BYTES, 4 * caches.last_level())

    def rungs(team: PinnedThreads) -> Iterator[Reading]:
        sizes = [size for size in latency.SIZES if size < 2 * enough]
        for rung in latency.latency_ladder(caches, team, sizes):
            runs = rung.runs
            name = f"latency_at_{size_words(rung.size)}"
            note = _joined(runs)
            yield Reading(name, "s", rung.latency, 1 / runs.median, runs.seconds.size, note)
        for rung in latency.read_bandwidth_ladder(team, [size for size in sizes if size <= enough]):
            yield rate(f"reading_at_{size_words(rung.size)}_one_core", rung.runs)

    with PinnedThreads(1) as team:
        return guarded(lambda: rungs(team))


def size_words(size: int) -> str:
    """Return `size`, a power of two in bytes, as a word for a name.

    >>> size_words(16384), size_words(1 << 26)
    ('16_kib', '64_mib')
    """
    return f"{size >> 20}_mib" if size >= 1 << 20 else f"{size >> 10}_kib"


def operating_system_costs(full: bool = False) -> Readings:
    """Return what calls, locks, threads, processes and switches cost; with `full`, more surely."""
    from perfmodel.measurement.cpu import overheads
    from perfmodel.measurement.timing import measure

    seconds = 0.2 if full else 0.05
    times = overheads.measure_overheads(lambda function: measure(function, max_seconds=seconds))
    return [time if isinstance(time, Unavailable) else _event(time) for time in times]


def level_sizes(caches: Hierarchy, threads: int = 1) -> list[tuple[CacheLevel, int]]:
    """Return for each cache level a working set, in bytes a thread, that only it can hold.

    Half of the first level; for the others the geometric mean of its size and the one before it.
    A cache of `caches` that `threads` share counts with each one's part.

    >>> levels = (CacheLevel(1, 32 << 10, 1), CacheLevel(2, 2 << 20, 1))
    >>> [size >> 10 for _, size in level_sizes(Hierarchy(levels, 64, "sysfs"))]
    [16, 256]
    """
    sizes: list[tuple[CacheLevel, int]] = []
    before = 0
    for level in caches.levels:
        part = level.size // max(1, min(level.cores or threads, threads))
        sizes.append((level, int((before * part) ** 0.5) if before else part // 2))
        before = part
    return sizes


def _streams(arrays: StreamArrays, note: str, ending: str, full: bool) -> Iterator[Reading]:
    from perfmodel.measurement.cpu import stream

    pieces = max(1, arrays.a.nbytes // len(arrays.team) // PIECE)

    def measured(kernel: StreamLoop, words: str) -> Runs:
        seconds = STREAM_SECONDS[full]
        return stream.measure_bandwidth(
            kernel, arrays, max_seconds=seconds, note=words, pieces=pieces
        )

    kernels = list(stream.stream_loops().values())
    for kernel in kernels if full else kernels[-1:]:
        moved = f"{kernel.counted} bytes an element counted, {kernel.moved} moved"
        passes = measured(kernel, note)
        words = "; ".join(text for text in (f"{kernel.name}: {moved}", passes.note) if text)
        name = "memory_bandwidth" if kernel.name == "triad" else f"stream_{kernel.name}"
        yield rate(f"{name}{ending}", replace(passes, note=words))
    if full:
        yield rate(
            f"stream_triad_non_temporal{ending}", measured(stream.non_temporal_triad(), note)
        )


def _latencies(caches: Hierarchy, arrays: StreamArrays, note: str) -> Iterator[Reading]:
    from perfmodel.measurement.cpu import latency

    last = caches.last_level()
    for level, size in level_sizes(caches):
        cycle = latency.PointerCycle(size, caches.line)
        yield _latency(
            f"l{level.level}", latency.measure_latency(cycle, arrays.team, last_level=last)
        )
    beyond = max(MIN_MEMORY_BYTES, 4 * last)
    if beyond // caches.line <= latency.LINES:
        cycle = latency.PointerCycle(beyond, caches.line)
        yield _latency("memory", latency.measure_latency(cycle, arrays.team, last_level=last))
        return

    def flush() -> None:
        arrays.team.run(lambda _: np.copyto(arrays.a, arrays.c))

    # To lay out and walk all of so large a set takes longer than all the rest. So the walk passes
    # some lines of one array, each once, after the other two arrays have taken the cache.
    some, room = latency.LINES, arrays.b.view(np.uint64)
    cycle = latency.PointerCycle(room.nbytes, caches.line, lines=some, memory=room)
    runs = latency.measure_latency(cycle, arrays.team, flush=flush)
    yield _latency("memory", runs, f"{cycle.count:,} of its lines, none in a cache", note)


def _latency(name: str, runs: Runs, *words: str) -> Reading:
    note = _joined(runs, f"working set {runs.name}", *words)
    return Reading(f"{name}_latency", "s", runs.shortest, 1 / runs.median, runs.seconds.size, note)


def _reading(caches: Hierarchy, team: PinnedThreads) -> Iterator[Reading]:
    from perfmodel.measurement.cpu import latency

    for level, size in level_sizes(caches, len(team)):
        runs = latency.measure_read_bandwidth(size, team)
        note = _joined(runs, f"reading, {runs.name} a thread")
        yield rate(f"l{level.level}_bandwidth", replace(runs, note=note))


def _event(one: EventTime) -> Reading:
    quantity = re.sub(r"[^a-z0-9]+", "_", one.name.lower()) + "_time"
    seconds = one.seconds
    return Reading(quantity, "s", seconds, seconds, one.samples, one.note, one.low, one.high)


def _teams(cores: list[int]) -> list[tuple[int, str]]:
    """Return numbers of threads with the ending of their quantities' names."""
    return [(1, "_one_core"), (len(cores), "")]


def _joined(runs: Runs, *before: str) -> str:
    unpinned = "" if runs.pinned else "threads not pinned"
    return "; ".join(text for text in (*before, runs.note, unpinned) if text)
