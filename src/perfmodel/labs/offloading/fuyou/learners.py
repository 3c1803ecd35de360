"""What a regression and a learned model make of the same 20 steps, on the same held-out SSDs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from perfmodel.labs.offloading.fuyou.folds import by_fold
from perfmodel.labs.offloading.fuyou.forms import CONSTANTS, FORMS, fitted, held_out
from perfmodel.labs.offloading.fuyou.inputs import Measured, measured
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
        LEARNERS[1]: lambda: make_pipeline(
            PolynomialFeatures(2, include_bias=False), LinearRegression()
        ),
        LEARNERS[2]: lambda: GaussianProcessRegressor(kernel, normalize_y=True, random_state=0),
    }
    if name not in models:
        raise ValueError(f"name must be one of {', '.join(models)}, got {name!r}")
    return models[name]()


class Learned(NamedTuple):
    """What a learner makes of the measured steps, and with how many numbers."""

    fitted: Floats
    """FLOP/s of each step, learned from all."""
    held_out: Floats
    """FLOP/s of each step, learned from other numbers of SSDs."""
    numbers: int
    """That fitting found; of a Gaussian process those of its kernel."""


@cache
def learned(name: str) -> Learned:
    """Return the FLOP/s of each step by a learner, one of `LEARNERS`."""
    steps = measured()
    model = learner(name).fit(_inputs(steps), np.log(steps.rate))
    unseen = by_fold(
        lambda kept, left: np.exp(
            learner(name).fit(_inputs(kept), np.log(kept.rate)).predict(_inputs(left))
        )
    )
    return Learned(np.exp(model.predict(_inputs(steps))), unseen, _numbers(model))


def contest() -> list[tuple[str, int, float, float, float]]:
    """Return each model's name, fitted numbers and errors.

    The errors are shares by which the FLOP/s are off: the mean of fitted steps, the mean of
    held-out ones, and the worst of those.
    """
    steps = measured()
    rows = []
    for form in FORMS:
        inside = fitted(form).rate(steps.batch, steps.drives)
        rows.append((form, len(CONSTANTS[form]), inside, held_out(form)))
    for name in LEARNERS:
        found = learned(name)
        rows.append((name, found.numbers, found.fitted, found.held_out))
    return [
        (name, numbers, *_errors(inside / steps.rate - 1, outside / steps.rate - 1))
        for name, numbers, inside, outside in rows
    ]


def _inputs(steps: Measured) -> Floats:
    return np.log(np.column_stack([steps.batch, steps.drives]))


def _numbers(model: Any) -> int:
    if hasattr(model, "kernel_"):
        return len(model.kernel_.theta)
    line = model[-1] if hasattr(model, "steps") else model
    return int(line.coef_.size) + 1


def _errors(inside: Floats, outside: Floats) -> tuple[float, float, float]:
    return float(abs(inside).mean()), float(abs(outside).mean()), float(abs(outside).max())
