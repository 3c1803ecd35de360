"""A copying thread beside a multiplying one: two stages of a flow shop on your own cores.

One thread copies blocks of weights from a large array into a few buffers, as a link would; the
other multiplies activations with each, on one core. The forecast knows how long each takes alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Semaphore, Thread
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from perfmodel.measurement import median_interval
from perfmodel.offloading import equal_jobs_makespan
from perfmodel.validation import Floats, whole

BLOCKS, WIDTH = 12, 1536
ROWS = (4, 16, 64)
SLOTS = (1, 2)
REPEATS = 9
Clock = Callable[[], float]
Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class OverlapTimes:
    """Seconds of all blocks, by repetition.

    Attributes
    ----------
    rows : int
        Rows of activations that each block is multiplied with: tokens.
    copying, multiplying : ndarray, shape (repetitions,)
        Alone.
    slots : tuple of int
        Numbers of buffers tried.
    together : ndarray, shape (slots, repetitions)
        Both at once.
    """

    rows: int
    copying: Floats
    multiplying: Floats
    slots: tuple[int, ...]
    together: Floats

    @property
    def forecast(self) -> Floats:
        """Seconds by the flow shop, shape (slots, repetitions)."""
        stages = np.stack([self.copying, self.multiplying], -1) / BLOCKS
        return np.stack([equal_jobs_makespan(stages, BLOCKS, k) for k in self.slots])

    @property
    def gain(self) -> Floats:
        """How many times as fast as one after the other, shape (slots, repetitions)."""
        return np.asarray((self.copying + self.multiplying) / self.together)

    @property
    def stretch(self) -> Floats:
        """Measured over forecast, shape (slots, repetitions)."""
        return np.asarray(self.together / self.forecast)


def time_overlap(
    rows: Sequence[int] = ROWS,
    slots: Sequence[int] = SLOTS,
    repeats: int = REPEATS,
    width: int = WIDTH,
    clock: Clock = perf_counter,
) -> list[OverlapTimes]:
    """Measure copying, multiplying and both at once.

    Parameters
    ----------
    rows, slots : sequence of int
        Rows of activations, and buffers, to try; 1 or more each.
    repeats : int
        Each a run of every kind in turn, 1 or more; one more warms up.
    width : int
        A block has width times width numbers of 4 bytes.
    clock : callable
        Returns seconds.

    Returns
    -------
    list of OverlapTimes
        One for each of `rows`.
    """
    from threadpoolctl import threadpool_limits

    count, size = whole("repeats", repeats, 1), whole("width", width, 1)
    rng = np.random.default_rng(0)
    host = rng.random((4, size, size), np.float32)
    room = np.zeros((max(whole("slots", k, 1) for k in slots), size, size), np.float32)
    with threadpool_limits(1):
        return [
            _times(whole("rows", many, 1), tuple(slots), count, host, room, clock) for many in rows
        ]


def overlapped(host: Singles, room: Singles, left: Singles, out: Singles) -> None:
    """Copy and multiply all blocks, a thread for each, with as many buffers as `room` has.

    Parameters
    ----------
    host : ndarray, shape (any, n, n)
        Blocks, taken round and round.
    room : ndarray, shape (slots, n, n)
        Buffers.
    left : ndarray, shape (rows, n)
    out : ndarray, shape (BLOCKS, rows, n)
        The products.
    """
    free, full = Semaphore(len(room)), Semaphore(0)

    def load() -> None:
        for i in range(BLOCKS):
            free.acquire()
            np.copyto(room[i % len(room)], host[i % len(host)])
            full.release()

    loader = Thread(target=load)
    loader.start()
    for i in range(BLOCKS):
        full.acquire()
        np.matmul(left, room[i % len(room)], out=out[i])
        free.release()
    loader.join()


def verdict(times: Sequence[OverlapTimes]) -> str:
    """Return in words how far two buffers hid the copying, and where the forecast was off."""
    words = []
    for each in times:
        if 2 not in each.slots or each.stretch.shape[1] < 6:
            return "Too few repetitions, or no run with two buffers: nothing can be said."
        two = each.slots.index(2)
        low, high = median_interval(each.stretch[two])
        gain = float(np.median(each.gain[two]))
        if low > 1.05:
            said = "the model is too hopeful"
        elif high < 0.95:
            said = "it was faster than forecast"
        elif low >= 0.9 and high <= 1.1:
            said = "the model holds to a tenth"
        else:
            said = "the runs scatter too much to tell"
        words.append(
            f"With {each.rows} rows two buffers were {gain:.2f} times as fast as one after the "
            f"other; measured over forecast {low:.2f} to {high:.2f}: {said}."
        )
    return " ".join(words)


def _times(
    rows: int, slots: tuple[int, ...], repeats: int, host: Singles, room: Singles, clock: Clock
) -> OverlapTimes:
    left = np.random.default_rng(rows).random((rows, host.shape[1]), np.float32)
    out = np.zeros((BLOCKS, rows, host.shape[1]), np.float32)

    def copy() -> None:
        for i in range(BLOCKS):
            np.copyto(room[i % len(room)], host[i % len(host)])

    def multiply() -> None:
        for i in range(BLOCKS):
            np.matmul(left, room[i % len(room)], out=out[i])

    def both(k: int) -> Callable[[], None]:
        return lambda: overlapped(host, room[:k], left, out)

    works = [copy, multiply, *map(both, slots)]
    seconds = np.zeros((repeats + 1, len(works)))
    for turn in seconds:
        for place, work in enumerate(works):
            began = clock()
            work()
            turn[place] = clock() - began
    taken = seconds[1:].T
    return OverlapTimes(rows, taken[0], taken[1], slots, taken[2:])
