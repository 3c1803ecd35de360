"""One number from a row of scores: by columns, by tasks, by ratios, and by weights that flip it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, positive, sample, within

Scores = Sequence[ArrayLike]
"""The columns of each task, a task after the other."""


def task_means(scores: Scores) -> Floats:
    """Return the mean of each task's columns.

    >>> print(task_means([(40, 60), (10,)]))
    [50. 10.]
    """
    return np.array([sample("scores", columns).mean() for columns in scores])


def macro_average(scores: Scores) -> float:
    """Return the mean over tasks of the mean over a task's columns: the cards' average.

    `scores` is as for `task_means`.

    >>> macro_average([(40, 60), (10,)])
    30.0
    """
    return float(task_means(scores).mean())


def column_mean(scores: Scores) -> float:
    """Return the mean over all columns, in which a task of two columns counts twice.

    `scores` is as for `task_means`.

    >>> round(column_mean([(40, 60), (10,)]), 2)
    36.67
    """
    task_means(scores)
    return float(np.concatenate([finite("scores", columns) for columns in scores]).mean())


def mean_of_ratios(first: ArrayLike, second: ArrayLike) -> float:
    """Return the mean over tasks of first over second: every task counts alike, however low.

    >>> mean_of_ratios([30, 4], [30, 2]), ratio_of_means([30, 4], [30, 2])
    (1.5, 1.0625)
    """
    return float((finite("first", first) / positive("second", second)).mean())


def ratio_of_means(first: ArrayLike, second: ArrayLike) -> float:
    """Return the ratio of two systems' means: tasks with large scores count most.

    `first` and `second` are as for `mean_of_ratios`.
    """
    return float(finite("first", first).mean() / positive("second", second).mean())


def weighted_on(tasks: ArrayLike, place: int, weight: float) -> float:
    """Return the mean that gives one task a weight and shares the rest among the others.

    The task is named by its index; the weight 1/n gives the plain mean.

    >>> weighted_on([10, 20, 60], 2, 0.5)
    37.5
    """
    values = sample("tasks", tasks, 2)
    share = float(within("weight", weight, 0, 1))
    return float(share * values[place] + (1 - share) * np.delete(values, place).mean())


def flip_weight(first: ArrayLike, second: ArrayLike, place: int) -> float:
    """Return the weight of one task at which two systems' means are equal.

    The others share the rest. ValueError if the same system is ahead on this task and on the mean
    of the others, so that no weight changes the order.

    >>> flip_weight([50, 50, 10], [40, 40, 40], 2)
    0.25
    """
    gaps = sample("first", first, 2) - sample("second", second, 2)
    here, elsewhere = gaps[place], np.delete(gaps, place).mean()
    if here * elsewhere >= 0:
        raise ValueError(
            f"place must be a task that the other system wins, got {place!r}: gaps of {here:g} "
            f"there and {elsewhere:g} elsewhere"
        )
    return float(elsewhere / (elsewhere - here))
