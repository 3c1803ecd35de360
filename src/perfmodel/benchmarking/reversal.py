"""Rank reversal: two competitors change places because of a third.

A score that is computed from a competitor's own results can't do it. One that first divides by the
best, or spreads the results between the worst and the best, depends on who else is in the table.
That two alternatives be ordered without regard to a third is the independence of irrelevant
alternatives; a ranking that lacks it can change when somebody who can't win enters or leaves.

Sources: K. J. Arrow, "Social choice and individual values", Wiley, 1951, for the condition;
V. Belton and T. Gear, "On a short-coming of Saaty's method of analytic hierarchies", Omega 11(3),
1983, for a normalisation that fails it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, positive

Score = Callable[[Floats], ArrayLike]
"""From a table (competitors, tasks) to a score for each competitor, of which more is better."""

TIE = 1e-12
"""Scores closer than this share of the largest one are level: rounding orders nobody."""


class Reversal(NamedTuple):
    """A pair that changed places, by rows of the table, and the third who came or left."""

    third: int
    """The competitor that was removed or added; an added one has the row after the last."""
    ahead: int
    """Who scored more with nobody removed or added, and less afterwards."""
    behind: int
    """The other one of the pair."""


def min_max(values: ArrayLike, lower_is_better: ArrayLike = False) -> Floats:
    """Return each task's results from 0, the worst in the table, to 1, the best in it.

    The `values`, shape (s, n), are of s competitors on n tasks, for all or each of which
    `lower_is_better` may hold. All are 0 for a task on which all are level. Every value depends on
    the worst and the best in the table, whoever they are.

    Examples
    --------
    >>> print(min_max([[10.0, 3.0], [20.0, 1.0], [40.0, 2.0]], [True, False]).round(2))
    [[1.   1.  ]
     [0.67 0.  ]
     [0.   0.5 ]]
    """
    table = _table("values", finite("values", values))
    rising = np.where(np.asarray(lower_is_better, dtype=bool), -table, table)
    low, high = rising.min(axis=0), rising.max(axis=0)
    spread = np.zeros_like(table)
    np.divide(rising - low, high - low, out=spread, where=high > low)
    return spread


def against_reference(
    values: ArrayLike, reference: ArrayLike, lower_is_better: ArrayLike = False
) -> Floats:
    """Return each result over that of a fixed reference, as a ratio of which more is better.

    The `values` are of s competitors on n tasks, the `reference` has n and stays when competitors
    come and go; all are above 0. Where `lower_is_better`, as of times, the ratio is turned over.

    Examples
    --------
    >>> print(against_reference([[10.0, 3.0], [20.0, 1.0]], [20.0, 2.0], [True, False]))
    [[2.  1.5]
     [1.  0.5]]
    """
    table, fixed = _table("values", positive("values", values)), positive("reference", reference)
    if fixed.shape != table.shape[1:]:
        raise ValueError(
            f"reference must have a value for each of {table.shape[1]} tasks, "
            f"got shape {fixed.shape}"
        )
    ratios = table / fixed
    return np.where(np.asarray(lower_is_better, dtype=bool), 1 / ratios, ratios)


def scores_without_each(table: ArrayLike, score: Score) -> Floats:
    """Return what everybody scores when one competitor is removed, for each who may be.

    Raises `ValueError` if there are fewer than two competitors, or `score` returns another number
    of scores.

    Parameters
    ----------
    table : array_like, shape (s, n)
        Results of two or more competitors on n tasks; infinite is allowed.
    score : callable
        From a table (competitors, tasks) to a score for each competitor.

    Returns
    -------
    ndarray, shape (s, s)
        Row i holds the scores without competitor i, whose own place holds NaN.

    Examples
    --------
    >>> share = lambda table: (table / table.sum(axis=0)).mean(axis=1)
    >>> print(scores_without_each([[1.0, 9.0], [1.0, 1.0], [8.0, 1.0]], share).round(2))
    [[ nan 0.31 0.69]
     [0.51  nan 0.49]
     [0.7  0.3   nan]]
    """
    results = _table("table", np.asarray(table, dtype=np.float64), competitors=2)
    result = np.full((len(results), len(results)), np.nan)
    for third in range(len(results)):
        others = np.arange(len(results)) != third
        result[third, others] = _scored(score, results[others])
    return result


def removal_reversals(table: ArrayLike, score: Score) -> list[Reversal]:
    """Return all pairs that change places when a third competitor is removed.

    The `Reversal`s go by the third's row, then the pair's; pairs that are level before or after
    don't count. `table` and `score` are as for `scores_without_each`, more being better.

    Examples
    --------
    >>> from perfmodel.benchmarking import performance_ratios, profile_area
    >>> times = [[10.0, 40.0], [20.0, 21.0], [np.inf, 10.5]]
    >>> removal_reversals(times, lambda t: profile_area(performance_ratios(t)))
    [Reversal(third=2, ahead=1, behind=0)]
    """
    results = np.asarray(table, dtype=np.float64)
    without = scores_without_each(results, score)
    before = _scored(score, results)
    return [
        Reversal(third, *pair)
        for third, after in enumerate(without)
        for pair in _swapped(before, after)
    ]


def addition_reversals(table: ArrayLike, newcomer: ArrayLike, score: Score) -> list[Reversal]:
    """Return all pairs that change places when a newcomer joins the table, by the pair's rows.

    The `table` holds results of competitors on n tasks, the `newcomer` has n; `score` goes from a
    table to a score for each competitor, of which more is better. `third` is the newcomer's row,
    after the last.

    Examples
    --------
    >>> table, terrible = [[10.0, 5.0], [6.0, 8.0]], [9.0, -90.0]
    >>> addition_reversals(table, terrible, lambda t: min_max(t) @ [0.4, 0.6])
    [Reversal(third=2, ahead=1, behind=0)]
    """
    results = _table("table", np.asarray(table, dtype=np.float64))
    joins = np.asarray(newcomer, dtype=np.float64)
    if joins.shape != results.shape[1:]:
        raise ValueError(
            f"newcomer must have a result for each of {results.shape[1]} tasks, "
            f"got shape {joins.shape}"
        )
    before, after = _scored(score, results), _scored(score, np.vstack([results, joins]))
    return [Reversal(len(results), *pair) for pair in _swapped(before, after[:-1])]


def _swapped(before: Floats, after: Floats) -> list[tuple[int, int]]:
    """Return the pairs (ahead, behind) whose order turned; NaN is in no order."""
    turned = (_leads(before) > 0) & (_leads(after) < 0)
    return [(int(ahead), int(behind)) for ahead, behind in np.argwhere(turned)]


def _leads(scores: Floats) -> Floats:
    """Return by how much the row's competitor leads the column's, 0 where they are level."""
    lead = scores[:, None] - scores
    return np.where(np.abs(lead) > TIE * np.nanmax(np.abs(scores)), lead, 0.0)


def _scored(score: Score, table: Floats) -> Floats:
    scores = np.asarray(score(table), dtype=np.float64)
    if scores.shape != (len(table),):
        raise ValueError(
            f"score must return one score for each of {len(table)} competitors, "
            f"got shape {scores.shape}"
        )
    return scores


def _table(name: str, values: Floats, competitors: int = 1) -> Floats:
    if values.ndim != 2 or not values.size or len(values) < competitors:
        raise ValueError(
            f"{name} must be a table (competitors, tasks) with {competitors} or more rows, "
            f"got shape {values.shape}"
        )
    return values
