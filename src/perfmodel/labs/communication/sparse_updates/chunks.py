"""An update cut into parts on the reader's machine: threads that add rows to a table."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats, whole

ROWS = 1 << 20
UPDATES = 1 << 20
"""Rows of the table, 8 MB, and values that are added to rows drawn at random."""


def threads() -> int:
    """Return how many threads work on the parts: as many as processors, at most 4."""
    return min(os.cpu_count() or 1, 4)


def measured_times(parts: Sequence[int], repeats: int = 7) -> Floats:
    """Return the median seconds of an update for each number of parts.

    The table is cut into as many ranges of rows, and each is updated by whichever thread is free.
    """
    counts = [whole("parts", count, 1) for count in parts]
    rng = np.random.default_rng(0)
    rows, values = rng.integers(0, ROWS, UPDATES), rng.random(UPDATES)
    cuts = {count: _cut(rows, values, count) for count in counts}
    table = np.zeros(ROWS)
    times = np.empty((whole("repeats", repeats, 1), len(counts)))
    with ThreadPoolExecutor(threads()) as pool:
        list(pool.map(lambda part: _add(table, *part), cuts[counts[0]]))
        for once in times:
            for i, count in enumerate(counts):
                start = time.perf_counter()
                list(pool.map(lambda part: _add(table, *part), cuts[count]))
                once[i] = time.perf_counter() - start
    return np.asarray(np.median(times, axis=0))


def _cut(
    rows: NDArray[np.int64], values: Floats, count: int
) -> list[tuple[NDArray[np.int64], Floats]]:
    """Return the updates of each range of rows, in the order in which they came."""
    owner = rows * count // ROWS
    return [(rows[owner == part], values[owner == part]) for part in range(count)]


@numba.njit(nogil=True, cache=True)
def _add(table: Floats, rows: NDArray[np.int64], values: Floats) -> None:
    for i in range(rows.size):
        table[rows[i]] += values[i]
