"""A small image server on this machine: unpack, shrink, normalise, and run a tiny network.

Images are generated and compressed with zlib, and the network is two matrix products. The times
differ from a real server, but the mechanism is the same: the network gets a fixed number of pixels,
and the stages before it process all pixels.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from perfmodel.measurement.statistics.intervals import bootstrap_interval
from perfmodel.validation import Floats, finite, whole

INPUT = 64
"""Pixels along a side of the network's input."""


@dataclass(frozen=True)
class Packed:
    """A compressed image of `side` times `side` pixels of three colours."""

    side: int
    content: bytes


def packed_image(side: int, seed: int = 1) -> Packed:
    """Return a made image: a smooth pattern with noise, compressed.

    It has `side` pixels along a side, a multiple of `INPUT`.

    >>> image = packed_image(128)
    >>> unpack(image).shape, len(image.content) < 128 * 128 * 3
    ((128, 128, 3), True)
    """
    if whole("side", side, low=INPUT) % INPUT:
        raise ValueError(f"side must be a multiple of {INPUT}, got {side!r}")
    rng = np.random.default_rng(seed)
    wave = np.sin(np.arange(side) / side * 7)
    pattern = 100 + 60 * np.add.outer(wave, wave[::-1])[..., None] * [0.9, 1.0, 0.8]
    noisy = pattern + rng.integers(0, 8, (side, side, 3))
    return Packed(side, zlib.compress(np.clip(noisy, 0, 255).astype(np.uint8).tobytes(), 1))


def unpack(image: Packed) -> NDArray[np.uint8]:
    """Return the pixels of an image, shape (side, side, 3)."""
    pixels = np.frombuffer(zlib.decompress(image.content), dtype=np.uint8)
    return pixels.reshape(image.side, image.side, 3)


def shrink(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the pixels averaged to `INPUT` times `INPUT` and scaled to -1 ... 1, flat.

    >>> shrink(np.full((128, 128, 3), 255, dtype=np.uint8)).shape
    (12288,)
    """
    step = len(pixels) // INPUT
    small = pixels.reshape(INPUT, step, INPUT, step, 3).mean(axis=(1, 3), dtype=np.float32)
    return np.asarray(small.ravel() / 127.5 - 1, dtype=np.float32)


class TinyNetwork:
    """Two dense layers with fixed random weights, instead of a network on an accelerator."""

    def __init__(self, hidden: int = 256, classes: int = 100, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        self._first = rng.normal(size=(3 * INPUT**2, hidden)).astype(np.float32)
        self._second = rng.normal(size=(hidden, classes)).astype(np.float32)

    def __call__(self, inputs: NDArray[np.float32]) -> int:
        """Return the class that the network takes the input for."""
        return int(np.argmax(np.maximum(inputs @ self._first, 0) @ self._second))


def stage_times(
    image: Packed, rounds: int = 20, clock: Callable[[], float] = time.perf_counter
) -> Floats:
    """Measure unpacking, shrinking and inference of one image on one core, several times.

    Seconds of shape (rounds, 3), after a round that is left out.
    """
    network, rows = TinyNetwork(), []
    with threadpool_limits(1):
        for _ in range(whole("rounds", rounds, low=1) + 1):
            marks = [clock()]
            pixels = unpack(image)
            marks.append(clock())
            inputs = shrink(pixels)
            marks.append(clock())
            network(inputs)
            marks.append(clock())
            rows.append(np.diff(marks))
    return np.array(rows[1:])


def overhead_interval(times: Floats, confidence: float = 0.95) -> tuple[float, float, float]:
    """Return the fraction of the time before inference, with its bootstrap interval.

    `times` are seconds of shape (rounds, stages), the last stage being inference. The fraction uses
    the medians of the stages, and the interval resamples the rounds.

    >>> overhead_interval([[1.0, 2.0, 1.0]] * 5)
    (0.75, 0.75, 0.75)
    """
    rounds = finite("times", times)
    if rounds.ndim != 2 or rounds.shape[1] < 2:
        raise ValueError(f"times must have shape (rounds, stages), got {rounds.shape}")

    def share(indices: Floats, axis: int = -1) -> Floats:
        medians = np.median(rounds[np.asarray(indices, dtype=np.intp)], axis=axis - 1)
        return np.asarray(1 - medians[..., -1] / medians.sum(axis=-1))

    indices = np.arange(len(rounds), dtype=np.float64)
    return float(share(indices)), *bootstrap_interval(indices, share, confidence)


def served_rate(
    image: Packed, count: int, workers: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Measure images per second with `workers` preparing and one running the network."""
    network, images = TinyNetwork(), [image] * whole("count", count, low=1)

    def prepare(packed: Packed) -> NDArray[np.float32]:
        return shrink(unpack(packed))

    network(prepare(image))
    with threadpool_limits(1), ThreadPoolExecutor(whole("workers", workers, low=1)) as pool:
        start = clock()
        for inputs in pool.map(prepare, images):
            network(inputs)
        return count / (clock() - start)
