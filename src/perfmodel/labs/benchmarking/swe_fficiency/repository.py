"""A tiny repository: six slow functions, an expert's version of each, and an agent's patches.

The agent did what agents do: it left two functions alone, got halfway with two, equalled the expert
once, and broke one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

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
