"""Programs timed in turns, so that a change of the machine's pace meets all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from perfmodel.validation import Floats, whole


def timings(
    calls: Sequence[Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> Floats:
    """Return the seconds of each call in each of some rounds, after a round that isn't kept.

    Each round calls all of them once, in their order. The result has the shape (calls, rounds).

    >>> ticks = iter(range(100))
    >>> print(timings([list, dict], 2, clock=lambda: next(ticks)))
    [[1. 1.]
     [1. 1.]]
    """
    if not calls:
        raise ValueError("calls must hold one or more, got none")
    seconds = np.empty((1 + whole("rounds", rounds, 2), len(calls)))
    for row in seconds:
        for place, call in enumerate(calls):
            began = clock()
            call()
            row[place] = clock() - began
    return seconds[1:].T
