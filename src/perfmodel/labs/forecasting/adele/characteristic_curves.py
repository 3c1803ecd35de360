"""Abilities: how a subject's chance of success falls with what an item demands.

A *subject* (a language model, a student, a scheduler) meets *items*, each with a demand on one or
more dimensions, in levels. Its characteristic curve is logistic in the level; its ability is the
level at which it solves one half. An accuracy mixes the subject with the choice of items, an
ability is meant not to.

Source: L. Zhou et al., "General scales unlock AI evaluation with explanatory and predictive power",
arXiv:2503.06378, 2025.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from perfmodel.validation import (
    Floats,
    finite,
    non_negative,
    one_of,
    positive,
    sample,
    whole,
    within,
)

ANCHOR = 20.0
"""Level at which nobody is assumed to succeed."""
ELIGIBLE = 100
"""Items from which on a level counts as much as any other."""
Weighting = Literal["levels", "items"]


class BinaryFit(Protocol):
    """What a curve needs of scikit-learn's logistic regressions."""

    coef_: Floats
    intercept_: Floats

    def fit(self, X: Floats, y: Floats, sample_weight: Floats) -> object:
        """Fit to outcomes 0 and 1 with weights."""


@dataclass(frozen=True)
class CharacteristicCurve:
    """A logistic curve of success against demand.

    >>> curve = CharacteristicCurve(ability=4.0, slope=1.5)
    >>> curve.success([4.0, 5.0]).round(3).tolist()
    [0.5, 0.182]
    """

    ability: float
    """Level at which one half of the items is solved; it may lie outside the levels seen."""
    slope: float
    """By how much the log of the odds falls from a level to the next."""
    bounds: tuple[float, float] | None = None
    """Where the ability lies by the shares alone, if it was fitted: between the levels at which
    they pass one half; infinite on a side on which none did, where the anchor made the number."""

    def success(self, levels: ArrayLike) -> Floats:
        """Return the chance of success at `levels`, in their shape."""
        return np.asarray(expit(self.slope * (self.ability - finite("levels", levels))))


class LevelCounts(NamedTuple):
    """Items by level on one dimension, arrays of shape (levels,)."""

    levels: Floats
    items: Floats
    solved: Floats

    @property
    def success_rates(self) -> Floats:
        """Share of each level's items that is solved."""
        return self.solved / self.items


def dominant_counts(demands: ArrayLike, solved: ArrayLike, dimension: int) -> LevelCounts:
    """Return items and successes by level, from low to high, of the items that `dimension` decides.

    Only items count of which no other demand is above this dimension's. `demands` are levels of
    shape (items, dimensions), `solved` is 0 or 1.

    >>> dominant_counts([[2, 1], [2, 3], [3, 3]], [1, 0, 0], 0).items.tolist()
    [1.0, 1.0]
    """
    table, outcomes = finite("demands", demands), within("solved", solved, 0, 1)
    if table.ndim != 2 or outcomes.shape != table.shape[:1]:
        raise ValueError(
            f"demands and solved must have shapes (items, dimensions) and (items,), "
            f"got {table.shape} and {outcomes.shape}"
        )
    if whole("dimension", dimension) >= table.shape[1]:
        raise ValueError(f"dimension must be below {table.shape[1]}, got {dimension!r}")
    asked = table[:, dimension]
    kept = asked >= table.max(axis=1)
    levels, indices = np.unique(asked[kept], return_inverse=True)
    items = np.bincount(indices, minlength=levels.size).astype(float)
    solved_here = np.bincount(indices, outcomes[kept], levels.size).astype(float)
    return LevelCounts(levels, items, solved_here)


def level_masses(items: ArrayLike, eligible: float = ELIGIBLE) -> Floats:
    """Return how much each level counts in the fit of a curve.

    Every level of `eligible` items or more counts as much as the one with most; together they are
    then given the fraction of the whole that their items have, and the others the rest.

    >>> level_masses([57, 663, 2366, 699]).round(1).tolist()
    [108.5, 2366.0, 2366.0, 2366.0]
    """
    counts = non_negative("items", sample("items", items))
    large = counts >= positive("eligible", eligible)
    if not large.any():
        raise ValueError(
            f"items must reach {eligible:g} at one level or more, got at most {counts.max():g}"
        )
    masses = np.where(large, counts.max(), 0.0)
    total = masses.sum() / (1 - counts[~large].sum() / counts.sum())
    return np.where(large, masses, counts / counts.sum() * total)


def fit_characteristic_curve(
    levels: ArrayLike,
    items: ArrayLike,
    solved: ArrayLike,
    *,
    weighting: Weighting = "levels",
    anchor: float | None = ANCHOR,
    eligible: float = ELIGIBLE,
    regression: BinaryFit | None = None,
) -> CharacteristicCurve:
    """Return the logistic curve through a subject's successes at two levels or more.

    Levels are weighted by `level_masses`, so that the curve doesn't depend on the number of items
    at a level, or by "items". At the `anchor`, if any, all fail, with the weight of all others
    together. Without a `regression` of scikit-learn's interface it's its own with a penalty of one
    half of the squared slope, taken to its optimum; where levels span much less than 1 the penalty
    decides, not the items. Where success doesn't change with the level there is no ability, which
    is refused.

    >>> curve = fit_characteristic_curve([2, 3, 4, 5], [57, 663, 2366, 699], [56, 631, 1488, 260])
    >>> round(curve.ability, 2), round(curve.slope, 2)
    (4.56, 1.53)
    """
    x, n, right = _table(levels, items, solved)
    one_of("weighting", weighting, get_args(Weighting))
    masses = level_masses(n, eligible) if weighting == "levels" else n
    fraction = right / n
    rows: list[Floats] = [x, x] if anchor is None else [x, x, finite("anchor", [anchor])]
    weights = [
        masses * fraction,
        masses * (1 - fraction),
        *(masses.sum(keepdims=True) for _ in rows[2:]),
    ]
    outcomes = np.concatenate([np.ones_like(x), *(np.zeros_like(part) for part in rows[1:])])
    unit, given = 1.0, np.concatenate(rows)[:, None]
    if regression is None:
        from sklearn.linear_model import LogisticRegression

        # In units of the levels' range, in which the solver finds the optimum of any levels.
        unit = float(np.ptp(given)) or 1.0
        regression = LogisticRegression(C=unit**2, solver="newton-cholesky", tol=1e-8)
    regression.fit(given / unit, outcomes, np.concatenate(weights))
    slope, start = -float(regression.coef_[0, 0]) / unit, float(regression.intercept_[0])
    change = abs(slope) * float(np.ptp(given))
    if change < 1e-9:
        raise ValueError(
            f"solved must change with the level for an ability to exist, got log odds that change "
            f"by {change:.2g} over the levels"
        )
    return CharacteristicCurve(start / slope, slope, _bounds(x, fraction))


def _bounds(levels: Floats, fractions: Floats) -> tuple[float, float]:
    """Return the highest level of which half or more is solved, and the lowest of which less is."""
    most, less = levels[fractions >= 0.5], levels[fractions < 0.5]
    low = float(most.max()) if most.size else -np.inf
    high = float(less.min()) if less.size else np.inf
    return min(low, high), max(low, high)


def mix_accuracy(items: ArrayLike, success_rates: ArrayLike) -> Floats:
    """Return the accuracy on a mix of levels: the mean of their fractions solved, by items.

    >>> mix_accuracy([[3, 1], [3, 300]], [0.9, 0.5]).round(3).tolist()
    [0.8, 0.504]
    """
    counts, rates = non_negative("items", items), within("success_rates", success_rates, 0, 1)
    if not (counts.ndim and rates.ndim and counts.shape[-1] == rates.shape[-1]):
        raise ValueError(
            f"items and shares must have one entry for each level, got shapes {counts.shape} and "
            f"{rates.shape}"
        )
    total = counts.sum(axis=-1)
    if not (total > 0).all():
        raise ValueError(f"items must not all be 0, got {items!r}")
    return np.asarray((counts * rates).sum(axis=-1) / total)


def _table(
    levels: ArrayLike, items: ArrayLike, solved: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    x, n = sample("levels", levels, 2), positive("items", sample("items", items, 2))
    right = non_negative("solved", sample("solved", solved, 2))
    if not x.size == n.size == right.size:
        raise ValueError(
            f"levels, items and solved must have one length, got {x.size}, {n.size}, {right.size}"
        )
    if (right > n).any():
        raise ValueError(f"solved must be at most items at each level, got {right} of {n}")
    return x, n, right
