"""Two raters on the same items: how often they agree, and how often they would by chance.

The chance-corrected share is Cohen's kappa: J. Cohen, "A coefficient of agreement for nominal
scales", Educational and Psychological Measurement 20(1), 1960.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.validation import Floats, non_negative, sample, whole, within


class Kappa(NamedTuple):
    """Agreement corrected for chance: `value`, with its interval from `low` to `high`.

    `observed` is the fraction of items with the same label. `chance_agreement` is the fraction
    expected of two raters who use the labels as often as these two, at random.
    """

    value: float
    low: float
    high: float
    observed: float
    chance_agreement: float


def raw_agreement(
    first: Sequence[Hashable], second: Sequence[Hashable], halfway: Hashable | None = None
) -> float:
    """Return the fraction of items, 0 to 1, on which the `first` and the `second` rater agree.

    They label the same items in the same order. With a label that lies `halfway` between all
    others, such as a tie, an item that exactly one rater gives it counts one half ("relaxed"
    agreement); without it such an item counts nothing.

    Examples
    --------
    >>> raw_agreement(["A", "tie", "B"], ["A", "A", "A"])
    0.3333333333333333
    >>> raw_agreement(["A", "tie", "B"], ["A", "A", "A"], halfway="tie")
    0.5
    """
    pairs = _paired(first, second)
    same = sum(a == b for a, b in pairs)
    near = sum(a != b and halfway in (a, b) for a, b in pairs) if halfway is not None else 0
    return (same + 0.5 * near) / len(pairs)


def cohens_kappa(
    first: Sequence[Hashable], second: Sequence[Hashable], confidence: float = 0.95
) -> Kappa:
    """Return Cohen's kappa of two raters, by statsmodels, with its large-sample interval.

    kappa = (observed - chance) / (1 - chance), where chance is the sum over labels of the product
    of how often either rater uses it. Returns a `Kappa`. Raises `ValueError` if the raters don't
    have as many items, or use one label only, the same: then chance alone agrees always, and there
    is nothing to correct.

    Parameters
    ----------
    first, second : sequence, shape (n,)
        Labels of the same items in the same order.
    confidence : float
        Level of the interval, above 0 and below 1.

    Examples
    --------
    >>> kappa = cohens_kappa("AABBAABB", "AABBAABA")
    >>> round(kappa.observed, 3), round(kappa.chance_agreement, 3), round(kappa.value, 3)
    (0.875, 0.5, 0.75)
    """
    from statsmodels.stats.inter_rater import cohens_kappa as textbook

    counts = _counts(_paired(first, second))
    fractions = counts / counts.sum()
    with np.errstate(invalid="ignore", divide="ignore"):  # a variance of 0 comes out as -1e-18
        result = textbook(counts)
    quantile = float(ndtri((1 + check_level(confidence)) / 2))
    error = quantile * float(np.sqrt(max(result.var_kappa, 0.0)))
    value = float(result.kappa)
    return Kappa(
        value,
        value - error,
        value + error,
        float(np.trace(fractions)),
        float(fractions.sum(axis=0) @ fractions.sum(axis=1)),
    )


def guessing_kappa(guessing: ArrayLike) -> Floats:
    """Return the kappa of two raters who each guess on some items and see the truth on the rest.

    A guess is drawn with the labels' true shares, on the fraction `guessing` of the items. The two
    then agree for a reason only where neither guesses, so that kappa is (1 - guessing)**2, whatever
    the labels' shares.

    Examples
    --------
    >>> print(guessing_kappa([0, 0.5, 1]))
    [1.   0.25 0.  ]
    """
    return (1 - within("guessing", guessing, 0, 1)) ** 2


def simulate_raters(
    label_probabilities: ArrayLike, guessing: float, items: int, seed: int = 0
) -> tuple[list[int], list[int]]:
    """Draw the labels, 0 to k - 1, that two raters who guess on some items give to the same items.

    Parameters
    ----------
    label_probabilities : array_like, shape (k,)
        How often each of k labels is true, two or more, with the sum 1.
    guessing : float
        Share of items on which a rater guesses, by `label_probabilities`, each rater on items of
        their own.
    items : int
        Number of items, 1 or more.
    seed : int
        Seed of all randomness, 0 or more.

    Examples
    --------
    >>> raw_agreement(*simulate_raters([0.5, 0.5], 0.0, 100))
    1.0
    """
    law = non_negative("label_probabilities", sample("label_probabilities", label_probabilities, 2))
    if abs(law.sum() - 1) > 1e-9:
        raise ValueError(f"label_probabilities must sum to 1, got {law.sum():g}")
    fraction = float(within("guessing", guessing, 0, 1))
    count = whole("items", items, 1)
    rng = np.random.default_rng(whole("seed", seed))
    truth, *guesses = rng.choice(law.size, (3, count), p=law)
    blind = rng.random((2, count)) < fraction
    first, second = (np.where(b, g, truth) for b, g in zip(blind, guesses, strict=True))
    return first.tolist(), second.tolist()


def _counts(pairs: list[tuple[Hashable, Hashable]]) -> Floats:
    """Return how often the two raters gave each pair of labels, first rater down, second across."""
    labels = sorted({label for pair in pairs for label in pair}, key=repr)
    if len(labels) < 2:
        raise ValueError(f"first and second must use two labels or more, got only {labels[0]!r}")
    counts = np.zeros((len(labels), len(labels)))
    for a, b in pairs:
        counts[labels.index(a), labels.index(b)] += 1
    return counts


def _paired(
    first: Sequence[Hashable], second: Sequence[Hashable]
) -> list[tuple[Hashable, Hashable]]:
    if not len(first) or len(first) != len(second):
        raise ValueError(
            f"first and second must label the same items, one or more, got {len(first)} and "
            f"{len(second)}"
        )
    return list(zip(first, second, strict=True))
