"""500 programs timed against themselves on a busy machine; the README tells how."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np
import pandas as pd

from perfmodel.validation import Floats, one_of

TIMINGS = ("first", "mean")
"""One run of each program, or the mean of ten."""


@cache
def null_table() -> pd.DataFrame:
    """Return the table, one row a program.

    >>> null_table().shape
    (500, 6)
    """
    with (files("perfmodel.labs.benchmarking.pie") / "null_pairs.csv").open() as file:
        return pd.read_csv(file)


def null_ratios(timing: str = "mean") -> Floats:
    """Return old time over new time of each program against itself, shape (500,).

    `timing` is one run of either (first), or the mean of ten.

    >>> print(null_ratios()[:2].round(2))
    [0.83 0.33]
    """
    one_of("timing", timing, TIMINGS)
    table = null_table()
    return np.asarray(table[f"old_{timing}_s"] / table[f"new_{timing}_s"], dtype=np.float64)
