"""Order statistics and counts of a long series, without sorting all of it.

A time that is not negative sorts as the whole number that its 64 bits spell. The leading bits say
in which of some thousand buckets it lies, so that one pass counts the buckets, a second takes the
few that hold what is asked for, and only these are sorted.

>>> ordered = Ordered(np.array([0.5, 0.25, 4.0, 1.0]))
>>> ordered.at(np.array([0, 3])).tolist()
[0.25, 4.0]
>>> ordered.below(np.array([0, 2, 4]), np.array([0.5])).tolist()
[[2.0], [0.0]]
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from perfmodel.engine.fields import NONE, Ints, Reals
from perfmodel.engine.object_files import any_loaded, loaded
from perfmodel.validation import Floats

LONG = 20_000
"""Length above which a series is not sorted, if machine code is available."""
SHIFT = 45
"""Bits that a bucket leaves out: 128 buckets for each power of two."""
OCTAVES = 32
"""Powers of two below the largest observation that are told apart."""

# Tasks of `scan`.
COUNT, TAKE, BELOW = range(3)


class Query(NamedTuple):
    """What is asked of a series."""

    task: int
    size: int
    """Observations."""
    least: int
    """The bits of the least observation that is told apart."""
    bucket: Ints
    """COUNT: how many lie in each; TAKE: where those of each go in `taken`, or NONE."""
    bounds: Ints
    """(rows + 1,): where each row of the series begins, and the last one ends."""
    level: Reals
    rows: int
    levels: int


class Series(NamedTuple):
    """The observations, twice, and what is found among them."""

    bits: Ints
    value: Reals
    taken: Reals
    below: Ints
    """(rows, levels): how many observations of each row are at most each level."""


def scan(query: Query, series: Series) -> bool:
    """Do one task; True."""
    if query.task == COUNT:
        count_buckets(query, series)
    elif query.task == TAKE:
        take_buckets(query, series)
    else:
        count_below(query, series)
    return True


def count_buckets(query: Query, series: Series) -> None:
    """Count the observations in each bucket."""
    least = query.least
    for i in range(query.size):
        query.bucket[max(series.bits[i] - least, 0) >> SHIFT] += 1


def take_buckets(query: Query, series: Series) -> None:
    """Copy the observations of the buckets that are wanted."""
    least = query.least
    for i in range(query.size):
        bucket = max(series.bits[i] - least, 0) >> SHIFT
        place = query.bucket[bucket]
        if place != NONE:
            series.taken[place] = series.value[i]
            query.bucket[bucket] = place + 1


def count_below(query: Query, series: Series) -> None:
    """Count the observations of each row that are at most each level."""
    levels = query.levels
    for row in range(query.rows):
        for level in range(levels):
            count = 0
            for i in range(query.bounds[row], query.bounds[row + 1]):
                count += 1 if series.value[i] <= query.level[level] else 0
            series.below[row * levels + level] = count


class Ordered:
    """A series whose order statistics are wanted; sorted only where that is quicker.

    `values`, shape (observations,): at least one.
    """

    def __init__(self, values: Floats) -> None:
        """Count the buckets, or sort."""
        self._values: Any = np.ascontiguousarray(values)
        self._sorted = self._ends = np.zeros(0)
        self._bits: Any = self._values.view(np.int64)
        if values.size < LONG or not any_loaded() or self._bits.min() < 0:
            self._sorted = np.sort(values)
            return
        most = int(self._bits.max())
        self._least = max(most - (OCTAVES << 52), 0)
        counts = np.zeros(((most - self._least) >> SHIFT) + 1, dtype=np.int64)
        self._scan(COUNT, bucket=counts)
        self._ends = counts.cumsum()

    def at(self, places: np.ndarray) -> Floats:
        """Return the observations of these ranks, the least has rank 0."""
        if self._sorted.size:
            return np.asarray(self._sorted[places])
        buckets = np.searchsorted(self._ends, places, side="right")
        chosen = np.unique(buckets)
        begins = np.append(0, self._ends)[chosen]
        sizes = self._ends[chosen] - begins
        ends = sizes.cumsum()
        goes = np.full(self._ends.size, NONE)
        goes[chosen] = ends - sizes
        taken = np.empty(int(ends[-1]))
        self._scan(TAKE, bucket=goes, taken=taken)
        for begin, end in zip(ends - sizes, ends, strict=True):
            taken[begin:end].sort()
        shift = (begins - (ends - sizes))[np.searchsorted(chosen, buckets)]
        return np.asarray(taken[places - shift])

    def below(self, bounds: np.ndarray, levels: Floats) -> Floats:
        """Return how many observations of each row are at most each level, (rows, levels).

        `bounds`, shape (rows + 1,), says where each row begins, and the last one ends.
        """
        if self._sorted.size:
            masks = (np.append(0, (self._values <= level).cumsum()) for level in levels)
            return np.stack([np.diff(mask[bounds]) for mask in masks], axis=1) * 1.0
        found = np.empty((len(bounds) - 1, levels.size), dtype=np.int64)
        self._scan(BELOW, bounds=bounds, level=levels, below=found.ravel())
        return found.astype(np.float64)

    def _scan(self, task: int, **arrays: Any) -> None:
        nothing: Any = {"bucket": np.zeros(0, np.int64), "bounds": np.zeros(1, np.int64)}
        nothing |= {"level": np.zeros(0), "taken": np.zeros(0), "below": np.zeros(0, np.int64)}
        given = {**nothing, **{name: np.ascontiguousarray(a) for name, a in arrays.items()}}
        bucket, bounds, level = given["bucket"], given["bounds"], given["level"]
        size, rows = self._values.size, len(bounds) - 1
        query = Query(task, size, self._least, bucket, bounds, level, rows, level.size)
        series = Series(self._bits, self._values, given["taken"], given["below"])
        loaded(scan)(query, series)
