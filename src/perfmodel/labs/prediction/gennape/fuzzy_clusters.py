"""Fuzzy C-means, where points belong to every cluster, and a predictor with a head for each.

A patient with symptoms of two diseases sees two doctors, and weighs their opinions by how typical
the case is for each. In the same way, every head learns from all points, weighted by their
membership of its cluster, and answers for a new point with this weight.

>>> memberships([1.0, 2.0])
array([0.8, 0.2])

Source: J. C. Bezdek, "Pattern Recognition with Fuzzy Objective Function Algorithms", Plenum, 1981;
the heads after K. G. Mills et al., "GENNAPE", AAAI 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.preprocessing import StandardScaler

from perfmodel.validation import Floats, finite, non_negative, whole


def memberships(distances: ArrayLike, fuzzifier: float = 2.0) -> Floats:
    """Return how much a point belongs to each cluster: u_k = 1 / sum_j (d_k/d_j)^(2/(m-1)).

    Distances have shape (..., K); the memberships sum to 1. With m close to 1 the closest centre
    takes all, with a large m all have the same. A point on a centre belongs to it alone, on several
    to those equally.

    >>> memberships([1.0, 2.0, 4.0]).round(4)
    array([0.7619, 0.1905, 0.0476])
    """
    far = non_negative("distances", distances)
    power = 2 / (_above_one(fuzzifier) - 1)
    nearest = far.min(axis=-1, keepdims=True)
    # Relative to the nearest, so that no power of a small distance overflows.
    ratio = np.where(far > 0, nearest / np.where(far > 0, far, 1.0), 1.0)
    weight = ratio**power
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Clusters:
    """Centres found by `fuzzy_c_means`."""

    centres: Floats
    """Shape (K, p)."""
    fuzzifier: float
    objective: tuple[float, ...]
    """Sum of u^m d^2 over points and clusters after each step; it never rises."""

    def memberships(self, points: ArrayLike) -> Floats:
        """Return how much each of the points, shape (n, p), belongs to each cluster, (n, K)."""
        return memberships(cdist(finite("points", points), self.centres), self.fuzzifier)


def fuzzy_c_means(
    points: ArrayLike, clusters: int, fuzzifier: float = 2.0, seed: int = 0, steps: int = 200
) -> Clusters:
    """Find centres c_k = sum_i u_ik^m x_i / sum_i u_ik^m by turns with the memberships u.

    Points, shape (n, p), are on one scale, as distances are Euclidean. The seed draws K different
    points; the centres start halfway between them and the mean. It stops when the objective falls
    by less than a hundred-thousandth, or after `steps`.
    """
    x = finite("points", points)
    if x.ndim != 2 or len(x) < whole("clusters", clusters, 1):
        raise ValueError(f"points must have shape ({clusters} or more, p), got {x.shape}")
    power = _above_one(fuzzifier)
    distinct = np.unique(x, axis=0)
    if len(distinct) < clusters:
        raise ValueError(
            f"clusters must be at most the {len(distinct)} different points, got {clusters}"
        )
    drawn = distinct[np.random.default_rng(seed).permutation(len(distinct))[:clusters]]
    # A centre on a point belongs to that point alone, and a high power never lets it go.
    centres = (drawn + x.mean(axis=0)) / 2
    objective: list[float] = []
    for _ in range(whole("steps", steps, 1)):
        shares = memberships(cdist(x, centres), power)
        # Relative to the largest, so that a high power leaves something of each cluster.
        weight = (shares / shares.max(axis=0)) ** power
        centres = weight.T @ x / weight.sum(axis=0)[:, None]
        objective.append(float(np.sum(shares**power * cdist(x, centres, "sqeuclidean"))))
        if len(objective) > 1 and objective[-2] - objective[-1] <= 1e-5 * objective[-2]:
            break
    return Clusters(centres, power, tuple(objective))


@dataclass(eq=False, repr=False)
class FuzzyHeads(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A learner for each cluster; a point's memberships weigh their answers.

    The learner must take weights of its points, as scikit-learn's ridge and forest do.
    """

    learner: Any
    heads: int = 4
    fuzzifier: float = 2.0
    seed: int = 0

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Cluster the features, shape (n, p), brought to one scale, and let each head learn."""
        self.scaler_ = StandardScaler().fit(X)
        seen = self.scaler_.transform(X)
        self.clusters_ = fuzzy_c_means(seen, self.heads, self.fuzzifier, self.seed)
        shares = self.clusters_.memberships(seen)
        self.heads_ = [clone(self.learner).fit(seen, y, sample_weight=share) for share in shares.T]
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Return the mixture of the heads' answers, shape (n,)."""
        seen = self.scaler_.transform(X)
        answers = np.column_stack([head.predict(seen) for head in self.heads_])
        return np.asarray((self.clusters_.memberships(seen) * answers).sum(axis=1))


def _above_one(fuzzifier: float) -> float:
    value = float(finite("fuzzifier", fuzzifier))
    if value <= 1:
        raise ValueError(f"fuzzifier must be above 1, got {fuzzifier!r}")
    return value
