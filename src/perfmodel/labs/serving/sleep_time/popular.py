"""Which questions to prepare for, if some are more likely than others.

A context has `sources` about which one can ask, and preparing for one of them costs a row. The
likeliest come first. How much to prepare then isn't assumed, as in an exponential, but follows from
how likely each question is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.serving import best_effort
from perfmodel.validation import Floats, non_negative, positive, sample, whole


def covered_share(shares: ArrayLike, rows: int) -> float:
    """Return the share of questions that the first `rows` cover, 0 or more.

    >>> covered_share([0.5, 0.25, 0.25], 2)
    0.75
    """
    return min(1.0, float(np.sum(sample("shares", shares)[: whole("rows", rows)])))


def best_rows(shares: ArrayLike, queries: ArrayLike, row: float, saved: float) -> np.ndarray:
    """Return how many rows are worth preparing: each whose questions save more than it costs.

    `shares` say how likely a question is about each source, falling; `queries` are the weighted
    questions q N for a context, `saved` what one about a prepared source costs less. With Zipf's
    law of exponent 1 ten times the questions ask for ten times the rows:

    >>> from perfmodel.offloading import zipf_popularity
    >>> print(best_rows(zipf_popularity(1000, 1.0), [10.5, 105, 1050], 1.0, 5.0))
    [  7  70 701]
    """
    likely = sample("shares", shares)
    if (np.diff(likely) > 0).any():
        raise ValueError("shares must fall, the likeliest source first")
    worth = np.multiply.outer(non_negative("queries", queries), likely)
    worth = worth * non_negative("saved", saved)
    return np.asarray((worth > positive("row", row)).sum(axis=-1))


def context_cost(
    shares: ArrayLike, queries: float, row: float, fresh: float, rows: ArrayLike
) -> Floats:
    """Return the cost of a context with each number of rows prepared.

    An answer costs `fresh` from scratch, and nothing from a row; for the rest see `best_rows`.

    >>> print(context_cost([0.5, 0.25, 0.25], 10, 3.0, 1.0, [0, 1, 3]))
    [10.  8.  9.]
    """
    covered = np.concatenate([[0.0], np.cumsum(sample("shares", shares))])
    counts = np.asarray(rows, dtype=int)
    left = 1 - covered[counts]
    return np.asarray(row * counts + float(non_negative("queries", queries)) * fresh * left)


def exponential_scale(shares: ArrayLike, rows: int) -> float:
    """Return s_0 in rows of the exponential that leaves as many questions uncovered as `rows` do.

    It is -rows / ln(1 - covered): what one would fit who had tried that many rows and no others.

    >>> round(exponential_scale([0.5, 0.25, 0.25], 1), 4)
    1.4427
    """
    left = 1 - covered_share(shares, rows)
    return float(-whole("rows", rows, 1) / np.log(positive("uncovered share", left)))


class Choice(NamedTuple):
    """How many rows two readers prepare, shape (n,)."""

    best: np.ndarray
    """With every likelihood known."""
    guessed: np.ndarray
    """By the exponential of the rows that were tried, whole rows."""
    excess: Floats
    """Cost of the guess over the least cost."""


def choices(shares: ArrayLike, queries: ArrayLike, tried: int) -> Choice:
    """Return what is best to prepare and what an exponential says that met `tried` rows only.

    A row costs an answer from scratch, and an answer from a row is free.

    >>> choices([0.5, 0.25, 0.25], [1, 3, 10], 1).best.tolist()
    [0, 1, 3]
    """
    asked, known = positive("queries", queries), sample("shares", shares)
    best = best_rows(known, asked, 1.0, 1.0)
    effort = best_effort(asked, 1.0, exponential_scale(known, tried))
    guessed = np.minimum(np.rint(effort), known.size).astype(int)
    costs = [
        float(
            context_cost(known, each, 1.0, 1.0, guess) / context_cost(known, each, 1.0, 1.0, least)
        )
        for each, guess, least in zip(asked, guessed, best, strict=True)
    ]
    return Choice(best, guessed, np.array(costs))
