"""Clusters of a benchmark's items by difficulty, their laws, and what they say about the whole.

Items whose pass rates go alike with the size of small models share a cluster; each cluster has a
curve of its own in compute. Clusters whose curve says too little of larger models are set aside,
and a monotone map leads from the rest to the whole benchmark.

Source: C. Xu, K. Chen, X. Li, K. Shen, C. Li, "Unveiling downstream performance scaling of LLMs:
a clustering-based perspective", arXiv:2502.17262. They cluster by a mean shift of their own with
bounded diameters; here it is scikit-learn's, and items beyond a cluster's bandwidth are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.forecasting.fitting import LawFit, fit_law
from perfmodel.forecasting.laws import SUCCESS_LAW
from perfmodel.validation import Floats, positive, sample, whole, within

_STEEPEST_FLAT = 0.1
"""Exponents up to this are of curves that hardly rise any more."""

_DIGITS = 6
"""Of scores; those that agree so far are the same."""


@dataclass(frozen=True, eq=False)
class ItemCluster:
    """Items of like difficulty, and the law of their mean pass rate."""

    items: NDArray[np.intp]
    """Rows of the table of pass rates."""
    rates: Floats
    """Mean pass rate of each model, shape (models,)."""
    fit: LawFit
    """`SUCCESS_LAW`, its floor held and its ceiling at most 1."""
    smallest: float
    """Compute of the smallest model."""

    @property
    def lasting_loss(self) -> float:
        """Loss that no compute removes: c, with the ceiling at R0 + (1 - R0) exp(-c)."""
        start, ceiling = (self.fit.theta[name] for name in ("R0", "A"))
        return float(-np.log(max((ceiling - start) / (1 - start), 1e-300)))

    @property
    def loss_to_lose(self) -> float:
        """Loss that compute removes, as the smallest model has it: a, with C in its compute."""
        return float((self.fit.theta["K"] / self.smallest) ** self.fit.theta["b"])

    @property
    def extrapolatable(self) -> bool:
        """Whether the curve still rises from the smallest model on, towards a high ceiling.

        That is a > 1, b > 0.1 and 0 <= c < 1 in a C^-b + c, the loss, with C in units of the
        smallest model's compute.
        """
        steep_enough = self.fit.theta["b"] > _STEEPEST_FLAT
        return bool(self.loss_to_lose > 1 and steep_enough and self.lasting_loss < 1)


@dataclass(frozen=True, eq=False)
class DifficultyClusters:
    """A benchmark's items in clusters."""

    clusters: tuple[ItemCluster, ...]
    """The hardest first, by their mean pass rates."""
    outliers: NDArray[np.intp]
    """Items of no cluster."""

    @property
    def kept(self) -> NDArray[np.intp]:
        """Items of the extrapolatable clusters, in their order."""
        return _joined(cluster.items for cluster in self.clusters if cluster.extrapolatable)

    @property
    def kept_fraction(self) -> float:
        """Share of all items that are in extrapolatable clusters."""
        total = sum(cluster.items.size for cluster in self.clusters) + self.outliers.size
        return self.kept.size / total

    def forecast(self, compute: ArrayLike, every: bool = False) -> Floats:
        """Return the mean pass rate that the clusters' laws predict, weighted by their items.

        Clusters that aren't extrapolatable count only where `every` one does.
        """
        counting = [item for item in self.clusters if every or item.extrapolatable]
        if not counting:
            raise ValueError("clusters must hold an extrapolatable one, got none")
        curves = [item.fit.predict(compute) for item in counting]
        sizes = [item.items.size for item in counting]
        return np.asarray(np.average(curves, axis=0, weights=sizes))


def fit_success(compute: ArrayLike, rates: ArrayLike, guess: float = 0.0) -> LawFit:
    """Fit `SUCCESS_LAW` to pass rates by least squares, its floor at `guess`, its ceiling below 1.

    >>> compute = np.array([1.0, 3, 10, 30, 100])
    >>> fit = fit_success(compute, 0.9 * np.exp(-4 * compute**-0.5))
    >>> print({name: round(value, 3) for name, value in fit.theta.items()})
    {'R0': 0.0, 'A': 0.9, 'K': 16.0, 'b': 0.5}
    """
    seen = within("rates", sample("rates", rates, 3), 0, 1)
    floor = _checked_guess(guess)
    fit = fit_law(SUCCESS_LAW, compute, seen, loss="least squares", fixed={"R0": floor})
    ceiling = min(max(fit.theta["A"], floor), 1.0)
    if fit.theta["A"] == ceiling:
        return fit
    held = {"R0": floor, "A": ceiling}
    return fit_law(SUCCESS_LAW, compute, seen, loss="least squares", fixed=held)


def cluster_items(
    pass_rates: ArrayLike,
    compute: ArrayLike,
    *,
    bandwidth: float = 0.45,
    min_items: int = 10,
    guess: float = 0.0,
) -> DifficultyClusters:
    """Cluster items by their pass rates over models of growing compute, and fit a law to each.

    `pass_rates` have the shape (items, models). The mean shift's bandwidth is a distance between
    rows; clusters of fewer than `min_items` items are outliers, and a table without a larger one is
    refused.

    >>> compute = np.array([1.0, 3, 10, 30, 100])
    >>> easy, hard = (np.exp(-a * compute**-0.5) for a in (1, 30))
    >>> found = cluster_items([easy] * 30 + [hard] * 20, compute)
    >>> [cluster.items.size for cluster in found.clusters]
    [20, 30]
    """
    from sklearn.cluster import MeanShift

    spent = positive("compute", sample("compute", compute, 3))
    rates = within("pass_rates", pass_rates, 0, 1)
    if rates.ndim != 2 or rates.shape[1] != spent.size or not len(rates):
        raise ValueError(
            f"pass_rates must be of shape (items, {spent.size}), a column for each model, "
            f"got {rates.shape}"
        )
    fewest, width = whole("min_items", min_items, 1), float(positive("bandwidth", bandwidth))
    shift = MeanShift(bandwidth=width, bin_seeding=True, cluster_all=False)
    labels = shift.fit_predict(rates)
    groups = [np.flatnonzero(labels == label) for label in range(labels.max() + 1)]
    large = sorted((g for g in groups if g.size >= fewest), key=lambda g: float(rates[g].mean()))
    if not large:
        raise ValueError(f"min_items must be at most a cluster's size, got {min_items!r}")
    clusters = tuple(_cluster(items, rates[items].mean(axis=0), spent, guess) for items in large)
    rest = np.setdiff1d(np.arange(len(rates)), _joined(large))
    return DifficultyClusters(clusters, rest)


def whole_from_part(part: ArrayLike, whole_score: ArrayLike) -> Callable[[ArrayLike], Floats]:
    """Return a rising map from the score on some items to that on all, through models that ran.

    It goes through (0, 0), (1, 1) and the models' scores, averaged where they would fall, and is a
    monotone cubic in between.

    >>> to_whole = whole_from_part([0.2, 0.6], [0.1, 0.4])
    >>> print(to_whole([0.0, 0.2, 0.6, 1.0]).round(3))
    [0.  0.1 0.4 1. ]
    """
    from scipy.interpolate import PchipInterpolator
    from sklearn.isotonic import IsotonicRegression

    x = within("part", sample("part", part), 0, 1).round(_DIGITS)
    y = within("whole_score", sample("whole_score", whole_score), 0, 1).round(_DIGITS)
    if x.shape != y.shape:
        raise ValueError(
            f"part and whole_score must be as long as each other, got {x.size} and {y.size}"
        )
    inner = (x > 0) & (x < 1)
    knots = np.unique(np.r_[0.0, x[inner], 1.0])
    rising = IsotonicRegression(out_of_bounds="clip").fit(x, y).predict(knots)
    rising[[0, -1]] = 0, 1
    spline = PchipInterpolator(knots, rising)
    return lambda scores: np.asarray(spline(within("scores", scores, 0, 1)))


def _cluster(items: NDArray[np.intp], rates: Floats, compute: Floats, guess: float) -> ItemCluster:
    return ItemCluster(items, rates, fit_success(compute, rates, guess), float(compute.min()))


def _checked_guess(guess: float) -> float:
    if not 0 <= guess < 1:
        raise ValueError(f"guess must be at least 0 and below 1, got {guess!r}")
    return float(guess)


def _joined(groups: Iterable[NDArray[np.intp]]) -> NDArray[np.intp]:
    return np.sort(np.concatenate([*groups, np.empty(0, dtype=np.intp)]))
