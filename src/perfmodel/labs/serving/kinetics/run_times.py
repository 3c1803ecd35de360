"""The time of one sequence alone on a GPU, from the shapes of six models.

If no other sequence shares the weights, a run takes

    T = N l t + N w P / B_w + D_b (p N + N^2/2) / B_c + (2 P p + r D p^2) / X

seconds: N tokens generated after a prompt of p; l layers with a fixed time t in each step; P
weights of w bytes; D_b bytes per token in the cache; and the prompt's own pass, at X FLOP/s. The
constants belong to a machine and a program, not to a model, so runs of other models determine them.
A regression and a learned model get the same runs, with one model held out at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from perfmodel.labs.serving.kinetics.inputs import WRITTEN, Qwen, model, runs
from perfmodel.serving import text_demand
from perfmodel.validation import Floats, non_negative, one_of

BYTES_ONLY, ONE_RATE, TWO_RATES = "bytes alone", "and a time a layer", "and a rate of the cache"
FORMS = {
    BYTES_ONLY: ((1, 2), (3,)),
    ONE_RATE: ((0,), (1, 2), (3,)),
    TWO_RATES: ((0,), (1,), (2,), (3,)),
}
"""Which of the four amounts (layer steps, weights' bytes, the cache's, the prompt's FLOP) share a
constant; the first form charges no layer steps, and a byte is a byte in the first two."""


class Constants(NamedTuple):
    """Of one machine and program."""

    layer: float
    """Seconds of a layer in a step, whatever it reads."""
    weights: float
    """Bytes/s of weights."""
    cache: float
    """Bytes/s of keys and values."""
    prompt: float
    """FLOP/s of a prompt's pass."""

    def seconds(self, qwen: Qwen, prompt: ArrayLike) -> Floats:
        """Return the seconds of a run that writes 2,048 tokens after `prompt` tokens."""
        steps, weights, cached, work = _amounts(qwen, prompt)
        reading = weights / self.weights + cached / self.cache
        return np.asarray(steps * self.layer + reading + work / self.prompt)

    def speed(self, qwen: Qwen, prompt: ArrayLike) -> Floats:
        """Return the tokens/s as they were measured: all tokens over the whole time."""
        return np.asarray((np.asarray(prompt) + WRITTEN) / self.seconds(qwen, prompt))

    def even_context(self, qwen: Qwen) -> float:
        """Return the cached tokens whose reading takes as long as the rest of a step."""
        fixed = qwen.layers * self.layer + qwen.demand.weight_bytes / self.weights
        return float(fixed / qwen.demand.cache_bytes * self.cache)


def _amounts(qwen: Qwen, prompt: ArrayLike) -> Floats:
    """Return layer steps, bytes of weights, bytes of the cache and the prompt's FLOP."""
    start = np.atleast_1d(non_negative("prompt", prompt))
    text = text_demand(qwen.demand, start, WRITTEN, batch=1)
    first = text_demand(qwen.demand, 0, start)
    steps = np.full_like(start, float(qwen.layers * WRITTEN))
    return np.stack([steps, text.weights, text.cache, first.matrices + first.attention])


@cache
def fitted(form: str, without: str = "") -> Constants:
    """Return the constants that fit the measured runs best, those of one model left out if named.

    Least squares of relative errors, no constant below 0.

    >>> found = fitted(ONE_RATE)
    >>> round(found.weights / 1e12, 2), round(found.layer * 1e6)
    (1.47, 41)
    """
    measured = runs()
    training = np.array([name != without for name in measured.name])
    columns = _columns(form)[training]
    constants, _ = nnls(columns / measured.seconds[training, None], np.ones(int(training.sum())))
    inverse = np.zeros(4)
    for share, group in zip(constants, FORMS[form], strict=True):
        inverse[list(group)] = share
    return Constants(float(inverse[0]), *(float(1 / share) for share in inverse[1:]))


def predicted(form: str, name: str, prompt: float) -> float:
    """Return the tokens/s of a run by constants from all other models.

    >>> round(predicted(ONE_RATE, "8B", 30_720))
    838
    """
    return float(fitted(form, name).speed(model(name), prompt)[0])


def errors(form: str, held_out: bool = True) -> Floats:
    """Return by which share each run's predicted speed is off, shape (31,)."""
    measured = runs()
    ours = [
        fitted(form, name if held_out else "").seconds(model(name), prompt)[0]
        for name, prompt in zip(measured.name, measured.prompt, strict=True)
    ]
    return np.asarray(measured.seconds / np.array(ours) - 1)


def _columns(form: str) -> Floats:
    one_of("form", form, FORMS)
    measured = runs()
    pairs = zip(measured.name, measured.prompt, strict=True)
    amounts = np.concatenate([_amounts(model(name), prompt) for name, prompt in pairs], axis=1)
    return np.stack([amounts[list(group)].sum(axis=0) for group in FORMS[form]], axis=1)


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
    one_of("name", name, models)
    return models[name]()


@cache
def learned(name: str) -> tuple[Floats, Floats]:
    """Return the seconds of each run, fitted to all, and learned from the other models' runs."""
    measured = runs()
    names = np.array(measured.name)
    size = np.array([model(run).parameters for run in measured.name])
    inputs = np.log(np.column_stack([size, measured.prompt + WRITTEN]))
    target = np.log(measured.seconds)
    inside = learner(name).fit(inputs, target).predict(inputs)
    outside = np.empty_like(target)
    for left_out in dict.fromkeys(measured.name):
        out = names == left_out
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
            inside, outside = (measured.seconds / predicted - 1 for predicted in learned(name))
        off = abs(outside)
        mean_off = float(off.mean())
        rows.append((name, CONSTANTS[name], float(abs(inside).mean()), mean_off, float(off.max())))
    return rows
