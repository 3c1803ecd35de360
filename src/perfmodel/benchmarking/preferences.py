"""Paired preferences: wins, ties and losses made into a score, a strength, a score at equal length.

Sources: R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs: I. The method of
paired comparisons", Biometrika 39, 1952; Y. Dubois, B. Galambosi, P. Liang and T. Hashimoto,
"Length-controlled AlpacaEval", arXiv 2404.04475, 2024, for the regression on length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtri

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.validation import Floats, non_negative, sample, whole, within


@dataclass(frozen=True)
class Preferences:
    """How many of some pairs one system wins, ties and loses.

    >>> study = Preferences(wins=92, ties=110, losses=130)
    >>> round(study.score(), 4), [round(end, 3) for end in study.interval()]
    (0.4428, [0.399, 0.486])
    """

    wins: int
    ties: int
    losses: int

    def __post_init__(self) -> None:
        """Refuse counts that are no counts, and none at all."""
        for name in ("wins", "ties", "losses"):
            whole(name, getattr(self, name))
        if not self.pairs:
            raise ValueError("wins, ties and losses must be one pair or more, got 0")

    @property
    def pairs(self) -> int:
        """Pairs compared."""
        return self.wins + self.ties + self.losses

    def score(self, tie_weight: float = 0.5) -> float:
        """Return the mean score, 1 a win, `tie_weight` (0 to 1) a tie, 0 a loss."""
        worth = float(within("tie_weight", tie_weight, 0, 1))
        return (self.wins + worth * self.ties) / self.pairs

    def interval(self, tie_weight: float = 0.5, confidence: float = 0.95) -> tuple[float, float]:
        """Return the score's normal interval at the level `confidence`, `tie_weight` as for it.

        It takes the pairs as drawn independently. Few pairs or a score near 0 or 1 make it narrow
        beyond reason: then use an interval for proportions.
        """
        mean = self.score(tie_weight)
        square = (self.wins + tie_weight**2 * self.ties) / self.pairs
        quantile = ndtri((1 + check_level(confidence)) / 2)
        error = quantile * np.sqrt((square - mean**2) / self.pairs)
        return float(mean - error), float(mean + error)

    def sign_test(self) -> float:
        """Return the p-value of the exact two-sided sign test: ties say nothing, and are left out.

        >>> round(Preferences(92, 110, 130).sign_test(), 4)
        0.0128
        """
        from scipy.stats import binomtest

        decided = self.wins + self.losses
        return float(binomtest(self.wins, decided).pvalue) if decided else 1.0


def bradley_terry(wins: ArrayLike) -> Floats:
    """Return the log strengths of systems from how often each beat each other, by choix.

    System i beats j with probability 1 / (1 + exp(strength[j] - strength[i])); the mean strength is
    0. Row i and column j of `wins`, shape (n, n), count how often i beat j; a tie is half a win for
    each. Raises `ValueError` if the table is not square, or some systems never lost to the others,
    so that no finite strength fits.

    Examples
    --------
    >>> strength = bradley_terry([[0, 30], [10, 0]])
    >>> print(strength.round(3), round(float(1 / (1 + np.exp(strength[1] - strength[0]))), 2))
    [ 0.549 -0.549] 0.75
    """
    import choix
    from scipy.sparse.csgraph import connected_components

    table = non_negative("wins", wins)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise ValueError(f"wins must be a square table of two or more, got shape {table.shape}")
    if connected_components(table > 0, connection="strong")[0] > 1:
        raise ValueError(
            "wins must lead from every system to every other: some never lost to the rest, "
            "and their strength has no upper end"
        )
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            strengths = choix.ilsr_pairwise_dense(table / table.max())
    except (RuntimeError, ValueError, np.linalg.LinAlgError) as failed:
        raise ValueError(
            "wins must be within some orders of magnitude of each other: no strength was found for "
            f"{table[table > 0].min():g} to {table.max():g}"
        ) from failed
    return np.asarray(strengths - strengths.mean(), dtype=np.float64)


class LengthControlled(NamedTuple):
    """A score at equal length with its interval, and the slope on the logarithm of the ratio."""

    score: float
    low: float
    high: float
    slope: float
    slope_low: float
    slope_high: float


def length_controlled_score(
    scores: ArrayLike, length_ratios: ArrayLike, confidence: float = 0.95
) -> LengthControlled:
    """Return the score that a system would have if its answers were as long as the other's.

    A logistic regression of the score on the logarithm of the ratio of lengths: its intercept is
    the log odds at a ratio of 1. Intervals are Wald's with the sandwich estimate of the variance,
    since a tie is no coin toss. Returns a `LengthControlled`. Raises `ValueError` if the ratio
    tells wins from losses perfectly, which no finite slope describes.

    Parameters
    ----------
    scores : array_like, shape (n,)
        1 for a pair won, 0 for one lost, between for a tie.
    length_ratios : array_like, shape (n,)
        Length of the system's answer over that of the other's, above 0, not all the same.
    confidence : float
        Level of the intervals, above 0 and below 1.

    Examples
    --------
    >>> fit = length_controlled_score([1, 1, 0, 1, 0, 0], [4, 2, 2, 0.5, 0.5, 0.25])
    >>> round(fit.score, 3), fit.slope > 0
    (0.5, True)
    """
    import statsmodels.api as sm
    from statsmodels.tools.sm_exceptions import PerfectSeparationError

    y = within("scores", sample("scores", scores, 3), 0, 1)
    logs = _logarithms(length_ratios, y.size)
    if _separated(y, logs):
        raise ValueError("scores must overlap: here the ratio tells every win from every loss")
    model = sm.GLM(y, np.column_stack([np.ones_like(logs), logs]), family=sm.families.Binomial())
    try:
        fit = model.fit(cov_type="HC0")
    except PerfectSeparationError as error:
        raise ValueError("scores must overlap along the ratio of lengths") from error
    (low, high), (slope_low, slope_high) = fit.conf_int(1 - check_level(confidence))
    score, score_low, score_high = (float(expit(x)) for x in (fit.params[0], low, high))
    slopes = float(fit.params[1]), float(slope_low), float(slope_high)
    return LengthControlled(score, score_low, score_high, *slopes)


def _logarithms(length_ratios: ArrayLike, count: int) -> Floats:
    ratios = sample("length_ratios", length_ratios, 3)
    if ratios.size != count or not (ratios > 0).all() or np.ptp(ratios) == 0:
        raise ValueError(
            f"length_ratios must be {count} values above 0 that differ, got {length_ratios!r}"
        )
    return np.asarray(np.log(ratios))


def _separated(scores: Floats, logs: Floats) -> bool:
    """Return whether some threshold of the logarithm parts the scores without overlap."""
    if np.ptp(scores) == 0:
        return True
    up, down = (logs[scores > 0], logs[scores < 1])
    return bool(up.min() >= down.max() or up.max() <= down.min())
