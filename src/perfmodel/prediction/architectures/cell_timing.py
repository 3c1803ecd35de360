"""Cells of NAS-Bench-201 on this processor, in NumPy, and their times.

Every edge is computed, whether its result is used or not, as a framework without a compiler does.

>>> output = run([0, 0, 0, 1, 0, 0], tensor(4, 6))
>>> bool((output == tensor(4, 6)).all())
True
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import threadpoolctl
from numpy.typing import ArrayLike

from perfmodel.measurement.clock import time_calls
from perfmodel.prediction.architectures.search_space import EDGES
from perfmodel.validation import Floats, whole


def tensor(channels: int = 32, side: int = 16, seed: int = 0) -> Floats:
    """Return normal random images of one network's stage, shape (channels, side, side)."""
    shape = (whole("channels", channels, 1), whole("side", side, 1), side)
    return np.random.default_rng(seed).normal(size=shape)


def run(cell: Sequence[int], images: Floats) -> Floats:
    """Return a cell's output for images of shape (channels, side, side).

    A cell is six operations as in `search_space`: 0 none, 1 skip, 2 conv1x1, 3 conv3x3, 4 pool.
    Weights are random and the same for every edge.
    """
    if len(cell) != len(EDGES) or not set(cell) <= set(range(5)):
        raise ValueError(f"cell must be six numbers from 0 to 4, got {cell!r}")
    nodes = [images, *(np.zeros_like(images) for _ in range(3))]
    for (source, target), code in zip(EDGES, cell, strict=True):
        if code:
            nodes[target] = nodes[target] + _OPERATIONS[code](nodes[source])
    return nodes[-1]


def _skip(images: Floats) -> Floats:
    return images


def _conv1x1(images: Floats) -> Floats:
    return _weighted(images, 0)


def _conv3x3(images: Floats) -> Floats:
    shifts = enumerate(_neighbours(images))
    return np.asarray(sum(_weighted(shifted, number) for number, shifted in shifts))


def _pool(images: Floats) -> Floats:
    return np.asarray(sum(_neighbours(images))) / 9


_OPERATIONS: Sequence[Callable[[Floats], Floats]] = (
    np.zeros_like,
    _skip,
    _conv1x1,
    _conv3x3,
    _pool,
)


def _weighted(images: Floats, number: int) -> Floats:
    channels = len(images)
    weights = np.cos(np.arange(channels**2) + number).reshape(channels, channels) / channels
    return np.asarray((weights @ images.reshape(channels, -1)).reshape(images.shape))


def _neighbours(images: Floats) -> list[Floats]:
    """Return the images shifted by -1, 0, 1 in both directions, with zeros from outside."""
    side = images.shape[1]
    wide = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    return [wide[:, i : i + side, j : j + side] for i in range(3) for j in range(3)]


def latencies_here(
    cells: ArrayLike,
    images: Floats,
    repeats: int = 20,
    clock: Callable[[], int] = time.thread_time_ns,
) -> Floats:
    """Return the processor time of each cell on one core of this machine in s, shape (n,).

    The turns of other programs are not counted, and the fastest of several runs is taken, since
    what they leave in the caches only ever adds. The `cells`, shape (n, 6), and their input
    `images` are as for `run`; the `clock` counts nanoseconds of the calling thread, which does all
    the work. All cells are run `repeats` times, each time in another order, so that a slow moment
    of the machine does not fall upon one cell.
    """
    codes = np.asarray(cells)
    taken = np.empty((whole("repeats", repeats, 1), len(codes)))
    with threadpoolctl.threadpool_limits(1):
        for seed, row in enumerate(taken):
            for index in np.random.default_rng(seed).permutation(len(codes)):
                cell = codes[index].tolist()
                row[index] = time_calls(lambda cell=cell: run(cell, images), 1, clock)  # type: ignore[misc]
    return np.asarray(taken.min(axis=0))
