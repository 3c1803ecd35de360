"""How many tests COFFE has for each of its problems; the table's source is in README.md.

Which counts can stand behind a printed percentage: a check that needs a pencil.

A share of n problems is a whole number over n, so that few percentages can occur. One that can't
says that n is another number, or that the value is no such share. Psychologists know the check as
GRIM: N. J. L. Brown and J. A. J. Heathers, "The GRIM test", Social Psychological and Personality
Science 8(4), 2017.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from perfmodel.validation import Floats, whole, within


class Problems(NamedTuple):
    """Tests of the problems of one level, both of shape (problems,)."""

    correctness: Floats
    """Tests of the answer; NaN where they are missing."""
    stressful: Floats
    """Tests that take time."""


@cache
def problems(level: str) -> Problems:
    """Return the tests of the problems of a level, "function" or "file".

    >>> problems("function").stressful.size, problems("file").stressful.size
    (398, 358)
    """
    with (files(__package__) / "tests_per_problem.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["level"] == level]
    if not rows:
        raise ValueError(f"level must be function or file, got {level!r}")
    return Problems(
        *(
            np.array([float(row[name] or "nan") for row in rows])
            for name in ("correctness", "stressful")
        )
    )


def counts_behind(percent: float, tasks: int, decimals: int = 2) -> list[int]:
    """Return which numbers of tasks have a share that prints as `percent` with these `decimals`.

    >>> counts_behind(33.3, 3, 1), counts_behind(33.3, 10, 1)
    ([1], [])
    """
    fraction, count = float(within("percent", percent, 0, 100)), whole("tasks", tasks, 1)
    half = 0.5 * 10.0 ** -whole("decimals", decimals)
    low = ceil((fraction - half) / 100 * count - 1e-9)
    high = floor((fraction + half) / 100 * count + 1e-9)
    return list(range(max(low, 0), min(high, count) + 1))


def sizes_behind(percent: float, sizes: range, decimals: int = 2) -> list[tuple[int, int]]:
    """Return the sizes of a suite that a percentage fits, each with its count.

    >>> sizes_behind(46.97, range(390, 399))
    [(396, 186)]
    """
    candidates = ((size, counts_behind(percent, size, decimals)) for size in sizes)
    return [(size, count) for size, counts in candidates for count in counts]
