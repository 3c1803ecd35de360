"""Times of every tile of nine products, recorded on one machine: a search can be replayed.

All tiles of all shapes are timed once a round, in an order drawn anew, on one pinned core. Seconds
are processor time of the thread, so that programs which take the core in between don't count; those
that take its caches still do, and the best round counts. The second best tells the noise.
"""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from perfmodel.labs.prediction.models_in_learners.tile_product import (
    SMALLEST,
    Shape,
    multiply,
    tiles,
)
from perfmodel.measurement.cpu.team import pin, usable
from perfmodel.measurement.provenance import record_table, recorded_table
from perfmodel.validation import Floats, whole

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SHAPES = (
    Shape(64, 512, 2048),
    Shape(64, 2048, 512),
    Shape(256, 256, 1024),
    Shape(512, 512, 256),
    Shape(1024, 128, 512),
    Shape(96, 768, 768),
    Shape(400, 400, 400),
    Shape(32, 3000, 700),
    Shape(768, 64, 1536),
)
"""Chosen for their variety, before any was timed."""
_PACKAGE = "perfmodel.labs.prediction.models_in_learners"
_COLUMNS = ["m", "k", "n", "ti", "tj", "tk", "best_us", "second_us"]


class TileTimes(NamedTuple):
    """The tiles of a shape and their times."""

    shape: Shape
    tiles: NDArray[np.int64]
    """ti, tj, tk, shape (tiles, 3)."""
    seconds: Floats
    """The best of all rounds, shape (tiles,)."""
    second: Floats
    """The second best."""

    @property
    def good(self) -> NDArray[np.bool_]:
        """Which tiles reach 95 % of the best tile's speed."""
        return np.asarray(self.seconds <= self.seconds.min() / 0.95)

    @property
    def noise(self) -> float:
        """Median of the second best round over the best, less 1."""
        return float(np.median(self.second / self.seconds)) - 1


def measure(shape: Shape, rounds: int = 3, seed: int = 0) -> TileTimes:
    """Time every tile of a shape on this machine, once a round."""
    return measure_in_turns([shape], rounds, seed)[0]


def measure_in_turns(shapes: list[Shape], rounds: int, seed: int = 0) -> list[TileTimes]:
    """Time every tile of several shapes, all of them once a round in an order drawn anew."""
    count, rng = whole("rounds", rounds, 2), np.random.default_rng(seed)
    arrays = [
        (rng.random((s.m, s.k)), rng.random((s.k, s.n)), np.zeros((s.m, s.n))) for s in shapes
    ]
    every = [tiles(shape) for shape in shapes]
    taken = [np.empty((count, len(some))) for some in every]
    visits = [(place, one) for place, some in enumerate(every) for one in range(len(some))]
    left, right, result = arrays[0]
    multiply(left, right, result, SMALLEST, SMALLEST, SMALLEST)
    for turn in range(count):
        for visit in rng.permutation(len(visits)):
            place, one = visits[visit]
            ti, tj, tk = map(int, every[place][one])
            left, right, result = arrays[place]
            start = time.thread_time()
            multiply(left, right, result, ti, tj, tk)
            taken[place][turn, one] = time.thread_time() - start
    ordered = [np.sort(some, axis=0) for some in taken]
    return [
        TileTimes(shape, some, times[0], times[1])
        for shape, some, times in zip(shapes, every, ordered, strict=True)
    ]


def record(path: Path, rounds: int) -> None:
    """Time all `SHAPES` on one core and write `path`, with machine and versions in a JSON file."""
    import pandas as pd

    pin(max(usable()))
    frames = []
    for found in measure_in_turns(list(SHAPES), rounds):
        part = pd.DataFrame(found.tiles, columns=["ti", "tj", "tk"])
        part = part.assign(m=found.shape.m, k=found.shape.k, n=found.shape.n)
        part["best_us"] = (1e6 * found.seconds).round(1)
        part["second_us"] = (1e6 * found.second).round(1)
        frames.append(part)
    record_table(pd.concat(frames, ignore_index=True)[_COLUMNS], path, {"rounds": rounds})


def recorded() -> tuple[TileTimes, ...]:
    """Return the recorded times of all `SHAPES`.

    >>> len(recorded())
    9
    """
    return _recorded()


@cache
def _recorded() -> tuple[TileTimes, ...]:
    table = recorded_table(_PACKAGE, "tile_times.csv")
    found = []
    for shape in SHAPES:
        rows = table.query("m == @shape.m and k == @shape.k and n == @shape.n")
        sides = rows[["ti", "tj", "tk"]].to_numpy(np.int64)
        best, second = (1e-6 * rows[name].to_numpy(float) for name in ("best_us", "second_us"))
        found.append(TileTimes(shape, sides, best, second))
    return tuple(found)
