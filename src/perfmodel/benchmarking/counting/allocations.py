"""Counting allocations: what memory a call asks for, by `tracemalloc`."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from perfmodel.benchmarking.counting.collector import collector_off


@dataclass(frozen=True)
class Allocations:
    """Memory that a call asked Python and NumPy for."""

    peak_bytes: int
    """The most that it held at one time, bytes."""
    retained_bytes: int
    """What it still held at its end, its result included, bytes."""
    retained_blocks: int
    """Pieces of memory in that."""


def count_allocations(function: Callable[..., object], *args: Any, **kwargs: Any) -> Allocations:
    """Return what memory a call of `function` with `args` and `kwargs` takes, of all threads.

    The call is made twice and the second is counted, so that imports, caches and the interpreter's
    stocks of small objects don't count; what an empty call takes is subtracted. Memory that a C
    library gets by itself is not seen. Returns an `Allocations`.

    Examples
    --------
    >>> import numpy as np
    >>> found = count_allocations(lambda: (np.ones(1000) + 1).sum())
    >>> 16_000 <= found.peak_bytes < 20_000, found.retained_bytes < 1000
    (True, True)
    """
    running = tracemalloc.is_tracing()
    gc.collect()
    with collector_off():
        if not running:
            tracemalloc.start()
        try:
            for _ in range(2):
                idle = _allocated(lambda: None, (), {})
                result = _allocated(function, args, kwargs)
        finally:
            if not running:
                tracemalloc.stop()
    return Allocations(*(max(a - b, 0) for a, b in zip(result, idle, strict=True)))


def _allocated(function: Callable[..., object], args: Any, kwargs: Any) -> tuple[int, int, int]:
    """Return bytes at the peak, bytes and blocks at the end, with what the looking takes itself."""
    blocks = len(tracemalloc.take_snapshot().traces)
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    result = function(*args, **kwargs)
    kept, peak = tracemalloc.get_traced_memory()
    blocks = len(tracemalloc.take_snapshot().traces) - blocks
    del result
    return peak - before, kept - before, blocks
