"""Whiteboxes of few constants, and learners on logarithms or on columns, as estimators.

Each has scikit-learn's interface; targets are positive. Mixtures of both are in `mixtures`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize
from sklearn.base import BaseEstimator, RegressorMixin, clone

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.validation import Floats, finite, positive

if TYPE_CHECKING:
    import pandas as pd


class Formula(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Whitebox without a constant to fit: a function of the features.

    >>> Formula(lambda metres: metres / 3e8).predict(np.array([6e8])).tolist()
    [2.0]

    Parameters
    ----------
    compute : callable
        Takes the features and returns what they predict, shape (n,).
    """

    def __init__(self, compute: Callable[[pd.DataFrame], ArrayLike]) -> None:
        self.compute = compute

    def fit(self, X: Any, y: Any) -> Self:
        """Learn nothing."""
        self.fitted_ = True
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,)."""
        return np.asarray(self.compute(X), dtype=float)


class Priced(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Whitebox: a target that is a sum of counts, each at a price of 0 or more that is fitted.

    The prices minimise the sum of squared relative errors: a problem with one minimum. `counts`
    takes the features and returns the counts by name, each of shape (n,).
    """

    def __init__(self, counts: Callable[[pd.DataFrame], Mapping[str, ArrayLike]]) -> None:
        self.counts = counts

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the prices to positive targets, shape (n,)."""
        target = positive("y", y)
        counted = self.counts(X)
        relative = np.column_stack(list(counted.values())) / target[:, None]
        # Counts differ by ten decades; the solver needs similar sizes.
        scale = np.sqrt(np.mean(relative**2, axis=0))
        scale[scale == 0] = 1.0
        prices = optimize.nnls(relative / scale, np.ones(target.size))[0] / scale
        self.prices_ = dict(zip(counted, prices.tolist(), strict=True))
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,)."""
        return np.asarray(sum(self.parts(X).values()))

    def intervals(
        self,
        X: pd.DataFrame,
        y: ArrayLike,
        resamples: int = 200,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> dict[str, tuple[float, float]]:
        """Return a percentile interval of each price, by fitting to rows drawn with replacement.

        An interval that begins at 0 says that these runs don't determine the price.

        Parameters
        ----------
        X, y
            The runs that the prices are fitted to.
        resamples, seed : int
            How many times rows are drawn, and by which random numbers.
        confidence : float
            Of each interval, above 0 and below 1.
        """
        random, target = np.random.default_rng(seed), positive("y", y)
        drawn = random.integers(target.size, size=(resamples, target.size))
        fits = [clone(self).fit(X.iloc[rows], target[rows]).prices_ for rows in drawn]
        ends = ((1 - check_level(confidence)) / 2, (1 + confidence) / 2)
        quantiles = {name: np.quantile([fit[name] for fit in fits], ends) for name in fits[0]}
        return {name: (float(low), float(high)) for name, (low, high) in quantiles.items()}

    def parts(self, features: pd.DataFrame) -> dict[str, Floats]:
        """Return what each count of `features` costs, shape (n,) by name: where the time goes."""
        counted = self.counts(features)
        return {name: self.prices_[name] * np.asarray(count) for name, count in counted.items()}


class LogFeatures(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A learner that sees logarithms: of the features named, and of the target.

    A straight line here is a power law there, and equal relative errors have equal weights.

    Parameters
    ----------
    learner : estimator
    columns : sequence of str
        Positive features that it sees; others it does not.
    per : callable, optional
        Takes the features and returns what the target is divided by before the logarithm, shape
        (n,): with operations, the learner learns seconds per operation.
    plain : sequence of str
        Features that it sees as they are: flags, shares, counts that may be 0.
    """

    def __init__(
        self,
        learner: Any,
        columns: Sequence[str],
        per: Callable[[pd.DataFrame], ArrayLike] | None = None,
        plain: Sequence[str] = (),
    ) -> None:
        self.learner = learner
        self.columns = columns
        self.per = per
        self.plain = plain

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn from features and positive targets, shape (n,)."""
        target = positive("y", y) / self._scale(X)
        self.fitted_ = clone(self.learner).fit(self._seen(X), np.log(target))
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), above 0."""
        return np.asarray(np.exp(self.fitted_.predict(self._seen(X))) * self._scale(X))

    def _seen(self, features: pd.DataFrame) -> Floats:
        return with_plain(logs(features, self.columns), features, self.plain)

    def _scale(self, features: pd.DataFrame) -> Any:
        return 1.0 if self.per is None else positive("per", self.per(features))


class Columns(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A learner on some numeric columns as they are, and on the target as it is."""

    def __init__(self, learner: Any, columns: Sequence[str]) -> None:
        self.learner = learner
        self.columns = columns

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn from features and targets, shape (n,)."""
        self.fitted_ = clone(self.learner).fit(X[list(self.columns)].to_numpy(dtype=float), y)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,)."""
        return np.asarray(self.fitted_.predict(X[list(self.columns)].to_numpy(dtype=float)))


def logs(features: pd.DataFrame, columns: Sequence[str]) -> Floats:
    """Return the logarithms of positive columns, shape (n, p)."""
    return np.log(positive("features", features[list(columns)].to_numpy(dtype=float)))


def with_plain(seen: Floats, features: pd.DataFrame, plain: Sequence[str]) -> Floats:
    """Return columns (n, p) next to q finite ones that stay unchanged, shape (n, p + q)."""
    if not plain:
        return seen
    return np.column_stack([seen, finite("features", features[list(plain)].to_numpy(dtype=float))])
