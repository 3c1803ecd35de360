"""Twelve correct programs for one task: the largest of the last `width` values, at every place.

Written as people and models write it: from scanning each window again to remembering what can still
become the largest.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from perfmodel.benchmarking.counting.bytecodes import count_bytecodes
from perfmodel.measurement.runs import timed
from perfmodel.validation import Floats, whole

Program = Callable[[list[int], int], list[int]]


def nested_loops(values: list[int], width: int) -> list[int]:
    """Look at every value of every window."""
    found = []
    for start in range(len(values) - width + 1):
        best = values[start]
        for offset in range(1, width):
            if values[start + offset] > best:
                best = values[start + offset]
        found.append(best)
    return found


def nested_while(values: list[int], width: int) -> list[int]:
    """The same, counting by hand."""
    found = []
    start = 0
    while start + width <= len(values):
        place = start
        best = values[start]
        while place < start + width:
            if values[place] > best:
                best = values[place]
            place = place + 1
        found.append(best)
        start = start + 1
    return found


def sort_windows(values: list[int], width: int) -> list[int]:
    """Sort every window and take its end."""
    return [sorted(values[i : i + width])[-1] for i in range(len(values) - width + 1)]


def built_in(values: list[int], width: int) -> list[int]:
    """Let `max` scan every window."""
    return [max(values[i : i + width]) for i in range(len(values) - width + 1)]


def generator(values: list[int], width: int) -> list[int]:
    """Let `max` scan a generator of every window."""
    return [max(values[i + j] for j in range(width)) for i in range(len(values) - width + 1)]


def rescan_if_lost(values: list[int], width: int) -> list[int]:
    """Keep the largest, and scan again only when it leaves the window."""
    best = max(values[:width])
    found = [best]
    for i in range(width, len(values)):
        if values[i] >= best:
            best = values[i]
        elif values[i - width] == best:
            best = max(values[i - width + 1 : i + 1])
        found.append(best)
    return found


def candidates(values: list[int], width: int) -> list[int]:
    """Keep those that can still become the largest, in a double-ended queue."""
    found, queue = [], deque[int]()
    for i, value in enumerate(values):
        while queue and values[queue[-1]] <= value:
            queue.pop()
        queue.append(i)
        if queue[0] <= i - width:
            queue.popleft()
        if i >= width - 1:
            found.append(values[queue[0]])
    return found


def candidates_in_list(values: list[int], width: int) -> list[int]:
    """The same in a list, whose first element is costly to remove."""
    found = []
    queue: list[int] = []
    for i in range(len(values)):
        while len(queue) > 0 and values[queue[-1]] <= values[i]:
            queue.pop()
        queue.append(i)
        if queue[0] <= i - width:
            queue.pop(0)
        if i >= width - 1:
            found.append(values[queue[0]])
    return found


def heap(values: list[int], width: int) -> list[int]:
    """Keep a heap, and drop what has left the window when it comes to the top."""
    found = []
    pile: list[tuple[int, int]] = []
    for i, value in enumerate(values):
        heapq.heappush(pile, (-value, i))
        if i >= width - 1:
            while pile[0][1] <= i - width:
                heapq.heappop(pile)
            found.append(-pile[0][0])
    return found


def sorted_window(values: list[int], width: int) -> list[int]:
    """Keep the window sorted."""
    window = sorted(values[:width])
    found = [window[-1]]
    for i in range(width, len(values)):
        del window[bisect_left(window, values[i - width])]
        insort(window, values[i])
        found.append(window[-1])
    return found


def blocks(values: list[int], width: int) -> list[int]:
    """Take running maxima of blocks from both ends; a window is the end of one and a start."""
    size = len(values)
    left, right = values[:], values[:]
    for i in range(1, size):
        if i % width and left[i - 1] > left[i]:
            left[i] = left[i - 1]
        j = size - 1 - i
        if (j + 1) % width and right[j + 1] > right[j]:
            right[j] = right[j + 1]
    return [max(right[i], left[i + width - 1]) for i in range(size - width + 1)]


def doubling(values: list[int], width: int) -> list[int]:
    """Take maxima over 1, 2, 4 ... values; two of them overlap to any width."""
    span, table = 1, values
    while 2 * span <= width:
        table = list(map(max, table, table[span:]))
        span *= 2
    return list(map(max, table, table[width - span :]))


PROGRAMS: Mapping[str, Program] = {
    program.__name__: program
    for program in (
        nested_loops,
        nested_while,
        sort_windows,
        built_in,
        generator,
        rescan_if_lost,
        candidates,
        candidates_in_list,
        heap,
        sorted_window,
        blocks,
        doubling,
    )
}
"""By name."""


class ProgramCosts(NamedTuple):
    """Costs of each program in each repetition, both of shape (programs, repetitions)."""

    bytecodes: Floats
    """Instructions of Python's interpreter."""
    seconds: Floats
    """Of one call."""

    def variation(self) -> tuple[Floats, Floats]:
        """Return the coefficients of variation of count and clock, shape (programs,) each."""
        count, clock = (cost.std(axis=1, ddof=1) / cost.mean(axis=1) for cost in self)
        return count, clock


def window_input(size: int, seed: int = 0) -> list[int]:
    """Return whole numbers that mostly fall, the hard case for who keeps the largest.

    >>> len(window_input(5))
    5
    """
    rng = np.random.default_rng(whole("seed", seed))
    falling = np.arange(whole("size", size, 1), 0, -1)
    return [int(v) for v in falling + rng.integers(0, 40, size)]


def measure_programs(
    size: int = 800, width: int = 40, counts: int = 2, rounds: int = 9
) -> ProgramCosts:
    """Measure all programs on one input, by count and, in rounds of the best of three, by clock.

    >>> costs = measure_programs(60, 5, counts=2, rounds=2)
    >>> costs.bytecodes.shape, bool((costs.variation()[0] == 0).all())
    ((12, 2), True)
    """
    values, span = window_input(size), whole("width", width, 1)
    if span > size:
        raise ValueError(f"width must be at most size = {size}, got {width!r}")
    repeats, turns = whole("counts", counts, 2), whole("rounds", rounds, 2)
    counted = [
        [count_bytecodes(program, values, span) for _ in range(repeats)]
        for program in PROGRAMS.values()
    ]
    seconds = np.empty((len(PROGRAMS), turns))
    for turn in range(turns):
        for row, program in enumerate(PROGRAMS.values()):
            seconds[row, turn] = _shortest(partial(program, values, span))
    return ProgramCosts(np.array(counted, dtype=np.float64), seconds)


def _shortest(call: Callable[[], object], calls: int = 3) -> float:
    def run() -> None:
        call()

    return float(timed(run, calls, warmup=0).min())
