"""What a regression and a learned model make of the same 20 steps, on the same held-out SSDs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from perfmodel.labs.offloading.fuyou.forms import FORMS, fitted, held_out
from perfmodel.labs.offloading.fuyou.inputs import measured
from perfmodel.validation import Floats

LEARNERS = ("plane of logarithms", "parabola of logarithms", "Gaussian process")


def learner(name: str) -> Any:
    """Return an unfitted model of ln(FLOP/s) over ln(batch) and ln(SSDs)."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures

    kernel = ConstantKernel(1.0) * RBF([1.0, 1.0], (0.1, 10)) + WhiteKernel(1e-3, (1e-5, 1e-1))
    models: dict[str, Callable[[], Any]] = {
        LEARNERS[0]: LinearRegression,
        LEARNERS[1]: lambda: make_pipeline(PolynomialFeatures(2), LinearRegression()),
        LEARNERS[2]: lambda: GaussianProcessRegressor(kernel, normalize_y=True, random_state=0),
    }
    if name not in models:
        raise ValueError(f"name must be one of {', '.join(models)}, got {name!r}")
    return models[name]()


@cache
def learned(name: str) -> tuple[Floats, Floats]:
    """Return the FLOP/s of each step, fitted to all, and learned from other numbers of SSDs."""
    steps = measured()
    inputs, rate = np.log(np.column_stack([steps.batch, steps.drives])), np.log(steps.rate)
    inside = learner(name).fit(inputs, rate).predict(inputs)
    outside = np.empty_like(rate)
    for drives in np.unique(steps.drives):
        out = steps.drives == drives
        outside[out] = learner(name).fit(inputs[~out], rate[~out]).predict(inputs[out])
    return np.exp(inside), np.exp(outside)


def contest() -> list[tuple[str, int, float, float, float]]:
    """Return each model's name, fitted numbers and errors.

    The errors are shares by which the FLOP/s are off: the mean of fitted steps, the mean of
    held-out ones, and the worst of those.
    """
    steps = measured()
    rows = []
    for form in FORMS:
        inside = fitted(form).rate(steps.batch, steps.drives)
        rows.append((form, 4 if form == "norm of two" else 3, inside, held_out(form)))
    for name, numbers in zip(LEARNERS, (3, 6, 4), strict=True):
        rows.append((name, numbers, *learned(name)))
    return [
        (name, numbers, *_errors(inside / steps.rate - 1, outside / steps.rate - 1))
        for name, numbers, inside, outside in rows
    ]


def _errors(inside: Floats, outside: Floats) -> tuple[float, float, float]:
    return float(abs(inside).mean()), float(abs(outside).mean()), float(abs(outside).max())
