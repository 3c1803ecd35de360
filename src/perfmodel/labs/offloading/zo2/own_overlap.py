"""A copying thread beside a multiplying one: two stages of a flow shop on your own cores.

One thread copies blocks of weights from a large array into a few buffers, as a link would; the
other multiplies activations with each, on one core. The forecast knows how long each takes alone,
with the same buffers: more of them are more memory to go through, and less of it stays in a cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Semaphore, Thread
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from perfmodel.measurement import median_interval, timed_in_turns
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
    """Seconds of all blocks, each multiplied with this many rows of activations (tokens).

    Copying and multiplying alone and both at once, shape (slots, repetitions), by numbers of
    buffers.
    """

    rows: int
    slots: tuple[int, ...]
    copying: Floats
    multiplying: Floats
    together: Floats

    @property
    def forecast(self) -> Floats:
        """Seconds by the flow shop, shape (slots, repetitions)."""
        stages = np.stack([self.copying, self.multiplying], -1) / BLOCKS
        each = zip(stages, self.slots, strict=True)
        return np.stack([equal_jobs_makespan(times, BLOCKS, k) for times, k in each])

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
    """Measure copying, multiplying and both at once, for each of `rows`.

    A block has width times width numbers of 4 bytes. Each repetition is a run of every kind in
    turn, and one more warms up.
    """
    from threadpoolctl import threadpool_limits

    count, size = whole("repeats", repeats, 1), whole("width", width, 1)
    rng = np.random.default_rng(0)
    host = rng.random((4, size, size), np.float32)
    buffers = np.zeros((max(whole("slots", k, 1) for k in slots), size, size), np.float32)
    with threadpool_limits(1):
        return [
            _times(whole("rows", many, 1), tuple(slots), count, host, buffers, clock)
            for many in rows
        ]


def overlapped(host: Singles, buffers: Singles, activations: Singles, out: Singles) -> None:
    """Copy and multiply all blocks, a thread for each, through the `buffers`.

    Blocks of `host`, shape (any, n, n), are taken round and round; `activations` has shape
    (rows, n), and the products go into `out`.
    """
    free, full = Semaphore(len(buffers)), Semaphore(0)

    def load() -> None:
        for i in range(BLOCKS):
            free.acquire()
            np.copyto(buffers[i % len(buffers)], host[i % len(host)])
            full.release()

    loader = Thread(target=load)
    loader.start()
    for i in range(BLOCKS):
        full.acquire()
        np.matmul(activations, buffers[i % len(buffers)], out=out[i])
        free.release()
    loader.join()


def conclusion(times: Sequence[OverlapTimes]) -> str:
    """Return in words how far the copying was hidden, and where the forecast was off.

    Of less than six repetitions nothing is said.
    """
    words = []
    for each in times:
        if each.together.shape[1] < 6:
            return "Too few repetitions: nothing can be said."
        gains = np.median(each.gain, axis=1)
        said = (
            f"{_buffers(k)} {gain:.2f} times as fast as one after the other, {_outcome(stretch)}"
            for k, gain, stretch in zip(each.slots, gains, each.stretch, strict=True)
        )
        words.append(f"With {each.rows} rows: " + "; ".join(said) + ".")
    return " ".join(words)


def _buffers(slots: int) -> str:
    return "one buffer" if slots == 1 else f"{slots} buffers"


def _outcome(stretch: Floats) -> str:
    """Return measured over forecast, and what it says: the forecast is the best that can be."""
    low, high = median_interval(stretch)
    if low > 1.05:
        said = "the model is too hopeful"
    elif high < 0.95:
        said = "less than the times alone allow, so that something is faster together than alone"
    elif low >= 0.9 and high <= 1.1:
        said = "the model holds to a tenth"
    else:
        said = "the runs scatter too much to tell"
    return f"measured over forecast {low:.2f} to {high:.2f} ({said})"


def _times(
    rows: int, slots: tuple[int, ...], repeats: int, host: Singles, room: Singles, clock: Clock
) -> OverlapTimes:
    activations = np.random.default_rng(rows).random((rows, host.shape[1]), np.float32)
    out = np.zeros((BLOCKS, rows, host.shape[1]), np.float32)

    def copy(buffers: Singles) -> None:
        for i in range(BLOCKS):
            np.copyto(buffers[i % len(buffers)], host[i % len(host)])

    def multiply(buffers: Singles) -> None:
        for i in range(BLOCKS):
            np.matmul(activations, buffers[i % len(buffers)], out=out[i])

    works: list[Callable[[], None]] = []
    for k in slots:
        works += [
            partial(copy, room[:k]),
            partial(multiply, room[:k]),
            partial(overlapped, host, room[:k], activations, out),
        ]
    seconds = timed_in_turns(works, repeats, clock=clock)
    return OverlapTimes(rows, slots, seconds[::3], seconds[1::3], seconds[2::3])
