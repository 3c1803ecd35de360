"""An Adam step on this machine: its time per element, compared with the bytes that it must move.

Expressions let NumPy make whole temporary arrays. Blocks are updated in place while they are in the
cache. The time per element, times the bandwidth of a plain loop, is the number of bytes that a step
seems to move per element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.offloading.cxl_alloc.adam import (
    ARRAYS,
    MOVED,
    MUST,
    WORD,
    Singles,
    in_expressions,
    states,
)
from perfmodel.labs.offloading.cxl_alloc.tasks import in_blocks
from perfmodel.measurement import median_interval, timed_in_turns
from perfmodel.validation import whole

Clock = Callable[[], float]

SIZES = tuple(2**power for power in range(14, 23))
LOOPED = 2**20
"""Elements that a sample goes over at least."""


@dataclass(frozen=True)
class AdamTimes:
    """Medians with the ends of their 95 % intervals, of four arrays of `elements` each.

    `rate` is in bytes/s, of multiplying an array of the four's bytes in place, read and written;
    `expressions` and `blocks` are seconds an element of the Adam step, either way.
    """

    elements: int
    rate: tuple[float, float, float]
    expressions: tuple[float, float, float]
    blocks: tuple[float, float, float]

    @property
    def bytes(self) -> int:
        """Bytes of the four arrays."""
        return ARRAYS * WORD * self.elements

    @property
    def moved(self) -> tuple[float, float]:
        """Bytes an element that the plain loop would move in either way's time."""
        return self.expressions[0] * self.rate[0], self.blocks[0] * self.rate[0]


def time_adam(
    sizes: Sequence[int] = SIZES, repeats: int = 11, clock: Clock = perf_counter
) -> list[AdamTimes]:
    """Return the times of Adam steps of `sizes` elements, on one core; small sizes are looped."""
    count = whole("repeats", repeats, 6)
    results = []
    for size in sizes:
        arrays = states(size)
        plain = np.ones(ARRAYS * size, dtype=np.float32)
        often = max(1, LOOPED // size)

        def multiply(plain: Singles = plain) -> object:
            return np.multiply(plain, 1.0, out=plain)

        def timed(work: Callable[[], object], often: int = often) -> NDArray[np.float64]:
            return _samples(work, count, often, clock)

        results.append(
            AdamTimes(
                size,
                _middle(2 * WORD * plain.size / timed(multiply)),
                _middle(timed(partial(in_expressions, *arrays)) / size),
                _middle(timed(partial(in_blocks, *arrays)) / size),
            )
        )
    return results


def knee(times: Sequence[AdamTimes], fall: float = 1.3) -> float | None:
    """Return the bytes from which the plain loop gets slower, None if it doesn't.

    It does if the fastest rate is `fall` times that of the largest size. The knee is the geometric
    middle of the two sizes between which the rate passes that of both rates.
    """
    rates = np.array([each.rate[0] for each in times])
    if rates.max() < fall * rates[-1]:
        return None
    middle = np.sqrt(rates.max() * rates[-1])
    last = max(index for index in range(len(rates)) if rates[index] >= middle)
    return float(np.sqrt(times[last].bytes * times[last + 1].bytes))


def conclusion(times: Sequence[AdamTimes]) -> str:
    """Return in words where the knee is and how many bytes an element the largest step moves."""
    last, knee_bytes = times[-1], knee(times)
    where = (
        "No knee showed: the plain loop is about equally fast in arrays of all sizes."
        if knee_bytes is None
        else f"The plain loop leaves the caches at about {knee_bytes / 1e6:.2g} MB."
    )
    written, blocks = last.moved
    said = (
        "At that loop's rate, the largest Adam step in expressions would move "
        f"{written:.0f} bytes per element (counted: {MOVED}). In blocks it would move "
        f"{blocks:.0f} (counted: {MUST})."
    )
    ways = (last.rate, last.expressions, last.blocks)
    spread = max((high - low) / 2 / middle for middle, low, high in ways)
    if spread > 0.2:
        return f"{where} {said} An interval is ±{100 * spread:.0f} % wide, so measure again."
    reasons = []
    if written > 1.3 * MOVED:
        reasons.append(
            "Expressions take longer than their bytes explain. Each large temporary array may be "
            "new memory, which the system clears first."
        )
    if blocks > 1.3 * MUST:
        reasons.append(
            "Blocks take longer than their bytes explain. Their data may wait in the cache while "
            "the core does its twelve operations on each number."
        )
    if not reasons:
        reasons.append("The counted bytes explain both times.")
    return " ".join([where, said, *reasons])


def _samples(
    work: Callable[[], object], repeats: int, often: int, clock: Clock
) -> NDArray[np.float64]:
    def loop() -> None:
        for _ in range(often):
            work()

    return np.asarray(timed_in_turns([loop], repeats, clock=clock)[0] / often)


def _middle(samples: NDArray[np.float64]) -> tuple[float, float, float]:
    low, high = median_interval(samples)
    return float(np.median(samples)), float(low), float(high)
