"""Ways to put a model and a learner together, each an estimator of scikit-learn's interface.

`model` is a whitebox estimator of few constants, `learner` any regressor; targets are positive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize
from sklearn.base import BaseEstimator, RegressorMixin, clone

from perfmodel.validation import Floats, positive

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

    The prices minimise the sum of squared relative errors: a problem with one minimum.

    Parameters
    ----------
    counts : callable
        Takes the features and returns the counts by name, each of shape (n,).
    """

    def __init__(self, counts: Callable[[pd.DataFrame], Mapping[str, ArrayLike]]) -> None:
        self.counts = counts

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the prices to positive targets, shape (n,)."""
        target = positive("y", y)
        counted = self.counts(X)
        relative = np.column_stack(list(counted.values())) / target[:, None]
        # Counts differ by ten decades; the solver wants them alike.
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

        An interval that begins at 0 says that these runs can't tell the price.

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
        ends = ((1 - confidence) / 2, (1 + confidence) / 2)
        quantiles = {name: np.quantile([fit[name] for fit in fits], ends) for name in fits[0]}
        return {name: (float(low), float(high)) for name, (low, high) in quantiles.items()}

    def parts(self, features: pd.DataFrame) -> dict[str, Floats]:
        """Return what each count of `features` costs, shape (n,) by name: where the time goes."""
        counted = self.counts(features)
        return {name: self.prices_[name] * np.asarray(count) for name, count in counted.items()}


class LogFeatures(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A learner that sees logarithms: of the features named, and of the target.

    A straight line here is a power law there, and equal relative errors weigh alike.

    Parameters
    ----------
    learner : estimator
    columns : sequence of str
        Positive features that it sees; others it does not.
    per : callable, optional
        Takes the features and returns what the target is divided by before the logarithm, shape
        (n,): with operations, the learner learns seconds per operation.
    """

    def __init__(
        self,
        learner: Any,
        columns: Sequence[str],
        per: Callable[[pd.DataFrame], ArrayLike] | None = None,
    ) -> None:
        self.learner = learner
        self.columns = columns
        self.per = per

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Learn from features and positive targets, shape (n,)."""
        target = positive("y", y) / self._scale(X)
        self.fitted_ = clone(self.learner).fit(_logs(X, self.columns), np.log(target))
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), above 0."""
        return np.asarray(np.exp(self.fitted_.predict(_logs(X, self.columns))) * self._scale(X))

    def _scale(self, features: pd.DataFrame) -> Any:
        return 1.0 if self.per is None else positive("per", self.per(features))


class Columns(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A learner on some columns as they are, and on the target as it is.

    Parameters
    ----------
    learner : estimator
    columns : sequence of str
        Numeric features that it sees; others it does not.
    """

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


class Residual(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Graybox: a whitebox model times what a learner makes of its error.

    The learner is given the logarithms of measured over modelled time. Where it has nothing to say
    (far from every point) its answer is near a constant, and the model alone extrapolates.

    Parameters
    ----------
    model, learner : estimator
    columns : sequence of str
        Positive features that the learner sees, as logarithms.
    derived : callable, optional
        Takes the features and returns more columns for the learner, shape (n, q), as they are.
    """

    def __init__(
        self,
        model: Any,
        learner: Any,
        columns: Sequence[str],
        derived: Callable[[pd.DataFrame], ArrayLike] | None = None,
    ) -> None:
        self.model = model
        self.learner = learner
        self.columns = columns
        self.derived = derived

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the model, then the learner to the logarithms of what it leaves."""
        self.model_ = clone(self.model).fit(X, y)
        left = np.log(positive("y", y) / positive("model", self.model_.predict(X)))
        self.learner_ = clone(self.learner).fit(self._seen(X), left)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), above 0."""
        factor = np.exp(self.learner_.predict(self._seen(X)))
        return np.asarray(self.model_.predict(X) * factor)

    def _seen(self, features: pd.DataFrame) -> Floats:
        seen = _logs(features, self.columns)
        if self.derived is None:
            return seen
        return np.column_stack([seen, np.asarray(self.derived(features), dtype=float)])


class Corrected(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Graybox: a model plus what a learner makes of its error, in the target's own unit.

    Parameters
    ----------
    model, learner : estimator
    """

    def __init__(self, model: Any, learner: Any) -> None:
        self.model = model
        self.learner = learner

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the model, then the learner to what it leaves."""
        self.model_ = clone(self.model).fit(X, y)
        left = np.asarray(y, dtype=float) - self.model_.predict(X)
        self.learner_ = clone(self.learner).fit(X, left)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,)."""
        return np.asarray(self.model_.predict(X) + self.learner_.predict(X))


class WithModel(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Graybox: the model's answer is one more feature of the learner.

    The weaker mixture: a forest that is given the right answer as a feature still can't return a
    value beyond those it was trained on.

    Parameters
    ----------
    model, learner : estimator
    columns : sequence of str
        Positive features that the learner sees, as logarithms, beside the model's answer.
    """

    def __init__(self, model: Any, learner: Any, columns: Sequence[str]) -> None:
        self.model = model
        self.learner = learner
        self.columns = columns

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the model, then the learner on features and the model's answer."""
        self.model_ = clone(self.model).fit(X, y)
        told = LogFeatures(self.learner, [*self.columns, "model"])
        self.learner_ = told.fit(X.assign(model=self.model_.predict(X)), y)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), above 0."""
        return self.learner_.predict(X.assign(model=self.model_.predict(X)))


class Bounded(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """A learner whose answer is kept above a bound that nothing can beat.

    Parameters
    ----------
    learner : estimator
    bound : estimator
        Predicts the least time that is possible; it is fitted to the same runs.
    """

    def __init__(self, learner: Any, bound: Any) -> None:
        self.learner = learner
        self.bound = bound

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit the learner and the bound."""
        self.learner_ = clone(self.learner).fit(X, y)
        self.bound_ = clone(self.bound).fit(X, y)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), none below the bound."""
        return np.asarray(np.maximum(self.learner_.predict(X), self.bound_.predict(X)))


def _logs(features: pd.DataFrame, columns: Sequence[str]) -> Floats:
    return np.log(positive("features", features[list(columns)].to_numpy(dtype=float)))
