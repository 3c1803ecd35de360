"""The clock: how fine it is, and how many calls make a sample that it can see."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import repeat
from math import ceil, inf

Clock = Callable[[], int]
"""Returns nanoseconds, ever more."""

MAX_SAMPLES = 5000
"""A sample lasts at least this part of the time allowed, so that there are no more of them."""
TICKS = 1000
"""A sample lasts at least this many ticks of the clock, unless that is a 20th of the time."""


def clock_resolution(clock: Clock = time.perf_counter_ns) -> float:
    """Return the smallest step that readings of a clock show, in seconds.

    It includes the time to read the clock. A clock that stands still between readings, as a
    simulated one may, gets one nanosecond, its unit.

    >>> now = iter(range(0, 10**6, 30))
    >>> round(1e9 * clock_resolution(lambda: next(now)))
    30
    """
    smallest, seen, last = inf, 0, clock()
    for _ in range(20_000):
        now = clock()
        if now > last:
            smallest, seen = min(smallest, now - last), seen + 1
            if seen == 100:
                break
        last = now
    return 1e-9 * (smallest if seen else 1)


def time_calls(function: Callable[[], object], inner: int, clock: Clock) -> float:
    """Return the seconds a call over `inner` calls of `function` in a row, by `clock`.

    The loop's few nanoseconds are included.

    >>> ticks = iter([0, 3000])
    >>> round(1e9 * time_calls(lambda: None, 3, lambda: next(ticks)))
    1000
    """
    loop = repeat(None, inner)
    began = clock()
    for _ in loop:
        function()
    elapsed = clock() - began
    if elapsed < 0:
        raise RuntimeError(f"the clock went backwards by {-elapsed} ns during a sample")
    return 1e-9 * elapsed / inner


def calibrate(function: Callable[[], object], seconds: float, clock: Clock) -> int:
    """Return the calls of `function` that make a sample last at least `seconds` on `clock`.

    A clock that shows less than a nanosecond a call over a million calls is refused.

    >>> now = iter(range(0, 10**9, 50_000))
    >>> calibrate(lambda: None, 1e-6, lambda: next(now))
    1
    """
    inner = 1
    while (elapsed := inner * time_calls(function, inner, clock)) < seconds:
        if inner >= 2**20 and elapsed < 1e-9 * inner:
            raise RuntimeError(f"the clock hardly advanced over {inner} calls of the function")
        wanted = ceil(1.1 * inner * seconds / elapsed) if elapsed else inf
        inner = int(max(2 * inner, min(10 * inner, wanted)))
    return inner


def sample_seconds(resolution: float, allowed: float) -> float:
    """Return how long a sample should last, from a clock's tick and the time for all, in seconds.

    >>> sample_seconds(1e-7, 1.0), sample_seconds(1e-3, 1.0)
    (0.0002, 0.05)
    """
    return max(min(TICKS * resolution, allowed / 20), allowed / MAX_SAMPLES)
