"""The tiny repository timed: ratios with intervals, and gains that aren't there under noise."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import NamedTuple

import numpy as np

from perfmodel.benchmarking import harmonic_mean
from perfmodel.labs.benchmarking.swe_fficiency.repository import Pair, Program
from perfmodel.measurement import Comparison, compare
from perfmodel.validation import Floats, positive, whole


class Trial(NamedTuple):
    """A pair of the repository timed: the expert and the agent, each against the slow version."""

    name: str
    expert: Comparison
    agent: Comparison
    passed: bool

    @property
    def ratio(self) -> float:
        """The agent's speedup over the expert's."""
        return self.expert.ratio / self.agent.ratio

    @property
    def ratio_range(self) -> tuple[float, float]:
        """From where to where `ratio` can lie if both comparisons' intervals hold the truth."""
        fast, slow = self.expert.interval, self.agent.interval
        return fast[0] / slow[1], fast[1] / slow[0]


def timed_pair(pair: Pair, seconds: float = 0.4) -> Trial:
    """Time a pair of the repository in interleaved blocks.

    `seconds` are for each of the two comparisons; a patch that fails counts as no edit.
    """
    slow, work = pair.slow, pair.workload
    found = [
        compare(partial(slow, work), partial(program, work), max_seconds=seconds, detect=0.1)
        for program in (pair.expert, pair.scored)
    ]
    return Trial(pair.name, found[0], found[1], pair.passes(pair.agent))


def repository_score(trials: Sequence[Trial]) -> float:
    """Return the harmonic mean of the agent's ratios."""
    return float(harmonic_mean([trial.ratio for trial in trials]))


def score_range(trials: Sequence[Trial]) -> tuple[float, float]:
    """Return from where to where the score can lie if all intervals hold the truth."""
    ends = [trial.ratio_range for trial in trials]
    low, high = (float(harmonic_mean([pair[end] for pair in ends])) for end in (0, 1))
    return low, high


def lone_speedups(pair: Pair, repeats: int = 8) -> Floats:
    """Return "speedups" of the slow version over itself, each from one run before and one after.

    All would be 1 on a machine without noise.
    """
    times = [_once(pair.slow, pair.workload) for _ in range(2 * whole("repeats", repeats, 1))]
    before, after = np.reshape(positive("times", times), (-1, 2)).T
    return np.asarray(before / after)


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Keep `count` processes of this machine busy for as long as the block runs."""
    loop = [sys.executable, "-c", "while True: pass"]
    started = [subprocess.Popen(loop) for _ in range(whole("count", count))]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def _once(program: Program, workload: object) -> float:
    began = perf_counter()
    program(workload)
    return perf_counter() - began
