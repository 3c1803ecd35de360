"""A product shared by two cores as a layer is by two GPUs: halves at once, then a sum.

X (n x n) times W (n x n), the inner dimension cut in two: each core computes a full-sized part of
the result from half of X's columns and half of W's rows, and the parts are added. The model knows
the time of one half alone, and that of the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from perfmodel.measurement import timed_in_turns
from perfmodel.validation import Floats, whole

SIZES = (64, 128, 256, 512, 1024)
Clock = Callable[[], float]


@dataclass(frozen=True)
class ProductTimes:
    """Seconds, the least of several repetitions, of a product of two `size` x `size` matrices.

    `alone` on one core; `half` of it alone; `adding` two results; `handing` two threads nothing to
    do; `shared` on two cores, parts added.
    """

    size: int
    alone: float
    half: float
    adding: float
    handing: float
    shared: float

    @property
    def forecast(self) -> float:
        """Seconds that the shared product should take: one half, the sum, the handing over."""
        return self.half + self.adding + self.handing

    @property
    def gain(self) -> float:
        """How many times as fast two cores are."""
        return self.alone / self.shared

    @property
    def forecast_gain(self) -> float:
        """How many times as fast they should be."""
        return self.alone / self.forecast


def shared_product(x: Floats, w: Floats, pool: ThreadPoolExecutor, parts: Floats) -> Floats:
    """Return x times w, made of two halves at once, one in each of `parts`, shape (2, n, n)."""
    middle = len(w) // 2
    cuts = (slice(None, middle), slice(middle, None))
    list(pool.map(lambda i: np.matmul(x[:, cuts[i]], w[cuts[i]], out=parts[i]), (0, 1)))
    return np.asarray(np.add(parts[0], parts[1], out=parts[0]))


def time_products(
    sizes: Sequence[int] = SIZES, repeats: int = 9, clock: Clock = perf_counter
) -> list[ProductTimes]:
    """Return the times of products of several sizes, each thread on one core."""
    from threadpoolctl import threadpool_limits

    count = whole("repeats", repeats, 1)
    with threadpool_limits(1), ThreadPoolExecutor(2) as pool:
        return [_times(whole("sizes", size, 2), count, clock, pool) for size in sizes]


def _times(size: int, repeats: int, clock: Clock, pool: ThreadPoolExecutor) -> ProductTimes:
    rng = np.random.default_rng(size)
    x, w = rng.random((2, size, size))
    parts, middle = np.empty((2, size, size)), size // 2

    def least(work: Callable[[], object]) -> float:
        def run() -> None:
            work()

        return float(timed_in_turns([run], repeats, clock=clock).min())

    return ProductTimes(
        size=size,
        alone=least(lambda: np.matmul(x, w, out=parts[0])),
        half=least(lambda: np.matmul(x[:, :middle], w[:middle], out=parts[0])),
        adding=least(lambda: np.add(parts[0], parts[1], out=parts[0])),
        handing=least(lambda: list(pool.map(abs, (0, 1)))),
        shared=least(lambda: shared_product(x, w, pool, parts)),
    )


def conclusion(times: Sequence[ProductTimes]) -> str:
    """Return a sentence about where two cores are faster, and how far the forecasts were off.

    >>> slow = ProductTimes(64, 1e-5, 6e-6, 1e-6, 5e-6, 2e-5)
    >>> fast = ProductTimes(512, 4e-3, 2e-3, 1e-4, 5e-6, 2.2e-3)
    >>> conclusion([slow, fast]).split(". ")[0]
    'Two cores are faster from n = 512; the forecast says from n = 512'
    >>> late = ProductTimes(1024, 3e-2, 1.6e-2, 1e-3, 5e-6, 3.2e-2)
    >>> conclusion([slow, fast, late]).split("; ")[0]
    'Two cores are faster at n = 512, but not at the largest n'
    """

    def since(gains: list[float]) -> str:
        worth = [t.size for t, gain in zip(times, gains, strict=True) if gain > 1]
        if not worth:
            return "nowhere"
        lost = [index for index, gain in enumerate(gains) if gain <= 1]
        first = lost[-1] + 1 if lost else 0
        if first < len(gains):
            return f"from n = {times[first].size}"
        return f"at n = {', '.join(map(str, worth))}, but not at the largest n"

    gained, forecast = since([t.gain for t in times]), since([t.forecast_gain for t in times])
    last = times[-1]
    behind = last.shared / last.forecast - 1
    rest = (
        f"At n = {last.size} the shared product took {100 * behind:.0f} % longer than forecast."
        if behind > 0.1
        else f"At n = {last.size} the forecast was within 10 %, or too pessimistic."
    )
    return f"Two cores are faster {gained}; the forecast says {forecast}. {rest}"
