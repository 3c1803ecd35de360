"""How null_pairs.csv was made: 500 programs, each timed against itself in processes of its own.

Run as ``python -m perfmodel.labs.benchmarking.pie.record FILE``; it needs a C compiler, cc. A
timing is the mean of ten runs one after the other, what a tool such as hyperfine reports; the new
program's ten come after the old one's.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pandas as pd

from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of

KINDS, SIZES, RUNS = 10, 50, 10
_LEAST, _STEP = 20_000, 4_000


def mean_time(command: list[str], runs: int = RUNS) -> tuple[float, float]:
    """Return the time of the first and the mean of some runs of a command, in seconds."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - began)
    return times[0], sum(times) / len(times)


def null_pairs(program: str) -> Iterator[tuple[int, int, float, float, float, float]]:
    """Time 500 runs of the compiled `program` twice; yield kind, size, old and new seconds."""
    for size in range(_LEAST, _LEAST + SIZES * _STEP, _STEP):
        for kind in range(KINDS):
            command = [program, str(kind), str(size)]
            mean_time(command, 1)
            old, new = mean_time(command), mean_time(command)
            yield kind, size, old[0], new[0], old[1], new[1]


def main(target: str) -> None:
    """Compile the programs, time them and write the table to `target`."""
    with (
        tempfile.TemporaryDirectory() as folder,
        as_file(files("perfmodel.labs.benchmarking.pie") / "kernels.c") as source,
        Path(target).open("w", newline="", encoding="utf-8") as out,
    ):
        program = f"{folder}/kernels"
        subprocess.run(["cc", "-O3", "-o", program, str(source)], check=True)
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["kind", "size", "old_first_s", "new_first_s", "old_mean_s", "new_mean_s"])
        for kind, size, *seconds in null_pairs(program):
            table.writerow([kind, size, *(f"{value:.4g}" for value in seconds)])


if __name__ == "__main__":
    main(sys.argv[1])


TIMINGS = ("first", "mean")
"""One run of each program, or the mean of ten."""


@cache
def null_table() -> pd.DataFrame:
    """Return the table, one row a program.

    >>> null_table().shape
    (500, 6)
    """
    return shipped_table("perfmodel.labs.benchmarking.pie", "null_pairs.csv")


def null_ratios(timing: str = "mean") -> Floats:
    """Return old over new time of each program against itself, by one run or the mean of ten.

    >>> print(null_ratios()[:2].round(2))
    [0.83 0.33]
    """
    one_of("timing", timing, TIMINGS)
    table = null_table()
    return np.asarray(table[f"old_{timing}_s"] / table[f"new_{timing}_s"], dtype=np.float64)
