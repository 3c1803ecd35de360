"""How much of a block copy is hidden while another core multiplies.

By the model of a swap, out and back take 2 z / B seconds, and the part beyond the window of other
work is exposed. Here the copy is inside memory, and the window is a number of products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from perfmodel.measurement import median_interval, timed_in_turns
from perfmodel.validation import Floats, whole

PRODUCTS = (0, 1, 2, 4, 6, 8)
SIZE, WIDTH = 1 << 25, 384
MARGIN = 0.1
"""How far from the forecast the model still holds, as a share of the swap alone."""
Clock = Callable[[], float]


@dataclass(frozen=True, eq=False)
class SwapTimes:
    """Seconds by window (of this many products) and repetition, shape (windows, repeats).

    `swapping` is out and back alone, on the core that also swaps during the products.
    """

    products: tuple[int, ...]
    swapping: Floats
    window: Floats
    together: Floats

    @property
    def forecast(self) -> Floats:
        """Seconds exposed by the model, medians, shape (windows,)."""
        return np.maximum(np.median(self.swapping) - np.median(self.window, axis=1), 0.0)

    @property
    def exposed(self) -> Floats:
        """Seconds that both at once took longer than the products alone, shape of `window`."""
        return np.asarray(self.together - self.window)


def time_swap(
    products: Sequence[int] = PRODUCTS,
    size: int = SIZE,
    width: int = WIDTH,
    repeats: int = 9,
    clock: Clock = perf_counter,
) -> SwapTimes:
    """Measure a swap of `size` bytes, windows of products, and both at once.

    Products are of two width x width matrices; one repetition more goes before.
    """
    from threadpoolctl import threadpool_limits

    count, n = whole("repeats", repeats, 1), whole("width", width, 1)
    block = np.ones(whole("size", size, 1), np.uint8)
    away = np.empty_like(block)
    left, right = np.random.default_rng(0).random((2, n, n), np.float32)
    out = np.empty_like(left)

    def swap() -> None:
        np.copyto(away, block)
        np.copyto(block, away)

    def multiply(times: int) -> None:
        for _ in range(times):
            np.matmul(left, right, out=out)

    def both(times: int) -> None:
        begun = pool.submit(swap)
        multiply(times)
        begun.result()

    works: list[Callable[[], None]] = [lambda: both(0)]
    for times in products:
        many = whole("products", times)
        works += [lambda many=many: multiply(many), lambda many=many: both(many)]  # type: ignore[misc]
    with threadpool_limits(1), ThreadPoolExecutor(1) as pool:
        seconds = timed_in_turns(works, count, clock=clock)
    return SwapTimes(tuple(products), seconds[0], seconds[1::2], seconds[2::2])


def conclusion(times: SwapTimes) -> str:
    """Return a sentence that compares the exposed time of the longest window with the forecast.

    The model holds if the whole 95 % interval of the measured median is within a `MARGIN` of the
    swap's own time around the forecast. It fails if the whole interval is outside. Fewer than six
    repetitions are too few to say.
    """
    low, high = median_interval(times.exposed[-1])
    if not np.isfinite([low, high]).all():
        return "There are too few runs to say how much was hidden."
    alone, forecast = float(np.median(times.swapping)), float(times.forecast[-1])
    window, margin = float(np.median(times.window[-1])), MARGIN * alone
    facts = (
        f"The swap alone takes {1e3 * alone:.2g} ms and the longest window {1e3 * window:.2g} ms. "
        f"So the model predicts {1e3 * forecast:.2g} ms exposed. Measured: "
        f"{1e3 * low:.2g} to {1e3 * high:.2g} ms (95 %)."
    )
    if low >= forecast - margin and high <= forecast + margin:
        return f"The model holds here, to {100 * MARGIN:.0f} % of the swap. {facts}"
    if low > forecast + margin:
        return (
            f"More time is exposed than predicted. {facts} Copy and products slow each other, "
            "through shared memory or a core that another program needs."
        )
    if high < forecast - margin:
        return (
            f"Less time is exposed than predicted. {facts} One of the two ran faster during the "
            "other than alone, so the separate times don't describe the parts."
        )
    return f"The scatter is too large to say whether the model holds. {facts}"
