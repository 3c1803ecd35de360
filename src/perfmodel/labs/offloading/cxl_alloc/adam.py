"""An Adam step here: its time for an element by size, beside the bytes that it must move.

`in_expressions` writes the formulas down and lets NumPy make whole arrays on the way; `in_blocks`
works in place and finishes a block while it is in the cache. Time, times a bandwidth measured by a
plain loop, is the bytes an element that a step seems to move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from perfmodel.measurement import median_interval
from perfmodel.validation import whole

Singles = NDArray[np.float32]
Clock = Callable[[], float]

WORD = 4
"""Bytes of a number in single precision."""
ARRAYS = 4
"""Weights, momentum, variance, gradients."""
MUST = (4 + 3) * WORD
"""Bytes an element that any way moves: four arrays read, three written."""
PASSES = {
    "0.9 m": 3,
    "0.1 g": 3,
    "their sum": 3,
    "into m": 3,
    "0.95 v": 3,
    "0.05 g": 3,
    "0.05 g g": 3,
    "sum of both": 3,
    "into v": 3,
    "root of v": 3,
    "plus a small number": 2,
    "0.0001 m": 3,
    "quotient": 3,
    "w less that": 3,
}
"""Words an element that each operation on whole arrays moves: what it reads, what it writes, and
what it overwrites unread, which is fetched first. NumPy writes into a temporary array where an
operation has one."""
MOVED = WORD * sum(PASSES.values())
"""Bytes an element that `in_expressions` moves where no cache holds the arrays."""
SIZES = tuple(2**power for power in range(14, 23))
LOOPED = 2**20
"""Elements that a sample goes over at least."""
BLOCK = 32_768


def in_expressions(w: Singles, m: Singles, v: Singles, g: Singles) -> Singles:
    """Do one Adam step on the weights w, and return them."""
    m[:] = 0.9 * m + 0.1 * g
    v[:] = 0.95 * v + 0.05 * g * g
    w -= 1e-4 * m / (np.sqrt(v) + 1e-8)
    return w


def in_blocks(w: Singles, m: Singles, v: Singles, g: Singles) -> Singles:
    """Do what `in_expressions` does, in place and block by block."""
    room = np.empty(min(BLOCK, w.size), w.dtype)
    for start in range(0, w.size, BLOCK):
        own = slice(start, start + BLOCK)
        weights, mean, square, gradient = w[own], m[own], v[own], g[own]
        work = room[: weights.size]
        mean *= 0.9
        np.multiply(gradient, 0.1, out=work)
        mean += work
        square *= 0.95
        np.multiply(gradient, gradient, out=work)
        work *= 0.05
        square += work
        np.sqrt(square, out=work)
        work += 1e-8
        np.divide(mean, work, out=work)
        work *= 1e-4
        weights -= work
    return w


def states(size: int) -> tuple[Singles, Singles, Singles, Singles]:
    """Return weights, momentum, variance and gradients.

    Parameters
    ----------
    size : int
        Elements of each, 1 or more.
    """
    count = whole("size", size, 1)
    ramp = np.linspace(0.5, 1.5, count, dtype=np.float32)
    return ramp.copy(), 0.1 * ramp, 0.2 * ramp, ramp[::-1].copy()


@dataclass(frozen=True)
class AdamTimes:
    """Medians with the ends of their 95 % intervals, of arrays of one size.

    Attributes
    ----------
    elements : int
        Of each of the four arrays.
    rate : tuple of float
        Bytes/s of multiplying an array of the four's bytes in place, read and written.
    expressions, blocks : tuple of float
        Seconds an element of the Adam step, either way.
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
    """Return the times of Adam steps of several sizes, on one core.

    Parameters
    ----------
    sizes : sequence of int
        Elements, 1 or more.
    repeats : int
        Samples of each, 6 or more; small sizes are looped in a sample.
    clock : callable
        Returns seconds.
    """
    count = whole("repeats", repeats, 6)
    found = []
    for size in sizes:
        arrays = states(size)
        plain = np.ones(ARRAYS * size, dtype=np.float32)
        often = max(1, LOOPED // size)

        def multiply(plain: Singles = plain) -> object:
            return np.multiply(plain, 1.0, out=plain)

        def timed(work: Callable[[], object], often: int = often) -> NDArray[np.float64]:
            return _samples(work, count, often, clock)

        found.append(
            AdamTimes(
                size,
                _middle(2 * WORD * plain.size / timed(multiply)),
                _middle(timed(partial(in_expressions, *arrays)) / size),
                _middle(timed(partial(in_blocks, *arrays)) / size),
            )
        )
    return found


def knee(times: Sequence[AdamTimes], fall: float = 1.3) -> float | None:
    """Return the bytes from which the plain loop gets slower, None if it doesn't.

    Parameters
    ----------
    times : sequence of AdamTimes
        By rising size.
    fall : float
        What the quickest rate must be over that of the largest size for there to be a knee. It is
        the geometric middle of the two sizes between which the rate passes that of both rates.
    """
    rates = np.array([each.rate[0] for each in times])
    if rates.max() < fall * rates[-1]:
        return None
    middle = np.sqrt(rates.max() * rates[-1])
    last = max(place for place in range(len(rates)) if rates[place] >= middle)
    return float(np.sqrt(times[last].bytes * times[last + 1].bytes))


def verdict(times: Sequence[AdamTimes]) -> str:
    """Return in words where the knee is and how many bytes an element the largest step moves.

    Parameters
    ----------
    times : sequence of AdamTimes
        By rising size.
    """
    last, place = times[-1], knee(times)
    where = (
        "No knee showed: the plain loop is about as fast in the largest arrays as in any."
        if place is None
        else f"The plain loop leaves the caches at about {place / 1e6:.2g} MB."
    )
    written, blocks = last.moved
    said = (
        f"In the time of the largest Adam step that loop moves {written:.0f} bytes an element if "
        f"the step is written in expressions ({MOVED} counted), and {blocks:.0f} if it goes in "
        f"blocks ({MUST} counted)."
    )
    ways = (last.rate, last.expressions, last.blocks)
    spread = max((high - low) / 2 / middle for middle, low, high in ways)
    if spread > 0.2:
        return f"{where} {said} An interval reaches {100 * spread:.0f} % to a side: measure again."
    reasons = []
    if written > 1.3 * MOVED:
        reasons.append(
            "Expressions take longer than their bytes: each large temporary array is new memory, "
            "which the system clears before it hands it over."
        )
    if blocks > 1.3 * MUST:
        reasons.append(
            "Blocks take longer than theirs: their data wait in the cache, and one core's twelve "
            "operations on each number are what lasts."
        )
    if not reasons:
        reasons.append("Bytes explain both times.")
    return " ".join([where, said, *reasons])


def _samples(
    work: Callable[[], object], repeats: int, often: int, clock: Clock
) -> NDArray[np.float64]:
    seconds = []
    for _ in range(repeats + 1):
        began = clock()
        for _ in range(often):
            work()
        seconds.append((clock() - began) / often)
    return np.array(seconds[1:])


def _middle(samples: NDArray[np.float64]) -> tuple[float, float, float]:
    low, high = median_interval(samples)
    return float(np.median(samples)), float(low), float(high)
