"""What a profiler counted of a kernel: its time, its operations, its bytes of main memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from perfmodel.readers.refusal import number_of


@dataclass(frozen=True)
class KernelCounters:
    """One kernel or region: what was counted, summed over its threads and calls."""

    name: str
    seconds: float | None = None
    flops: float | None = None
    moved: float | None = None
    """Bytes from and to the main memory."""
    precision: str = "fp64"
    """Of most operations."""


@dataclass(frozen=True)
class CounterFile:
    """All kernels of a file, and what its numbers are and aren't."""

    format: str
    kernels: tuple[KernelCounters, ...]
    traps: tuple[str, ...]
    processor: str = ""
    """Name of the processor that was measured; empty if the file doesn't say."""


def counted(path: Path, line: int, text: str) -> float:
    """Return a cell's number, or refuse the cell."""
    cure, comma = "measure again, with fewer events at once", "run it with LC_ALL=C"
    return number_of(path, line, text, cure, comma)
