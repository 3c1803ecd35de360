"""A decoder's step on your machine: fixed weights, and keys and values that grow.

A step multiplies a matrix of weights by a vector, the keys by a query, and the values by the
scores. All three are read once and used once, so that memory sets the time. Weights and cache are
timed apart, the step is timed whole, and the length at which they are even is forecast from one
and read off the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
import threadpoolctl

from perfmodel.measurement import median_interval, timed_in_turns
from perfmodel.validation import Floats, whole

WIDTH = 1024
"""Numbers of a key, a value and a row of weights, of 4 bytes each."""
ROWS = 20_480
"""Of weights: 80 MiB."""
CONTEXTS = (1024, 2816, 4608, 6400, 8192, 10_240)
"""Tokens in the cache; the last weigh as much as all weights."""
ROUNDS = 15
STRAIGHT = 0.9
"""Share of the variance between contexts that a line must explain to be called one."""
WIDE = 1.5
"""An interval whose ends are this many times apart says nothing."""
Clock = Callable[[], float]


@dataclass(frozen=True, eq=False)
class StepTimes:
    """Seconds, a row a round."""

    contexts: Floats
    """Tokens, shape (n,)."""
    steps: Floats
    """Of the whole step at each context, shape (rounds, n)."""
    weights: Floats
    """Of the weights alone, shape (rounds,)."""
    cache: Floats
    """Of the cache alone at the longest context, shape (rounds,)."""

    @property
    def lines(self) -> tuple[Floats, Floats]:
        """Seconds at an empty cache and seconds a token, from a line through each round."""
        slope, start = np.polyfit(self.contexts, self.steps.T, 1)
        return np.asarray(start), np.asarray(slope)

    @property
    def straight(self) -> float:
        """The share of the variance of medians that a line explains."""
        medians = np.median(self.steps, axis=0)
        line = np.polyval(np.polyfit(self.contexts, medians, 1), self.contexts)
        return float(1 - ((medians - line) ** 2).sum() / ((medians - medians.mean()) ** 2).sum())

    @property
    def forecast(self) -> Floats:
        """Tokens at which cache and weights are even, from the two timed apart; one a round."""
        return np.asarray(self.weights / (self.cache / self.contexts[-1]))

    @property
    def measured(self) -> Floats:
        """Tokens at which the growing part of the whole step is even with the rest of it."""
        start, slope = self.lines
        return np.asarray(start / np.where(slope > 0, slope, np.nan))

    def ratio(self) -> tuple[float, float, float]:
        """Return the median of forecast over measured, and its interval's ends (95 %).

        >>> contexts = np.array([0.0, 10.0, 20.0])
        >>> steps = np.tile(2.0 + 0.1 * contexts, (7, 1))
        >>> times = StepTimes(contexts, steps, np.full(7, 2.0), np.full(7, 2.0))
        >>> print(np.round(times.ratio(), 6))
        [1. 1. 1.]
        """
        ratios = self.forecast / self.measured
        low, high = median_interval(ratios)
        return float(np.median(ratios)), low, high


def time_steps(
    rounds: int = ROUNDS,
    *,
    rows: int = ROWS,
    width: int = WIDTH,
    contexts: Sequence[int] = CONTEXTS,
    clock: Clock = perf_counter,
) -> StepTimes:
    """Time whole steps and their parts in turn, on one core, so that a slow moment meets all.

    One round more is made first and left out; three `contexts` (tokens) or more, rising.
    """
    count = whole("rounds", rounds, 6)
    lengths = [whole("contexts", length, 1) for length in contexts]
    if len(lengths) < 3 or sorted(set(lengths)) != lengths:
        raise ValueError(f"contexts must be 3 or more rising lengths, got {contexts!r}")
    rng = np.random.default_rng(0)
    wide = whole("width", width, 1)

    def filled(height: int) -> Floats:
        return np.asarray(rng.random((height, wide), np.float32) - 0.5)

    weights, keys, values = filled(whole("rows", rows, 1)), filled(lengths[-1]), filled(lengths[-1])
    vector = filled(1)[0]

    def read_weights() -> None:
        weights @ vector

    def read_cache(length: int) -> None:
        (keys[:length] @ vector) @ values[:length]

    def step(length: int) -> None:
        read_weights()
        read_cache(length)

    works: list[Callable[[], None]] = [partial(step, length) for length in lengths]
    works += [read_weights, partial(read_cache, lengths[-1])]
    with threadpoolctl.threadpool_limits(1):
        measured = timed_in_turns(works, count, clock=clock)
    return StepTimes(np.array(lengths, float), measured[:-2].T, measured[-2], measured[-1])


def conclusion(times: StepTimes) -> str:
    """Return a sentence that compares the forecast with the measured times."""
    message = (
        f"Cache and weights are even at {np.median(times.forecast):,.0f} tokens by the forecast"
    )
    if not (np.isfinite(times.measured).all() and times.straight >= STRAIGHT):
        return (
            f"{message}. The steps don't lie near enough to a rising line for a measured value. "
            "Another program may have used the machine, or a processor cache may hold all data."
        )
    middle, low, high = times.ratio()
    message += (
        f", and at {np.median(times.measured):,.0f} measured. Forecast over measured is "
        f"{middle:.2f} ({low:.2f} to {high:.2f} with 95 % confidence). "
    )
    if high > WIDE * low:
        return message + "That is too wide to tell. Repeat it on a quiet machine."
    if low <= 1 <= high:
        return (
            message
            + "The separate times of the parts forecast the whole, as far as these rounds show."
        )
    side = "too long" if low > 1 else "too short"
    return message + (
        f"The forecast is {side}. Together the parts don't take the sum of their separate times. A "
        "processor cache may keep one of them, or a call may cost time."
    )
