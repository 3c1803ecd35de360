"""What twelve programs cost on the reader's machine, by count and by clock."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from perfmodel.benchmarking.counting.bytecodes import count_bytecodes
from perfmodel.labs.benchmarking.dpe_evalperf.window_maxima import PROGRAMS
from perfmodel.measurement.runs import timed
from perfmodel.validation import Floats, whole


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
    """Measure all programs on one input, the clock in rounds through all of them.

    A count is the same each time; the clock's shortest call of three is taken in each round.

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
