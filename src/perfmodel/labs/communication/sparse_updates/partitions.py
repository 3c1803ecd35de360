"""The time of an update cut into parts: a form, its fit, a search that doubles, and measurements.

Source: S. Kim et al., EuroSys 2019, arXiv:1808.02621, and the authors' code, snuspl/parallax,
`partitions.py` (Apache-2.0): the form b/n + a (n - 1) + c and the search. On the reader's machine
threads add rows to a table.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls

from perfmodel.validation import Floats, at_least, sample, whole


class PartitionTime(NamedTuple):
    """Seconds of an update in n parts, b/n + a (n - 1) + c; all three 0 or more."""

    spread: float
    """b: what parts share among them."""
    each: float
    """a: what one more part costs."""
    fixed: float
    """c: what no cut changes."""

    def __call__(self, parts: ArrayLike) -> Floats:
        """Return the seconds for some numbers of `parts`, 1 or more."""
        n = at_least("parts", parts, 1)
        return np.asarray(self.spread / n + self.each * (n - 1) + self.fixed)

    def best(self, low: int, high: int) -> int:
        """Return the whole number of parts from `low` to `high` with the smallest time.

        >>> PartitionTime(1.6, 0.001, 0.2).best(1, 100)
        40
        """
        parts = np.arange(whole("low", low, 1), whole("high", high, low) + 1)
        return int(parts[np.argmin(self(parts))])


class Sampled(NamedTuple):
    """What a search has tried, in the order of trial."""

    parts: tuple[int, ...]
    seconds: tuple[float, ...]


def fit_partitions(parts: ArrayLike, seconds: ArrayLike) -> PartitionTime:
    """Fit the three constants by least squares of relative errors, none of them negative.

    >>> n = np.array([1, 2, 4, 8])
    >>> [round(k, 6) for k in fit_partitions(n, 3 / n + 0.1 * (n - 1) + 1)]
    [3.0, 0.1, 1.0]
    """
    n, times = sample("parts", parts, 3), sample("seconds", seconds, 3)
    if n.size != times.size or len(set(n)) < 3 or (n < 1).any() or (times <= 0).any():
        raise ValueError(
            f"parts must be three or more kinds, 1 or more, with a time above 0 each, got "
            f"{n.tolist()} and {times.tolist()}"
        )
    terms = np.stack([1 / n, n - 1, np.ones(n.size)], axis=1) / times[:, None]
    constants, _ = nnls(terms, np.ones(n.size))
    return PartitionTime(*(float(value) for value in constants))


def doubling_search(measure: Callable[[int], float], start: int, high: int) -> Sampled:
    """Try `start` parts, then twice as many while the time falls; if it never does, halve.

    >>> doubling_search(lambda n: 8 / n + n, 1, 64).parts
    (1, 2, 4)
    """
    first, largest = whole("start", start, 1), whole("high", high, start)
    tried = {first: float(measure(first))}
    _walk(measure, tried, first, 2.0, largest)
    if min(tried.values()) == tried[first]:
        _walk(measure, tried, first, 0.5, largest)
    return Sampled(tuple(tried), tuple(tried.values()))


def chosen(sampled: Sampled, high: int) -> int:
    """Return the parts that the fit to a search calls best, from 1 to `high`; tried ones if few."""
    if len(set(sampled.parts)) < 3:
        return sampled.parts[int(np.argmin(sampled.seconds))]
    fitted = fit_partitions(np.array(sampled.parts, float), sampled.seconds)
    return fitted.best(min(sampled.parts), min(high, max(sampled.parts)))


def regret(picked: int, parts: Sequence[int], seconds: Sequence[float]) -> float:
    """Return how much longer `picked` takes than the best of all `parts` tried, as a share."""
    by_parts = dict(zip(parts, seconds, strict=True))
    if picked not in by_parts:
        raise ValueError(f"picked must be one of the parts tried, got {picked}")
    return by_parts[picked] / min(by_parts.values()) - 1


def _walk(
    measure: Callable[[int], float],
    tried: dict[int, float],
    first: int,
    factor: float,
    largest: int,
) -> None:
    n, before = int(first * factor), tried[first]
    while 1 <= n <= largest:
        tried[n] = float(measure(n))
        if tried[n] >= before:
            return
        before, n = tried[n], int(n * factor)


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
