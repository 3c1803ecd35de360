"""Times that were not reached, guessed from those that were: two families of guesses.

A whitebox score such as the profile's area needs no guess: not to arrive is a value. A mean of
speed-ups does, or it is taken over other workloads for each submission.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats


def two_way_seconds(seconds: ArrayLike) -> Floats:
    """Return every time as a regression sees it: a submission's factor times a workload's.

    Least squares on the logarithms of the finite times. `seconds` has the shape (s, n), infinite
    where there is no time, with one finite time or more in each row and column.

    >>> print(two_way_seconds([[1.0, 10.0], [2.0, np.inf]]).round(6))
    [[ 1. 10.]
     [ 2. 20.]]
    """
    table = _connected(seconds)
    rows, columns = np.nonzero(np.isfinite(table))
    s, n = table.shape
    design = np.zeros((rows.size, s + n))
    design[np.arange(rows.size), rows] = design[np.arange(rows.size), s + columns] = 1
    found = np.linalg.lstsq(design, np.log(table[rows, columns]), rcond=None)[0]
    return np.exp(found[:s, None] + found[s:])


def neighbour_seconds(seconds: ArrayLike, row: int, column: int) -> float:
    """Return one time as that of the most similar other submission with a time there.

    Similar is who has the least mean square difference of logarithms on the other workloads that
    both reached; where nobody shares one, the time is the median of the column. The value asked for
    is not looked at.

    >>> neighbour_seconds([[1.0, 10.0, 7.0], [1.1, 11.0, np.inf], [9.0, 90.0, 2.0]], 1, 2)
    7.0
    """
    table = _connected(seconds)
    able = np.isfinite(table[:, column]) & (np.arange(len(table)) != row)
    times = table[able, column]
    logs = np.delete(np.log(table), column, axis=1)
    shared = np.isfinite(logs[able]) & np.isfinite(logs[row])
    off = np.where(shared, logs[able], 0) - np.where(shared, logs[row], 0)
    if not shared.any():
        return float(np.median(times))
    counts = np.maximum(shared.sum(axis=1), 1)
    distance = np.where(shared.any(axis=1), (off**2).sum(axis=1) / counts, np.inf)
    return float(times[distance.argmin()])


def left_out_factors(seconds: ArrayLike) -> tuple[Floats, Floats]:
    """Return how far both guesses are off on finite times that they were not shown.

    Guess over time, or time over guess, whichever is above 1, by `two_way_seconds` and by
    `neighbour_seconds`; for each time whose row and column have another.

    >>> left_out_factors([[1.0, 2.0], [3.0, 6.0]])[0].round(6).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    table = _connected(seconds)
    finite = np.isfinite(table)
    off: list[list[float]] = []
    for row, column in np.argwhere(finite):
        if min(finite[row].sum(), finite[:, column].sum()) < 2:
            continue
        hidden = table.copy()
        hidden[row, column] = np.inf
        guesses = two_way_seconds(hidden)[row, column], neighbour_seconds(hidden, row, column)
        off.append([float(np.exp(abs(np.log(g / table[row, column])))) for g in guesses])
    by_regression, by_neighbour = np.array(off).T
    return by_regression, by_neighbour


def _connected(seconds: ArrayLike) -> Floats:
    table = np.asarray(seconds, dtype=np.float64)
    finite = np.isfinite(table)
    if table.ndim != 2 or not (finite.any(axis=0).all() and finite.any(axis=1).all()):
        raise ValueError(
            "seconds must be a table with a finite time in each row and column, "
            f"got shape {table.shape}"
        )
    return table
