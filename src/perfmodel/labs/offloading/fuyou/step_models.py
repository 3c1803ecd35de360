"""The time of a step by its batch and number of SSDs: five forms, a regression, a learned model.

The GPU needs `sample` seconds for each sequence. SSDs need `drive` seconds for a step if there is
one of them, and n-th of that if there are n; `fixed` seconds are what more SSDs don't shorten. The
forms differ in what overlaps. Each model is fitted to measured steps, and tested on those of a
number of SSDs that it has not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.offloading.fuyou.inputs import (
    FORWARD_WORK,
    GPT_13B,
    READ,
    WRITTEN,
    Measured,
    measured,
)
from perfmodel.offloading import step_time
from perfmodel.validation import Floats, one_of, positive


def cross_val_predict(predict: Callable[[Measured, Measured], Floats]) -> Floats:
    """Return the FLOP/s of each measured step, predicted from steps with other numbers of SSDs.

    `predict` takes the training steps and the held-out steps, whose rates it must not read. For
    example, the steps with one SSD, predicted by the mean rate of all others:

    >>> cross_val_predict(lambda kept, left: np.full(len(left.rate), kept.rate.mean()))[:1] / 1e12
    array([120.48235294])
    """
    steps = measured()
    predicted = np.empty_like(steps.rate)
    for drives in np.unique(steps.drives):
        out = steps.drives == drives
        predicted[out] = predict(steps.only(~out), steps.only(out))
    return predicted


SUM, THREE, TWO, NORM = "sum", "largest of three", "largest of two", "norm of two"
PHASES = "two phases"
FORMS = (SUM, THREE, TWO, NORM, PHASES)
CONSTANTS = {form: ("sample", "drive", "fixed", "power")[: 3 + (form == NORM)] for form in FORMS}
"""Fields of `StepModel` that a fit of each form finds."""
FORWARD_BYTES = 2 / (READ + WRITTEN)
"""Share of the SSDs' bytes that the forward pass reads: the weights."""
_STARTS = ((0.03, 0.5), (0.1, 0.9), (0.25, 0.7))
"""Fixed and drive seconds to start from, over the work of a sequence in TFLOP."""


@dataclass(frozen=True)
class StepModel:
    """A form with its constants."""

    form: str
    sample: float
    """Seconds of the GPU for a sequence."""
    drive: float
    """Seconds of a single SSD for a step."""
    fixed: float
    """Seconds that more SSDs don't shorten."""
    power: float = np.inf
    """p of the norm."""

    def __post_init__(self) -> None:
        """Refuse an unknown form."""
        one_of("form", self.form, FORMS)

    def seconds(self, batch: ArrayLike, drives: ArrayLike) -> Floats:
        """Return the time of a step of `batch` sequences with `drives` SSDs, both above 0.

        >>> StepModel(TWO, 0.5, 60.0, 10.0).seconds([32, 64], 6)
        array([20., 32.])
        """
        gpu, ssd = self.channels(batch, drives)
        fixed = np.full_like(gpu, self.fixed)
        if self.form == PHASES:
            forward = step_time(np.stack([FORWARD_WORK * gpu, FORWARD_BYTES * ssd], -1))
            rest = (1 - FORWARD_BYTES) * ssd + fixed
            return np.asarray(forward + step_time(np.stack([(1 - FORWARD_WORK) * gpu, rest], -1)))
        if self.form in (SUM, THREE):
            power = 1.0 if self.form == SUM else np.inf
            return step_time(np.stack([gpu, ssd, fixed], axis=-1), power)
        return step_time(np.stack([gpu, ssd + fixed], axis=-1), self.power)

    def channels(self, batch: ArrayLike, drives: ArrayLike) -> tuple[Floats, Floats]:
        """Return the seconds of the GPU, and of the SSDs without what is fixed."""
        work = self.sample * positive("batch", batch)
        gpu, ssd = np.broadcast_arrays(work, self.drive / positive("drives", drives))
        return gpu, ssd

    def rate(self, batch: ArrayLike, drives: ArrayLike) -> Floats:
        """Return the FLOP/s of a step of `batch` sequences with `drives` SSDs."""
        work = positive("batch", batch) * GPT_13B.work
        return np.asarray(work / self.seconds(batch, drives))


def fit(
    form: str, steps: Measured, power: float | None = None, start: StepModel | None = None
) -> StepModel:
    """Fit a form of `FORMS` to five measured steps or more, least squares of ln(time).

    Without `power`, p of the norm, p is fitted as well; without `start` the best of several counts.

    >>> steps = measured()
    >>> exact = steps._replace(rate=StepModel(TWO, 0.5, 60.0, 10.0).rate(steps.batch, steps.drives))
    >>> fitted = fit(TWO, exact)
    >>> [round(x, 3) for x in (fitted.sample, fitted.drive, fitted.fixed)]
    [0.5, 60.0, 10.0]
    """
    from scipy.optimize import least_squares

    least = 1 + max(map(len, CONSTANTS.values()))
    if len(steps.rate) < least:
        raise ValueError(f"steps must be {least} or more, got {len(steps.rate)}")
    seconds = steps.batch * GPT_13B.work / steps.rate
    free = form == NORM and power is None
    fixed_power = np.inf if power is None or form != NORM else power

    def model(logs: Floats) -> StepModel:
        g, d, c = np.exp(logs[:3])
        p = 1 + np.exp(-logs[3]) if free else fixed_power
        return StepModel(form, float(g), float(d), float(c), float(p))

    def errors(logs: Floats) -> Floats:
        return np.asarray(np.log(model(logs).seconds(steps.batch, steps.drives) / seconds))

    unit = GPT_13B.work / 1e12
    starts = [np.log([unit / 150, unit * d, unit * c]) for c, d in _STARTS]
    if start is not None:
        starts = [np.log([start.sample, start.drive, start.fixed])]
    if free:
        starts = [np.append(start, -np.log(p - 1)) for start in starts for p in (2.0, 6.0)]
    best = min(
        (least_squares(errors, start) for start in starts), key=lambda candidate: candidate.cost
    )
    return model(best.x)


@cache
def fitted(form: str) -> StepModel:
    """Return a form fitted to all 20 steps."""
    return fit(form, measured())


@cache
def without(form: str, drives: int) -> StepModel:
    """Return a form fitted to the steps of all other numbers of SSDs."""
    steps = measured()
    return fit(form, steps.only(steps.drives != drives))


def held_out(form: str) -> Floats:
    """Return the FLOP/s of each step, predicted from those of all other numbers of SSDs."""
    return cross_val_predict(
        lambda _, test: without(form, int(test.drives[0])).rate(test.batch, test.drives)
    )


class PowerProfile(NamedTuple):
    """How well a norm of each power can be fitted."""

    inverse: Floats
    """1/p, from 0 (the maximum) to 1 (the sum)."""
    spread: Floats
    """Root-mean-square of ln(time) at the best constants."""
    fitted: Floats
    """Mean share by which the FLOP/s are off at these constants."""
    held_out: Floats
    """The same for steps of a number of SSDs that the constants were not fitted to."""
    low: float
    high: float
    """Powers between which p lies with 95 % confidence, by an F test on the sum of squares that
    takes the steps' errors as independent."""


@cache
def power_profile(count: int = 21) -> PowerProfile:
    """Return the errors of the norm of two over `count` powers, the other constants fitted."""
    from scipy.stats import f

    steps = measured()
    inverse = np.linspace(0, 1, count)
    spread, inside, outside = np.empty((3, count))
    for index, share in enumerate(inverse):
        power = float(1 / share) if share else np.inf
        model = fit(NORM, steps, power, fitted(NORM))
        spread[index], inside[index] = _rms(model, steps), _off(model, steps).mean()
        outside[index] = abs(_held_out_at(power) / steps.rate - 1).mean()
    free = len(steps.rate) - len(CONSTANTS[NORM])
    limit = _rms(fitted(NORM), steps) * np.sqrt(1 + f.ppf(0.95, 1, free) / free)
    likely = np.interp(np.linspace(0, 1, 2001), inverse, spread) <= limit
    low, high = np.linspace(0, 1, 2001)[likely][[0, -1]]
    return PowerProfile(
        inverse, spread, inside, outside, float(1 / high), float(1 / low) if low else np.inf
    )


def powers_without() -> dict[int, float]:
    """Return the fitted p of the norm by the number of SSDs whose steps were left out.

    >>> {drives: round(power, 1) for drives, power in powers_without().items()}
    {1: 5.2, 2: 5.5, 3: 4.7, 6: 4.6, 12: 3.2}
    """
    return {int(n): without(NORM, int(n)).power for n in np.unique(measured().drives)}


def _held_out_at(power: float) -> Floats:
    """Return what `cross_validated` does, of the norm with a given power."""
    return cross_val_predict(
        lambda training, test: fit(NORM, training, power, fitted(NORM)).rate(
            test.batch, test.drives
        )
    )


def _off(model: StepModel, steps: Measured) -> Floats:
    return np.asarray(abs(model.rate(steps.batch, steps.drives) / steps.rate - 1))


def _rms(model: StepModel, steps: Measured) -> float:
    errors = np.log(model.rate(steps.batch, steps.drives) / steps.rate)
    return float(np.sqrt(np.mean(errors**2)))


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
    one_of("name", name, models)
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
    unseen = cross_val_predict(
        lambda training, test: np.exp(
            learner(name).fit(_inputs(training), np.log(training.rate)).predict(_inputs(test))
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
        result = learned(name)
        rows.append((name, result.numbers, result.fitted, result.held_out))
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
