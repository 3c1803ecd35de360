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

    Parameters
    ----------
    calls : sequence of callable
        One or more.
    rounds : int
        2 or more; each calls all of them once, in their order.
    clock : callable
        Returns seconds.

    Returns
    -------
    ndarray, shape (calls, rounds)

    Raises
    ------
    ValueError
        If there is no call, or less than two rounds.

    Examples
    --------
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
