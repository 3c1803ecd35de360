"""The work done ahead, a third number that two published ratios imply.

Source: K. Lin and others, "Sleep-time Compute: Beyond Inference Scaling at Test-time",
arXiv:2504.13171, April 2025: the abstract and the section on several questions for a context.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perfmodel.serving import Precomputation, implied_work
from perfmodel.units import amount

FACTOR = 5.0
"""Tokens of an answer while the user waits, without over with, at equal accuracy; "about"
(abstract)."""
SAVING = 2.5
"""How many times less a question costs on average, with several to a context (abstract)."""
QUERIES = 10
"""Questions for each context at that saving."""
WEIGHT = 10.0
"""Cost of a token while a user waits, relative to idle time; the authors assume it (5.3)."""
EXAMPLE = Precomputation(ahead=8000, fresh=10_000, factor=FACTOR, weight=WEIGHT)
"""Round numbers of tokens that aren't from the paper, with its factor and weight."""


class Implied(NamedTuple):
    """A number with its range by rounding of the published numbers behind it."""

    value: float
    low: float
    high: float


def implied_ahead() -> Implied:
    """Return x = A / (q D) from the factor and the saving, as far as their digits tell.

    A printed 5 may be anything from 4.5 to 5.5, and 2.5 from 2.45 to 2.55.

    >>> [round(x, 2) for x in implied_ahead()]
    [2.0, 1.7, 2.26]
    """
    return Implied(*(float(implied_work(saving, QUERIES, factor)) for saving, factor in _ends()))


def implied_break_even() -> Implied:
    """Return the questions after which that work has paid, with the same ends.

    >>> [round(x, 2) for x in implied_break_even()]
    [2.5, 2.18, 2.77]
    """
    return Implied(
        *(
            plan(float(implied_work(saving, QUERIES, factor)), factor).break_even
            for saving, factor in _ends()
        )
    )


def plan(relative_work: float, factor: float) -> Precomputation:
    """Return a plan whose work ahead costs this many answers from scratch, with q and D of 1.

    >>> plan(2.0, 5.0).saving(10).round(6)
    np.float64(2.5)
    """
    return Precomputation(relative_work, 1.0, factor)


def saving_band(queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and most saving at each number of questions that the digits allow.

    Every curve goes through the printed saving, as far as that is rounded.

    >>> low, high = saving_band(np.array([1.0, 10.0]))
    >>> low.round(2), high.round(2)
    (array([0.41, 2.45]), array([0.52, 2.55]))
    """
    curves = [
        plan(float(implied_work(saving, QUERIES, factor)), factor).saving(queries)
        for saving in _rounded(SAVING)
        for factor in _rounded(FACTOR)
    ]
    return np.min(curves, axis=0), np.max(curves, axis=0)


def _rounded(value: float) -> tuple[float, float]:
    half = amount(f"{value:g}").half_unit
    return value - half, value + half


def _ends() -> tuple[tuple[float, float], ...]:
    (low, high), (smallest, largest) = _rounded(SAVING), _rounded(FACTOR)
    return (SAVING, FACTOR), (high, smallest), (low, largest)
