"""A graybox that chooses its own prices and its own learner, on its training rows alone.

The whitebox part is chosen among prices that both precisions share, prices of each precision, and
a seventh price. Then a learner corrects it, chosen among a Gaussian process, trees, a line, and
mixtures of them. Both choices are made by inner cross-validation (`Tuned`). The options themselves
were designed on `product_sweep.recorded` alone, with its test rows visible.

>>> sorted(chosen_graybox().settings)[:2]
['Gaussian process', 'Gaussian process and boosting']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perfmodel.labs.prediction.three_ways.product_time import (
    OF_WORDS,
    OPENBLAS_AVX512,
    SIZES_AND_WORD,
    by_precision,
    flop,
    least_bytes,
    work,
    work_and_cache,
)
from perfmodel.prediction.arena.estimators import Priced, logs
from perfmodel.prediction.arena.tuning import Tuned
from perfmodel.validation import Floats, positive

if TYPE_CHECKING:
    import pandas as pd

SEARCHED = 200
"""Rows at most on which the constants of a kernel are searched for; all rows are then used."""


def priced() -> Tuned:
    """Return the whitebox part: counts at prices, of which inner cross-validation picks a kind.

    Six or seven counts, shared by the precisions or each precision's own; and six counts of a
    library that sums in shorter stretches, always copies, or never does.
    """
    other = {
        "copies always": replace(OPENBLAS_AVX512, direct=0),
        "never copies": replace(OPENBLAS_AVX512, direct=2**62),
        "shorter sums": replace(OPENBLAS_AVX512, depth=256),
    }
    return Tuned(
        {
            "six prices": Priced(work),
            "six prices each": Priced(partial(by_precision, counts=work)),
            "seven prices": Priced(work_and_cache),
            "seven prices each": Priced(partial(by_precision, counts=work_and_cache)),
            **{name: Priced(partial(work, library=library)) for name, library in other.items()},
        }
    )


def chosen_graybox() -> Tuned:
    """Return prices times a learner, both chosen by inner cross-validation.

    The learners: a Gaussian process, alone or averaged with trees or with boosting, and a line.
    With too few rows to choose by, the first of each is taken.
    """
    smooth = CorrectedPrices(priced(), SubsampledGaussianProcess(), alignment)
    trees = CorrectedPrices(priced(), extra_trees(), padding)
    boosted = CorrectedPrices(priced(), boosted_trees(), padding)
    line = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 3, 11)))
    return Tuned(
        {
            "Gaussian process and trees": GeometricMean(smooth, trees),
            "Gaussian process and boosting": GeometricMean(smooth, boosted),
            "Gaussian process": smooth,
            "ridge": CorrectedPrices(priced(), line, alignment),
        }
    )


def boosted_graybox() -> CorrectedPrices:
    """Return the same prices times boosting; only the prices are chosen."""
    return CorrectedPrices(priced(), boosted_trees(), padding)


def extra_trees() -> Any:
    """Return a hundred randomised trees with leaves of two rows or more."""
    return ExtraTreesRegressor(100, min_samples_leaf=2, random_state=0)


def boosted_trees() -> Any:
    """Return gradient boosting that sees some of the rows and columns at each step."""
    return GradientBoostingRegressor(
        n_estimators=300,
        max_depth=4,
        learning_rate=0.04,
        subsample=0.6,
        min_samples_leaf=4,
        max_features=0.4,
        random_state=0,
    )


def alignment(features: pd.DataFrame) -> Floats:
    """Return what a tiled library's time depends on besides size, shape (n, 2).

    The columns are the empty fraction of a row's last vector, and whether rows of B are a multiple
    of 4096 bytes apart. Such rows compete for the same lines of the cache.
    """
    row = features["n"].to_numpy() * features["word"].to_numpy()
    empty = (-row % 64) / 64
    return np.column_stack([empty, (row % 4096 == 0).astype(float)])


def padding(features: pd.DataFrame) -> Floats:
    """Return `alignment`, that of the rows of A, and how far sizes are rounded up, shape (n, 11).

    The last eight columns are logarithms of padded over asked: n in whole vectors, in pairs and in
    fours of them; m in tiles of 4, 8 and 16 rows; k in unrolled fours and in stretches of 384.
    """
    m, n, k, word = (features[name].to_numpy(dtype=float) for name in SIZES_AND_WORD)
    lanes = OPENBLAS_AVX512.vector / word
    steps = [(n, lanes), (n, 2 * lanes), (n, 4 * lanes), (m, 4), (m, 8), (m, 16), (k, 4), (k, 384)]
    padded = [np.log(np.ceil(size / step) * step / size) for size, step in steps]
    return np.column_stack([alignment(features), k * word % 4096 == 0, *padded])


@dataclass(eq=False, repr=False)
class CorrectedPrices(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Prices times a learner's correction; the learner sees where the modelled time goes.

    Its inputs are the logarithms of sizes, word, operations, bytes and modelled time, each count's
    fraction of that time, and the derived columns, shape (n, q), unchanged. Its target is the
    logarithm of the measured time divided by the modelled time. `model` is a `Tuned` of `Priced`
    estimators.
    """

    model: Tuned
    learner: Any
    derived: Callable[[pd.DataFrame], ArrayLike]

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Choose and fit the prices, then fit the learner to their residuals."""
        self.model_ = clone(self.model).fit(X, y)
        self.rate_ = float(np.median(positive("y", y) / flop(X)))
        residuals = np.log(np.asarray(y, dtype=float) / self._modelled(X))
        self.learner_ = clone(self.learner).fit(self._seen(X), residuals)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), above 0."""
        return np.asarray(self._modelled(X) * np.exp(self.learner_.predict(self._seen(X))))

    def _modelled(self, features: pd.DataFrame) -> Floats:
        # A few rows may leave prices of 0 for all that a product counts: a word never seen.
        modelled = self.model_.predict(features)
        return np.asarray(np.where(modelled > 0, modelled, self.rate_ * flop(features)))

    def _seen(self, features: pd.DataFrame) -> Floats:
        modelled = self._modelled(features)
        parts = _by_count(self.model_.fitted_.parts(features))
        shares = [part / modelled for part in parts.values()]
        sizes = np.log(np.column_stack([modelled, flop(features), least_bytes(features)]))
        return np.column_stack(
            [logs(features, SIZES_AND_WORD), self.derived(features), *shares, sizes]
        )


def _by_count(parts: Mapping[str, Floats]) -> dict[str, Floats]:
    # Prices of each precision name the word after the count; a product has one word only.
    together: dict[str, Floats] = {}
    for name, part in parts.items():
        count = name.partition(OF_WORDS)[0]
        together[count] = together.get(count, 0.0) + part
    return together


@dataclass(eq=False, repr=False)
class GeometricMean(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The geometric mean of the predictions of two estimators of positive targets."""

    first: Any
    second: Any

    def fit(self, X: pd.DataFrame, y: ArrayLike) -> Self:
        """Fit both."""
        self.fitted_ = [clone(estimator).fit(X, y) for estimator in (self.first, self.second)]
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        """Return predictions, shape (n,), above 0."""
        first, second = (positive("prediction", estimator.predict(X)) for estimator in self.fitted_)
        return np.asarray(np.sqrt(first * second))


@dataclass(eq=False, repr=False)
class SubsampledGaussianProcess(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A Gaussian process on standardised inputs, whose kernel is optimised on a subset of rows.

    The search uses at most `rows` rows, because each of its many steps costs their third power.
    The final fit uses all rows and pays this cost once.
    """

    rows: int = SEARCHED

    def fit(self, X: Floats, y: ArrayLike) -> Self:
        """Fit to inputs, shape (n, p), and targets, shape (n,)."""
        target = np.asarray(y, dtype=float)
        self.centre_, self.spread_ = float(target.mean()), float(target.std()) or 1.0
        self.scaler_ = StandardScaler().fit(X)
        seen, standardised = self.scaler_.transform(X), (target - self.centre_) / self.spread_
        subset = np.random.default_rng(0).permutation(target.size)[: self.rows]
        start = ConstantKernel(0.3, (1e-4, 1e2)) * Matern(2.0, (0.2, 50.0), nu=1.5)
        search = GaussianProcessRegressor(start + WhiteKernel(0.1, (1e-3, 1.0)))
        kernel = search.fit(seen[subset], standardised[subset]).kernel_
        self.process_ = GaussianProcessRegressor(kernel, optimizer=None).fit(seen, standardised)
        return self

    def predict(self, X: Floats) -> Floats:
        """Return predictions, shape (n,)."""
        standardised = self.process_.predict(self.scaler_.transform(X))
        return np.asarray(self.centre_ + self.spread_ * standardised)
