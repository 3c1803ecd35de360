"""The time of queries that nobody has timed: three families, scored on the same unseen queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from perfmodel.labs.measurement.one_program.corpus import Query
from perfmodel.labs.measurement.one_program.inverted_index import InvertedIndex
from perfmodel.labs.measurement.one_program.search import Searcher
from perfmodel.measurement.runs import timed_in_turns
from perfmodel.prediction.arena.contest import Contestant, compete
from perfmodel.prediction.arena.dataset import Dataset, Rows
from perfmodel.prediction.arena.estimators import Columns, LogFeatures
from perfmodel.prediction.arena.splits import Split
from perfmodel.validation import Floats, positive, sample

if TYPE_CHECKING:
    import pandas as pd

TRAINED = 80
"""Queries that the families learn from."""
TEXT = ("length", "words", "commonest", "rarest")
"""What a query's own text says."""
ALIKE = 1.25
"""Ratio of two errors up to which they count as equal."""
WHITEBOX, REGRESSION, LEARNER = "postings scanned", "line on logs", "forest"


def describe(queries: Sequence[Query], index: InvertedIndex) -> pd.DataFrame:
    """Return a row for each query: what its text says, and the `postings` that it will read.

    The columns are the words with and without repeats, the ranks of the commonest and the rarest
    word, and the postings.
    """
    import pandas as pd

    rows = [
        (
            query.length,
            query.words.size,
            int(query.words.min()) + 1,
            int(query.words.max()) + 1,
            index.scanned(query),
        )
        for query in queries
    ]
    return pd.DataFrame(rows, columns=[*TEXT, "postings"], dtype=float)


def time_queries(searcher: Searcher, queries: Sequence[Query], rounds: int) -> Floats:
    """Return the seconds of each query in each round, shape (queries, rounds)."""
    works = [lambda query=query: _none(searcher.search(query)) for query in queries]
    return timed_in_turns(works, rounds)


def _none(_: object) -> None:
    """Drop a result, so that the call itself is timed."""


def two_tests(lengths: ArrayLike, trained: int = TRAINED) -> Split:
    """Learn from the first `trained` of the shorter queries; test on the other ones and the longer.

    A quarter of the queries, the longest, are never learnt from.
    """
    values = sample("lengths", lengths)
    order = np.argsort(values, kind="stable")
    cut = values.size * 3 // 4
    short, long = np.sort(order[:cut]), np.sort(order[cut:])
    if short.size <= trained:
        raise ValueError(f"lengths must be more than {4 * trained // 3}, got {values.size}")
    return Split("unseen queries", short[:trained], {"as long": short[trained:], "longer": long})


def contest(features: pd.DataFrame, times: ArrayLike, split: Split) -> pd.DataFrame:
    """Return the median error (a fraction) of each family in each test of `split`.

    The whitebox is a line through the postings scanned. The regression and the learner see what the
    text says.
    """
    units = dict.fromkeys(features.columns, "1")
    seconds = positive("times", sample("times", times))
    runs = Dataset(
        "queries",
        features,
        units,
        seconds,
        "time",
        "s",
        "measured by the reader",
        "CC0-1.0",
        known=("postings", "words", "length"),
    )
    entries = [
        Contestant(WHITEBOX, "whitebox", Columns(LinearRegression(), ["postings"])),
        Contestant(REGRESSION, "regression", LogFeatures(LinearRegression(), TEXT)),
        Contestant(LEARNER, "ml", Columns(RandomForestRegressor(100, random_state=0), TEXT)),
    ]
    scores = compete(runs, entries, [(split.train.size, 0, split)])
    return scores.set_index(["contestant", "test"])["median_ape"].unstack()  # noqa: PD010


def conclusion(errors: pd.DataFrame, disturbed: bool) -> str:
    """Return which family predicts the longer queries best, from what `contest` returned."""
    if disturbed:
        return "**Can't tell which family is best**, because the times were disturbed."
    ranked = errors["longer"].sort_values()
    (first, second), (best, next_) = ranked.index[:2], ranked.iloc[:2]
    if next_ < ALIKE * best:
        return (
            f"On the longer queries, **{first}** and **{second}** are about equally accurate, with "
            f"median errors of {100 * best:.0f} and {100 * next_:.0f} %."
        )
    return (
        f"On the longer queries, **{first}** is the most accurate, with a median error of "
        f"{100 * best:.0f} %. The next family, {second}, is off by {100 * next_:.0f} %."
    )


def forecast_mean(
    postings: ArrayLike, times: ArrayLike, asked: ArrayLike, resamples: int = 500, seed: int = 1
) -> tuple[float, float, float]:
    """Return the mean time of the queries `asked` by a line through the postings, and an interval.

    `postings` and `times` (s) are of the queries learnt from, `asked` are postings. The interval is
    from trained queries drawn with replacement, at 95 %.

    >>> forecast_mean([1, 2, 3, 4], [3.0, 5.0, 7.0, 9.0], [10])[0].__round__(6)
    21.0
    """
    x, y, at = (sample(name, v) for name, v in zip("xya", (postings, times, asked), strict=True))
    rng = np.random.default_rng(seed)

    def mean_at(rows: Rows) -> float:
        slope, height = np.polyfit(x[rows], y[rows], 1)
        return float(height + slope * at.mean())

    draws = [rows for rows in rng.integers(x.size, size=(resamples, x.size)) if np.ptp(x[rows]) > 0]
    low, high = np.quantile([mean_at(rows) for rows in draws], [0.025, 0.975])
    return mean_at(np.arange(x.size, dtype=np.intp)), float(low), float(high)


def mean_of_medians(
    rounds: ArrayLike, resamples: int = 500, seed: int = 1
) -> tuple[float, float, float]:
    """Return the mean over queries of their median times, and an interval at 95 %.

    `rounds` (s) has a row for each query, shape (queries, rounds). Whole rounds are drawn with
    replacement, so the interval covers the scatter between rounds.

    >>> mean_of_medians([[1.0, 1.0, 9.0], [3.0, 3.0, 3.0]])[0]
    2.0
    """
    times = positive("rounds", np.asarray(rounds, dtype=float))
    if times.ndim != 2:
        raise ValueError(f"rounds must have a row for each query, got shape {times.shape}")
    drawn = np.random.default_rng(seed).integers(times.shape[1], size=(resamples, times.shape[1]))
    means = np.median(times[:, drawn], axis=2).mean(axis=0)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(np.median(times, axis=1).mean()), float(low), float(high)
