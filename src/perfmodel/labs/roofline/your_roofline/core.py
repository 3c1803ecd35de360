"""The roof of one core of the reader's machine, with its ceilings and its levels of memory.

The roof consists of measured capacities: multiply-adds in registers give the peak, and the faster
of reading and the triad gives the bandwidth. The bytes are the bytes that *move*, so a line that is
read before it is overwritten counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.machines import Machine
from perfmodel.measurement.cpu import battery, latency, peak, stream
from perfmodel.measurement.cpu.caches import Hierarchy
from perfmodel.measurement.cpu.pinned_threads import PinnedThreads, usable_threads
from perfmodel.roofline.cache_levels import MemoryLevel
from perfmodel.roofline.model import Ceiling, Roofline
from perfmodel.validation import Floats, positive

MOST = 256 << 20
"""Bytes that a kernel's data take at most."""

ALIKE = 0.05
"""Relative difference up to which two ceilings are drawn as one."""

PER_READ = 24 / 32
"""Fraction of the triad's traffic that STREAM counts if a line is read before it is written."""


@dataclass(frozen=True)
class Core:
    """What one core of a machine can do, and what all can together."""

    peak: float
    """FLOP/s of one core, in double precision."""
    bandwidth: float
    """Bytes/s that move between one core and memory."""
    ceilings: tuple[Ceiling, ...]
    levels: tuple[MemoryLevel, ...]
    """Reading bandwidth of one core from each cache and, last, from memory."""
    cores: int
    all_peak: float
    all_bandwidth: float

    @property
    def roof(self) -> Roofline:
        """One core's roofline, with those of its ceilings that a drawing can tell apart.

        One within 5 % of the peak, or of a ceiling before it, says nothing more and is left out.
        """
        distinct: list[Ceiling] = []
        for ceiling in self.ceilings:
            above = [self.peak, *(other.value for other in distinct)]
            if ceiling.value < self.peak and all(
                abs(ceiling.value / value - 1) > ALIKE for value in above
            ):
                distinct.append(ceiling)
        return Roofline("one core", self.peak, self.bandwidth, tuple(distinct))

    @property
    def all_roof(self) -> Roofline:
        """The roofline of all cores together; never below that of one."""
        peak, bandwidth = max(self.all_peak, self.peak), max(self.all_bandwidth, self.bandwidth)
        return Roofline(f"{self.cores} cores", peak, bandwidth)


def in_core_peak(
    clock: ArrayLike, lanes: ArrayLike, pipes: ArrayLike = 2, fused: bool = True
) -> Floats:
    """Return a core's peak as described: clock (Hz) x lanes x pipes x 2 with fused multiply-add.

    >>> float(in_core_peak(3e9, 8)), float(in_core_peak(3e9, 1, fused=False))
    (96000000000.0, 6000000000.0)
    """
    width = positive("lanes", lanes) * positive("pipes", pipes)
    return np.asarray(positive("clock", clock) * width * (2 if fused else 1))


def measure_core(caches: Hierarchy, runs: int = 20) -> Core:
    """Measure roof and ceilings in a few seconds; the suite does it with more care.

    Each of the `caches` is read; the best of the `runs` of each kind counts. Raises Unavailable if
    this processor's kind is unknown, so that no machine code can be made for it.
    """
    widest, size = peak.widest("fp64"), data_bytes(caches)
    with PinnedThreads(1) as team:
        rates = {v: peak.measure_peak(v, team, runs).best for v in peak.variants(["fp64"])}
        sizes = [(f"L{level.level}", bytes_) for level, bytes_ in battery.level_sizes(caches)]
        levels = tuple(
            MemoryLevel(
                name, latency.measure_read_bandwidth(bytes_, team, runs).best, float(bytes_)
            )
            for name, bytes_ in [*sizes, ("memory", size)]
        )
        alone = max(levels[-1].bandwidth, _moved(team, size, runs))
    with PinnedThreads(len(usable_threads())) as team:
        everyone = peak.measure_peak(widest, team, runs).best
        reading = latency.measure_read_bandwidth(size // len(team), team, runs).best
        together = max(reading, _moved(team, size, runs))
    ceilings = _ceilings(rates, widest)
    return Core(rates[widest], alone, ceilings, levels, len(usable_threads()), everyone, together)


def raised(core: Core, saved: Machine) -> Core:
    """Return `core` with its roofs raised to the suite's `saved` capacities of the same machine.

    A capacity is the highest rate ever seen, because a busy moment can only lower it. The suite's
    bandwidths are the triad's by STREAM's count, and are converted to traffic here.
    """

    def best(here: float, quantity: str, per: float = 1.0) -> float:
        return max(here, saved.value(quantity) / per) if saved.has(quantity) else here

    return replace(
        core,
        peak=best(core.peak, "peak_fp64_one_core"),
        bandwidth=best(core.bandwidth, "memory_bandwidth_one_core", PER_READ),
        all_peak=best(core.all_peak, "peak_fp64"),
        all_bandwidth=best(core.all_bandwidth, "memory_bandwidth", PER_READ),
    )


def data_bytes(caches: Hierarchy) -> int:
    """Return the bytes of a kernel's data: four times the last of the `caches`, 64 to 256 MiB.

    >>> from perfmodel.measurement.cpu.caches import CacheLevel
    >>> data_bytes(Hierarchy((CacheLevel(3, 30 << 20, 4),), 64, "sysfs")) >> 20
    120
    """
    return min(max(battery.MIN_MEMORY_BYTES, 4 * caches.last_level()), MOST)


def _ceilings(rates: dict[peak.Variant, float], widest: peak.Variant) -> tuple[Ceiling, ...]:
    """Return what is left of the peak without vectors, fused multiply-adds, or both."""
    named = {
        "without FMA": replace(widest, fused=False),
        "without SIMD": replace(widest, vector_bits=0),
        "without both": replace(widest, vector_bits=0, fused=False),
    }
    names = named if widest.fused else {"without SIMD": named["without SIMD"]}
    return tuple(
        Ceiling(name, rates[named[name]], "compute") for name in names if named[name] in rates
    )


def _moved(team: PinnedThreads, size: int, runs: int) -> float:
    """Return the triad's traffic in bytes/s, read lines that are overwritten included."""
    triad = stream.stream_loops()["triad"]
    copies = stream.measure_bandwidth(
        triad, stream.StreamArrays(team, size // 3), runs, max_seconds=0.3
    )
    return copies.best * triad.moved / triad.counted
