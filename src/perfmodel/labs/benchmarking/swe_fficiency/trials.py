"""The tiny repository timed: ratios with intervals, and gains that aren't there under noise.

A tiny repository: six slow functions, an expert's version of each, and an agent's patches.

The agent did what agents do: it left two functions alone, got halfway with two, equalled the expert
once, and broke one.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from perfmodel.benchmarking import harmonic_mean
from perfmodel.measurement import Comparison, compare
from perfmodel.validation import Floats, positive, whole

Program = Callable[[Any], Any]


@dataclass(frozen=True)
class Pair:
    """A function before any edit, the expert's version and the agent's, and what they are run on.

    >>> pair = REPOSITORY[0]
    >>> pair.passes(pair.expert), pair.name
    (True, 'count words')
    """

    name: str
    slow: Program
    expert: Program
    agent: Program
    workload: Any

    def passes(self, program: Program) -> bool:
        """Return whether `program` gives on the workload what the slow version gives."""
        return bool(np.allclose(program(self.workload), self.slow(self.workload), rtol=1e-9))

    @property
    def scored(self) -> Program:
        """What counts as the agent's: its patch, or the slow version where the patch fails."""
        return self.agent if self.passes(self.agent) else self.slow


def _counts_by_scan(words: list[int]) -> list[int]:
    return sorted(words.count(word) for word in set(words))


def _counts_by_table(words: list[int]) -> list[int]:
    return sorted(Counter(words).values())


def _sums_again(values: list[float]) -> list[float]:
    return [sum(values[: i + 1]) for i in range(len(values))]


def _sums_kept(values: list[float]) -> list[float]:
    return list(accumulate(values))


def _sums_by_array(values: list[float]) -> list[float]:
    table = np.asarray(values)
    return [float(table[: i + 1].sum()) for i in range(len(values))]


def _distances_by_loop(points: np.ndarray) -> float:
    total = 0.0
    for a in points:
        for b in points:
            total += ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5
    return total


def _distances_by_rows(points: np.ndarray) -> float:
    return float(sum(np.hypot(*(points - a).T).sum() for a in points))


def _distances_at_once(points: np.ndarray) -> float:
    apart = points[:, None, :] - points[None, :, :]
    return float(np.hypot(apart[..., 0], apart[..., 1]).sum())


def _power_sums(numbers: list[float]) -> list[float]:
    return [sum(c * x**k for k, c in enumerate((1.0, 0.5, 0.25, 0.125))) for x in numbers]


def _power_sums_nested(numbers: list[float]) -> list[float]:
    return [1.0 + x * (0.5 + x * (0.25 + x * 0.125)) for x in numbers]


def _power_sums_wrong(numbers: list[float]) -> list[float]:
    return [1.0 + x * (0.5 + x * 0.25) for x in numbers]


def _smallest_by_sorting(values: np.ndarray) -> list[float]:
    found = []
    left = sorted(values.tolist())
    for _ in range(5):
        found.append(left[0])
        left = sorted(left[1:])
    return found


def _smallest_by_part(values: np.ndarray) -> list[float]:
    return [float(value) for value in np.sort(np.partition(values, 5)[:5])]


def _common_by_lists(both: tuple[list[int], list[int]]) -> list[int]:
    return sorted({a for a in both[0] if a in both[1]})


def _common_by_sets(both: tuple[list[int], list[int]]) -> list[int]:
    return sorted(set(both[0]) & set(both[1]))


_RNG = np.random.default_rng(13)
REPOSITORY = (
    Pair(
        "count words",
        _counts_by_scan,
        _counts_by_table,
        _counts_by_table,
        _RNG.integers(200, size=1500).tolist(),
    ),
    Pair("running sums", _sums_again, _sums_kept, _sums_by_array, _RNG.uniform(size=600).tolist()),
    Pair(
        "distances",
        _distances_by_loop,
        _distances_at_once,
        _distances_by_rows,
        _RNG.uniform(size=(60, 2)),
    ),
    Pair(
        "polynomials",
        _power_sums,
        _power_sums_nested,
        _power_sums_wrong,
        _RNG.uniform(size=2000).tolist(),
    ),
    Pair(
        "five smallest",
        _smallest_by_sorting,
        _smallest_by_part,
        _smallest_by_sorting,
        _RNG.uniform(size=5000),
    ),
    Pair(
        "common items",
        _common_by_lists,
        _common_by_sets,
        _common_by_lists,
        (_RNG.integers(5000, size=500).tolist(), _RNG.integers(5000, size=500).tolist()),
    ),
)
"""The six tasks."""


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
    """Time a pair in interleaved blocks; a patch that fails counts as no edit."""
    slow, work = pair.slow, pair.workload
    comparisons = [
        compare(partial(slow, work), partial(program, work), max_seconds=seconds, detect=0.1)
        for program in (pair.expert, pair.scored)
    ]
    return Trial(pair.name, comparisons[0], comparisons[1], pair.passes(pair.agent))


def repository_score(trials: Sequence[Trial]) -> float:
    """Return the harmonic mean of the agent's ratios."""
    return float(harmonic_mean([trial.ratio for trial in trials]))


def score_range(trials: Sequence[Trial]) -> tuple[float, float]:
    """Return from where to where the score can lie if all intervals hold the truth."""
    ends = [trial.ratio_range for trial in trials]
    low, high = (float(harmonic_mean([pair[end] for pair in ends])) for end in (0, 1))
    return low, high


def lone_speedups(pair: Pair, repeats: int = 8) -> Floats:
    """Return "speedups" of the slow version over itself: 1 on a machine without noise."""
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
