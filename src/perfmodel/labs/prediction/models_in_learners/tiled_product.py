"""Times of every tile of nine products, recorded on one machine: a search can be replayed.

All tiles of all shapes are timed once a round, in an order drawn again, on one pinned core. Seconds
are processor time of the thread, so that programs which take the core in between don't count; those
that take its caches still do, and the best round counts. The second best tells the noise.

A matrix product in tiles: what a tile search chooses, and the tiles it may choose from.

C = A B with A of m x k and B of k x n, ti rows by tj columns of C with tk terms at a time. Within a
tile the innermost loop runs along a row, over the tile's columns.

What a tile costs, from the caches' sizes and bandwidths: the whitebox of the tile search.

Written, with its constants, before any of these times was taken, and left alone afterwards.
The product itself was rewritten once, when four timings showed that its innermost loop wasn't done
several numbers at a time.

Each element of B and C that the innermost loop touches comes from the smallest cache that holds all
that is used between two of its uses; so does what a tile loads when it is begun. Bytes of a level
over its bandwidth are seconds, and each start of the innermost loop costs a fixed time. All are
added.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from perfmodel.measurement.cpu.pinned_threads import pin, usable_threads
from perfmodel.measurement.provenance import record_table, recorded_table
from perfmodel.validation import Floats, finite, positive, whole

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SMALLEST = 8
"""Least size of a tile."""


class Shape(NamedTuple):
    """A product of m x k by k x n."""

    m: int
    k: int
    n: int

    def __str__(self) -> str:
        """Return the three sizes with crosses between them."""
        return f"{self.m} x {self.k} x {self.n}"

    @property
    def flops(self) -> int:
        """Operations, a multiply and an add for each term."""
        return 2 * self.m * self.k * self.n


def sizes(length: int) -> list[int]:
    """Return the tile sizes along a side: powers of two from 8 up, and the whole side.

    >>> sizes(48)
    [8, 16, 32, 48]
    """
    side, powers = whole("length", length, SMALLEST), [SMALLEST]
    while 2 * powers[-1] < side:
        powers.append(2 * powers[-1])
    return [*powers, side] if side > powers[-1] else powers


def tiles(shape: Shape) -> NDArray[np.int64]:
    """Return all tiles (ti, tj, tk) of a shape, shape (tiles, 3).

    >>> tiles(Shape(16, 8, 8)).tolist()
    [[8, 8, 8], [16, 8, 8]]
    """
    grid = np.meshgrid(sizes(shape.m), sizes(shape.n), sizes(shape.k), indexing="ij")
    return np.stack([side.ravel() for side in grid], axis=1)


def product(left: ArrayLike, right: ArrayLike, ti: int, tj: int, tk: int) -> Floats:
    """Return the product of two matrices, computed tile by tile; tiles need not divide the sides.

    >>> product([[1, 2]], [[3], [4]], 1, 1, 1)
    array([[11.]])
    """
    a, b = finite("left", left), finite("right", right)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"right must have a row for each column of left, got {a.shape}, {b.shape}")
    result = np.zeros((a.shape[0], b.shape[1]))
    rows, columns, terms = whole("ti", ti, 1), whole("tj", tj, 1), whole("tk", tk, 1)
    multiply(np.ascontiguousarray(a), np.ascontiguousarray(b), result, rows, columns, terms)
    return result


@njit(cache=True, fastmath=True)
def multiply(a: Floats, b: Floats, c: Floats, ti: int, tj: int, tk: int) -> None:
    """Add the product of `a` and `b` to `c`, tile by tile."""
    m, n = c.shape
    terms = a.shape[1]
    for i0 in range(0, m, ti):
        for j0 in range(0, n, tj):
            for k0 in range(0, terms, tk):
                for i in range(i0, min(i0 + ti, m)):
                    for k in range(k0, min(k0 + tk, terms)):
                        # Slices of rows: so the compiler sees that the loop along them is safe to
                        # do several numbers at a time.
                        row, other = c[i, j0 : j0 + tj], b[k, j0 : j0 + tj]
                        factor = a[i, k]
                        for j in range(row.size):
                            row[j] += factor * other[j]


WORD = 8
"""Bytes of a number."""


@dataclass(frozen=True)
class Core:
    """A core's caches, closest first, and the cost of reading them.

    `capacities` are the bytes of the first and the second level; what doesn't fit comes from
    beyond. `bandwidths` are the bytes/s at which one core reads the first level, the second, and
    what is beyond. `loop_start` are the seconds to begin an innermost loop.
    """

    capacities: tuple[float, float]
    bandwidths: tuple[float, float, float]
    loop_start: float

    def __post_init__(self) -> None:
        """Refuse what isn't above 0."""
        for name in self.__dataclass_fields__:
            positive(name, getattr(self, name))

    def byte_time(self, footprint: Floats) -> Floats:
        """Return the seconds a byte of data that is used again after `footprint` bytes."""
        first, second, beyond = self.bandwidths
        near, far = self.capacities
        return np.where(
            footprint <= near, 1 / first, np.where(footprint <= far, 1 / second, 1 / beyond)
        )


XEON = Core((48 * 2.0**10, 2 * 2.0**20), (335e9, 185e9, 28.5e9), 4e-9)
"""One core of the machine of the recorded times. Its bandwidths are half of two cores' bandwidth,
by `python -m perfmodel.measurement quick` just before. Ten cycles to start a loop are a guess."""


def tile_cost(shape: Shape, tiles: ArrayLike, core: Core = XEON) -> Floats:
    """Return the seconds that a product takes by the model with tiles of shape (..., 3).

    >>> slow, fast = tile_cost(Shape(64, 512, 2048), [(64, 8, 512), (64, 512, 64)])
    >>> bool(slow > 2 * fast)
    True
    """
    ti, tj, tk = np.moveaxis(positive("tiles", tiles), -1, 0)
    m, k, n = shape
    steps = float(m * k * n)
    tile_of_b, tile_of_c, tile_of_a = WORD * tk * tj, WORD * ti * tj, WORD * ti * tk
    together = tile_of_a + tile_of_b + tile_of_c
    row = 2 * WORD * tj
    seconds = core.loop_start * steps / tj
    # In the innermost loop: B again for the next row of the tile, C for the next term.
    seconds = seconds + WORD * steps * core.byte_time(np.where(ti > 1, tile_of_b + row, np.inf))
    seconds += 2 * WORD * steps * core.byte_time(row)
    # When a tile is begun: B again for the next rows of tiles, C for the next terms, A for the
    # next columns.
    whole_b = np.full_like(tj, WORD * k * n)
    seconds += WORD * steps / ti * core.byte_time(whole_b)
    seconds += 2 * WORD * steps / tk * core.byte_time(together)
    seconds += WORD * steps / tj * core.byte_time(WORD * ti * k + tile_of_b)
    return np.asarray(seconds)


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
    """Time every tile of several shapes, all of them once a round in an order drawn again."""
    count, rng = whole("rounds", rounds, 2), np.random.default_rng(seed)
    arrays = [
        (rng.random((s.m, s.k)), rng.random((s.k, s.n)), np.zeros((s.m, s.n))) for s in shapes
    ]
    all_tiles = [tiles(shape) for shape in shapes]
    seconds = [np.empty((count, len(own))) for own in all_tiles]
    visits = [(index, tile) for index, own in enumerate(all_tiles) for tile in range(len(own))]
    left, right, result = arrays[0]
    multiply(left, right, result, SMALLEST, SMALLEST, SMALLEST)
    for turn in range(count):
        for visit in rng.permutation(len(visits)):
            index, tile = visits[visit]
            ti, tj, tk = map(int, all_tiles[index][tile])
            left, right, result = arrays[index]
            start = time.thread_time()
            multiply(left, right, result, ti, tj, tk)
            seconds[index][turn, tile] = time.thread_time() - start
    ordered = [np.sort(own, axis=0) for own in seconds]
    return [
        TileTimes(shape, own, times[0], times[1])
        for shape, own, times in zip(shapes, all_tiles, ordered, strict=True)
    ]


def record(path: Path, rounds: int) -> None:
    """Time all `SHAPES` on one core and write `path`, with machine and versions in a JSON file."""
    import pandas as pd

    pin(max(usable_threads()))
    frames = []
    for times in measure_in_turns(list(SHAPES), rounds):
        part = pd.DataFrame(times.tiles, columns=["ti", "tj", "tk"])
        part = part.assign(m=times.shape.m, k=times.shape.k, n=times.shape.n)
        part["best_us"] = (1e6 * times.seconds).round(1)
        part["second_us"] = (1e6 * times.second).round(1)
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
    recordings = []
    for shape in SHAPES:
        rows = table.query("m == @shape.m and k == @shape.k and n == @shape.n")
        sides = rows[["ti", "tj", "tk"]].to_numpy(np.int64)
        best, second = (1e-6 * rows[name].to_numpy(float) for name in ("best_us", "second_us"))
        recordings.append(TileTimes(shape, sides, best, second))
    return tuple(recordings)
