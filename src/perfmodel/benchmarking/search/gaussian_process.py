"""Sequential choice by a Gaussian process: run what is expected to improve most.

Source: D. R. Jones, M. Schonlau and W. J. Welch, "Efficient global optimization of expensive
black-box functions", Journal of Global Optimization 13, 1998.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from perfmodel.benchmarking.search.sampling import (
    Measure,
    Runner,
    feature_table,
    run_budget,
    space_filling,
)
from perfmodel.validation import Floats, finite, non_negative, whole

_REFIT = 1.25
"""The kernel's constants are fitted again when the runs have grown by this factor."""


def expected_improvement(mean: ArrayLike, deviation: ArrayLike, best: float) -> Floats:
    """Return by how much a run is expected to fall below `best`, the smallest cost so far.

    The predicted cost is normal with this `mean` and `deviation` (Jones et al., 1998, equation 15).

    Examples
    --------
    >>> expected_improvement([0.0, 1.0, 2.0], [1.0, 0.0, 0.0], 1.5).round(3).tolist()
    [1.529, 0.5, 0.0]
    """
    gain = float(finite("best", best)) - finite("mean", mean)
    spread = non_negative("deviation", deviation)
    z = gain / np.where(spread > 0, spread, 1)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    expected = np.where(spread > 0, gain * ndtr(z) + spread * density, gain)
    return np.asarray(np.maximum(expected, 0))


def gaussian_process_search(
    features: ArrayLike,
    measure: Measure,
    runs: int,
    start: int = 16,
    seed: int = 0,
    target: float = 0.0,
) -> NDArray[np.int64]:
    """Run a few spread configurations, then always the one of the largest expected improvement.

    A Gaussian process (scikit-learn's; Matern kernel of order 5/2 with one length, and noise) is
    fitted to the logarithms of the costs so far. Returns at most `runs` indices, in the order run.

    Parameters
    ----------
    features : array_like, shape (n, d)
        A row for each configuration. Scale all columns to one range, and give a factor without
        order a column for each level.
    measure : callable
        Takes a place, returns a cost above 0.
    runs : int
        From 1 to n.
    start : int
        Runs chosen by `space_filling` before the first fit, 2 or more.
    seed : int
        Seed of these.
    target : float
        Stop when a cost is this or less; at 0 all `runs` are made.

    Examples
    --------
    >>> grid = np.linspace(-1, 1, 50)[:, None]
    >>> found = gaussian_process_search(grid, lambda place: 1 + (grid[place, 0] - 0.3)**2, 9, 4)
    >>> bool(abs(grid[found, 0] - 0.3).min() < 0.05)
    True
    """
    from threadpoolctl import ThreadpoolController

    table = feature_table(features)
    budget = run_budget("runs", runs, len(table))
    runner = Runner(measure, target)
    for index in space_filling(table, min(whole("start", start, 2), budget), seed):
        if runner.run(int(index)):
            return np.array(runner.order)
    kernel, fitted, threads = None, 0, ThreadpoolController()
    while len(runner.order) < budget:
        again = kernel is None or len(runner.order) >= _REFIT * fitted
        with threads.limit(limits=1):  # more threads would only wait: the matrices are small
            process = _fitted_process(
                table[runner.order], np.log(runner.costs), None if again else kernel
            )
            mean, deviation = process.predict(table, return_std=True)
        kernel, fitted = process.kernel_, len(runner.order) if again else fitted
        promise = expected_improvement(mean, deviation, float(np.log(runner.costs).min()))
        promise[runner.order] = -1
        if runner.run(int(promise.argmax())):
            break
    return np.array(runner.order)


def _fitted_process(points: Floats, logs: Floats, kernel: Any) -> Any:
    """Fit a Gaussian process; with `kernel`, keep its constants."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    fresh = ConstantKernel(1, (1e-2, 1e2)) * Matern(1.0, (0.1, 30), nu=2.5)
    process = GaussianProcessRegressor(
        kernel or fresh + WhiteKernel(1e-4, (1e-7, 1e-1)),
        optimizer=None if kernel else "fmin_l_bfgs_b",
        normalize_y=True,
    )
    with warnings.catch_warnings():
        # A constant on its bound is no fault: few runs can't tell a long length from a longer one.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return process.fit(points, logs)
