"""Working ahead: what is known before the questions come is worked on while nobody waits.

A context (a file, a table, a graph) is there before its questions. Work on it ahead makes each
answer cheaper, and is paid once. It pays after some number of questions, the earlier the more a
unit of work costs while somebody waits, and never for contexts that nobody asks about. The same
holds for an index, a compiled program or a cache that is filled beforehand.

Source: K. Lin and others, "Sleep-time Compute", arXiv:2504.13171, 2025, section 5.3 for the cost
with a weight on work while a user waits; what follows from it is worked out here. Letters are those
of the chapter: A tokens ahead, D an answer from scratch, g the factor, q the weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, within


@dataclass(frozen=True)
class Precomputation:
    """Work done ahead for a context, and what it saves each question.

    Work is in any one unit (tokens, seconds, FLOP); costs are in units of work done ahead.

    Examples
    --------
    >>> plan = Precomputation(ahead=8000, fresh=10_000, factor=5, weight=10)
    >>> print(plan.cost([1, 10]), plan.cost_without, plan.saving(5).round(2))
    [28000. 20800.] 100000.0 4.63
    """

    ahead: float
    """Work for one context before its questions, 0 or more."""
    fresh: float
    """Work for an answer from scratch, above 0."""
    factor: float
    """How many times as much work an answer takes from scratch as from what was prepared, above
    0; at 1 or less the preparation saves nothing."""
    weight: float = 1.0
    """Cost of a unit of work while a user waits, divided by the cost of one done ahead; above 0."""
    covered: float = 1.0
    """Share of the questions that the preparation covers, 0 to 1; others start from scratch."""
    queried_fraction: float = 1.0
    """Share of the prepared contexts that any question ever comes for, above 0 and up to 1."""

    def __post_init__(self) -> None:
        """Refuse what is no amount of work and what is no share."""
        non_negative("ahead", self.ahead)
        for name in ("fresh", "factor", "weight", "queried_fraction"):
            positive(name, getattr(self, name))
        for name in ("covered", "queried_fraction"):
            within(name, getattr(self, name), 0, 1)

    @property
    def cost_without(self) -> float:
        """Cost of a question with nothing prepared."""
        return float(self.weight * self.fresh)

    @property
    def relative_work(self) -> float:
        """Work ahead for each context that is asked about, over the cost of an answer."""
        return self.ahead / (self.queried_fraction * self.cost_without)

    @property
    def relative_answer(self) -> float:
        """Mean work of an answer once all is prepared, over that from scratch."""
        return self.covered / self.factor + 1 - self.covered

    @property
    def break_even(self) -> float:
        """Questions about a context after which it has paid, a fraction; inf if it never does."""
        if self.ahead == 0:
            return 0.0 if self.relative_answer <= 1 else float("inf")
        saved = 1 - self.relative_answer
        return float(self.relative_work / saved) if saved > 0 else float("inf")

    def cost(self, queries: ArrayLike) -> Floats:
        """Return the cost of a question if each context that is asked about gets this many.

        Parameters
        ----------
        queries : array_like
            N, above 0. Where contexts differ it is their mean, over those that are asked about.

        Returns
        -------
        ndarray
            In units of work done ahead.
        """
        share = self.relative_work / positive("queries", queries)
        return np.asarray(self.cost_without * (share + self.relative_answer))

    def saving(self, queries: ArrayLike) -> Floats:
        """Return how many times as much a question costs without; below 1 is a loss."""
        return np.asarray(self.cost_without / self.cost(queries))


def implied_work(saving: ArrayLike, queries: ArrayLike, factor: ArrayLike) -> Floats:
    """Return the relative work ahead that two printed ratios imply: `saving`, solved for it.

    Parameters
    ----------
    saving : array_like
        How many times less a question costs, all costs counted; above 0 and up to `factor`.
    queries : array_like
        Questions for each context, above 0.
    factor : array_like
        How many times less work an answer takes, above 0. All questions are covered.

    Returns
    -------
    ndarray
        A / (q D): work ahead over the weighted cost of an answer from scratch.

    Raises
    ------
    ValueError
        If `saving` is above `factor`, which no work ahead, however cheap, allows.

    Examples
    --------
    >>> print(implied_work(2.5, 10, 5))
    2.0
    """
    ratio, most = positive("saving", saving), positive("factor", factor)
    if (ratio > most).any():
        raise ValueError(f"saving must be at most factor, {factor!r}, got {saving!r}")
    return np.asarray(positive("queries", queries) * (1 / ratio - 1 / most))


def remaining_work(effort: ArrayLike, first: float, least: float, scale: float) -> Floats:
    """Return the work an answer still takes after `effort` ahead, if it falls exponentially.

    Parameters
    ----------
    effort : array_like
        A, work ahead, 0 or more.
    first, least : float
        D_0 with nothing prepared, and D_inf that no preparation gets below; 0 <= least <= first.
    scale : float
        s_0, above 0: this much more effort leaves 1/e of the work that can still be saved.

    Returns
    -------
    ndarray
        D_inf + (D_0 - D_inf) exp(-A / s_0): an assumption, which no paper has measured.

    Examples
    --------
    >>> print(remaining_work([0, 2000], 5000, 1000, 2000).round())
    [5000. 2472.]
    """
    low = float(within("least", least, 0, float(non_negative("first", first))))
    left = np.exp(-non_negative("effort", effort) / positive("scale", scale))
    return np.asarray(low + (first - low) * left)


def best_effort(queries: ArrayLike, saved: ArrayLike, scale: ArrayLike) -> Floats:
    """Return the work ahead that makes the whole cost least, if `remaining_work` holds.

    Parameters
    ----------
    queries : array_like
        Weighted questions p q N, 0 or more: questions for each context that is asked about (N),
        times the weight of work while a user waits, times the share p of contexts asked about.
    saved : array_like
        D_0 - D_inf, what an answer can lose at most, 0 or more.
    scale : array_like
        s_0, above 0.

    Returns
    -------
    ndarray
        A* = s_0 ln(p q N (D_0 - D_inf) / s_0), or 0 where the first unit doesn't pay.

    Examples
    --------
    >>> print(best_effort([0.25, 100, 1000], 4000, 2000).round())
    [    0. 10597. 15202.]
    """
    unit = positive("scale", scale)
    first = non_negative("queries", queries) * non_negative("saved", saved) / unit
    return np.asarray(unit * np.log(np.maximum(first, 1.0)))
