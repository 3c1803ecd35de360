"""How many tests COFFE has for each of its problems; the table's source is in README.md."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from perfmodel.validation import Floats


class Problems(NamedTuple):
    """Tests of the problems of one level, both of shape (problems,)."""

    correctness: Floats
    """Tests of the answer; NaN where they weren't at hand."""
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
