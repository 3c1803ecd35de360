"""What a regression and a learned model make of the same runs, models held out in turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from perfmodel.labs.serving.kinetics.alone import FORMS, errors
from perfmodel.labs.serving.kinetics.inputs import WRITTEN, model, runs
from perfmodel.validation import Floats

LEARNERS = ("plane of logarithms", "parabola of logarithms", "Gaussian process")
CONSTANTS = {**{form: len(groups) for form, groups in FORMS.items()}} | dict(
    zip(LEARNERS, (3, 6, 4), strict=True)
)
"""Numbers that each model fits."""


def learner(name: str) -> Any:
    """Return an unfitted model of ln(seconds) over ln(parameters) and ln(prompt and output)."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    kernel = DotProduct() + ConstantKernel(1.0) * RBF([1.0, 1.0], (0.1, 100))
    settings: dict[str, Any] = {"alpha": 1e-3, "normalize_y": True, "random_state": 0}
    models: dict[str, Callable[[], Any]] = {
        LEARNERS[0]: LinearRegression,
        LEARNERS[1]: lambda: make_pipeline(PolynomialFeatures(2), LinearRegression()),
        LEARNERS[2]: lambda: make_pipeline(
            StandardScaler(), GaussianProcessRegressor(kernel, **settings)
        ),
    }
    if name not in models:
        raise ValueError(f"name must be one of {', '.join(models)}, got {name!r}")
    return models[name]()


@cache
def learned(name: str) -> tuple[Floats, Floats]:
    """Return the seconds of each run, fitted to all, and learned from the other models' runs."""
    measured = runs()
    names = np.array(measured.name)
    size = np.array([model(one).parameters for one in measured.name])
    inputs = np.log(np.column_stack([size, measured.prompt + WRITTEN]))
    target = np.log(measured.seconds)
    inside = learner(name).fit(inputs, target).predict(inputs)
    outside = np.empty_like(target)
    for one in dict.fromkeys(measured.name):
        out = names == one
        outside[out] = learner(name).fit(inputs[~out], target[~out]).predict(inputs[out])
    return np.exp(inside), np.exp(outside)


def contest() -> list[tuple[str, int, float, float, float]]:
    """Return each model's name, fitted numbers and errors of the speed.

    The errors are shares: the mean of fitted runs, the mean of held-out ones, and the worst.
    """
    measured = runs()
    rows = []
    for name in (*FORMS, *LEARNERS):
        if name in FORMS:
            inside, outside = errors(name, held_out=False), errors(name)
        else:
            inside, outside = (measured.seconds / found - 1 for found in learned(name))
        off = abs(outside)
        mean_off = float(off.mean())
        rows.append((name, CONSTANTS[name], float(abs(inside).mean()), mean_off, float(off.max())))
    return rows
