"""Two copies of one function, timed on the reader's machine in three ways.

In a pair, each copy is timed by one run, by the best of five or by the median of 25. The runs of
the third way alternate between the old and the new copy, so both meet the same disturbances. The
runs of the other two ways don't, as in a script that times one program after the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from perfmodel.validation import Floats, whole

SOURCE = """
def work():
    total = 0
    for i in range(400):
        total += i * i % 7
    return total
"""
WAYS = {"one run": 1, "best of 5": 5, "median of 25, interleaved": 25}
"""Ways to time a copy, with the runs that each takes."""


@dataclass(frozen=True, eq=False)
class TwinTimes:
    """Seconds of the old and of the new copy in each pair, shape (pairs,) each, by way."""

    old: dict[str, Floats]
    new: dict[str, Floats]

    def ratios(self, way: str) -> Floats:
        """Return old time over new time of each pair, `way` a key of `WAYS`."""
        return self.old[way] / self.new[way]


def two_copies() -> tuple[Callable[[], int], Callable[[], int]]:
    """Return two functions compiled from the same source.

    >>> old, new = two_copies()
    >>> old is new, old() == new()
    (False, True)
    """
    copies: list[Callable[[], int]] = []
    for _ in range(2):
        space: dict[str, Callable[[], int]] = {}
        exec(compile(SOURCE, "<twin>", "exec"), {}, space)
        copies.append(space["work"])
    return copies[0], copies[1]


def time_twins(pairs: int, clock: Callable[[], float] = time.perf_counter) -> TwinTimes:
    """Time two copies against each other, each pair (two milliseconds) in all three ways."""
    twins = two_copies()
    rows: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    for _ in range(whole("pairs", pairs, 1)):
        rows["one run"].append([_seconds(twin, clock) for twin in twins])
        rows["best of 5"].append([min(_seconds(t, clock) for _ in range(5)) for t in twins])
        both = [[_seconds(twin, clock) for twin in twins] for _ in range(25)]
        rows["median of 25, interleaved"].append(np.median(both, axis=0).tolist())
    times = {way: np.array(seconds) for way, seconds in rows.items()}
    return TwinTimes(
        {way: seconds[:, 0] for way, seconds in times.items()},
        {way: seconds[:, 1] for way, seconds in times.items()},
    )


def _seconds(function: Callable[[], int], clock: Callable[[], float]) -> float:
    began = clock()
    function()
    return clock() - began
