"""A Gaussian process with a length scale for each column, or one for all."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Matern, WhiteKernel

from perfmodel.validation import Floats

SHAPES = ("rough", "smooth")
MAX_SCALES = 20
"""Columns above which one scale serves all: hundreds of scales aren't found from a hundred rows."""


class GaussianProcess(BaseEstimator, RegressorMixin):  # type: ignore[misc]
    """Regression by a Gaussian process whose kernel is made for the columns that it is given.

    The kernel is `rough` (Matern's of nu = 3/2) or `smooth` (squared exponential), with a length
    scale for `each` of at most 20 columns, and a linear trend as a `line`. Scales, noise and
    variance are those of the greatest marginal likelihood (Rasmussen and Williams, Gaussian
    Processes for Machine Learning, 2006, chapter 5).
    """

    def __init__(self, shape: str = "rough", each: bool = False, line: bool = False) -> None:
        self.shape = shape
        self.each = each
        self.line = line

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to columns of like size, shape (n, p), and targets, shape (n,)."""
        if self.shape not in SHAPES:
            raise ValueError(f"shape must be one of {', '.join(SHAPES)}, got {self.shape!r}")
        seen = np.asarray(X, dtype=float)
        kernel = ConstantKernel(1.0, (1e-4, 1e3)) * self._shaped(seen.shape[1])
        noise = WhiteKernel(0.01, (1e-6, 1.0))
        self.fitted_ = GaussianProcessRegressor(kernel + noise, normalize_y=True).fit(seen, y)
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Return predictions, shape (n,)."""
        return np.asarray(self.fitted_.predict(np.asarray(X, dtype=float)))

    def _shaped(self, columns: int) -> Any:
        scales = np.full(columns, 2.0) if self.each and columns <= MAX_SCALES else 2.0
        bounds = (0.1, 100.0)
        of = Matern(scales, bounds, nu=1.5) if self.shape == "rough" else RBF(scales, bounds)
        return DotProduct() + of if self.line else of
