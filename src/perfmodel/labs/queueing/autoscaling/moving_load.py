"""The offered load of a moving arrival rate, and the requests that wait.

With unlimited servers the number of jobs inside is exactly Poisson. Its mean weights the past rates
by the probability that a job is still in service. This is the offered load that staffing follows.

Sources: S. G. Eick, W. A. Massey, W. Whitt, "The physics of the M_t/G/infinity queue", Operations
Research 41(4), 1993; O. B. Jennings, A. Mandelbaum, W. A. Massey, W. Whitt, "Server staffing to
meet time-varying demand", Management Science 42(10), 1996.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_banded
from scipy.signal import lfilter
from scipy.stats import poisson

from perfmodel.queueing import erlang_a
from perfmodel.validation import Floats, non_negative, positive, sample, whole


def moving_offered_load(rates: ArrayLike, step: float, mean_service: float) -> Floats:
    """Return the mean number in service with unlimited servers, exponential service (M_t/M/inf).

    Erlangs at the end of each step of `step` seconds, exact for `rates` in jobs per second that are
    constant within a step; before the first step it was as in the first.

    >>> print(moving_offered_load([1.0, 2.0, 2.0, 2.0], 30.0, 30.0).round(1))
    [30.  49.  55.9 58.5]
    """
    rate = non_negative("rates", sample("rates", rates))
    mean = float(positive("mean_service", mean_service))
    stay = float(np.exp(-positive("step", step) / mean))
    load, _ = lfilter([1 - stay], [1.0, -stay], rate * mean, zi=[stay * rate[0] * mean])
    return np.asarray(load)


def sinusoidal_offered_load(
    time: ArrayLike, mean_rate: float, swing: float, period: float, mean_service: float
) -> Floats:
    """Return the offered load of a rate a (1 + b sin(2 pi t / T)), exponential service.

    Erlangs at `time` in seconds, for `mean_rate` a in jobs per second, `swing` b from 0 to 1 and
    `period` T: a sine that is lower by 1 / sqrt(1 + w^2) and later by arctan(w), with w = 2 pi E[S]
    / T.

    >>> print(sinusoidal_offered_load(0.0, 1.0, 0.5, 86400.0, 3600.0).round(1))
    3159.0
    """
    a, b = float(positive("mean_rate", mean_rate)), float(non_negative("swing", swing))
    whole_period, mean = positive("period", period), float(positive("mean_service", mean_service))
    speed = 2 * np.pi / float(whole_period)
    lag = speed * mean
    angle = speed * np.asarray(time, dtype=np.float64)
    return np.asarray(a * mean * (1 + b * (np.sin(angle) - lag * np.cos(angle)) / (1 + lag**2)))


def day_fractions(
    rates: ArrayLike,
    servers: ArrayLike,
    step: float,
    mean_service: float,
    patience: float,
    every: int = 1,
) -> tuple[float, float]:
    """Return the fractions of a day's jobs that wait and give up, by the modified offered load.

    At each instant the stationary formula (Erlang-A) uses the moving offered load instead of the
    rate times the mean service. `rates` are in jobs per second, times in seconds. `patience` is the
    mean time before a waiting job gives up. The formula is evaluated every `every` steps.

    >>> wait, gone = day_fractions(np.full(60, 0.8), np.full(60, 50), 60.0, 60.0, 120.0)
    >>> round(wait, 4), round(gone, 4)
    (0.4678, 0.0309)
    """
    look = slice(None, None, whole("every", every, low=1))
    load = moving_offered_load(rates, step, mean_service)[look]
    rate = np.asarray(rates, dtype=np.float64)[look]
    count = sample("servers", servers)[look]
    queue = erlang_a(load / mean_service, 1 / mean_service, count, patience)
    weight = rate / rate.sum()
    return float(weight @ queue.wait_probability), float(weight @ queue.loss_probability)


@dataclass(frozen=True, eq=False)
class MovingQueue:
    """What the chain of jobs inside says at the end of each step; arrays of shape (steps,)."""

    wait_probability: Floats
    """Probability that all servers are busy, which is what an arrival meets."""
    queue_length: Floats
    """Mean number of jobs inside."""
    giving_up: Floats
    """Jobs per second that leave the queue unserved."""


def moving_queue(
    rates: ArrayLike,
    servers: ArrayLike,
    step: float,
    mean_service: float,
    patience: float = np.inf,
) -> MovingQueue:
    """Follow M_t/M/c_t+M, whose rate of arrivals and number of servers change from step to step.

    The trapezoidal rule solves the chain's differential equations, with a `step` that is a small
    part of `mean_service`, both in seconds. At the start the state is the steady state of unlimited
    servers at the first rate (jobs per second). The states are cut off where jobs are very
    unlikely. A job whose server is removed returns to the queue. `patience` is the mean of an
    exponential time.

    >>> still = moving_queue(np.full(400, 0.8), np.full(400, 5), 0.05, 5.0)
    >>> bool(0 < still.wait_probability[-1] < 1)
    True
    """
    rate = positive("rates", sample("rates", rates))
    count = np.array([whole("servers", c, 1) for c in sample("servers", servers)])
    if rate.size != count.size:
        raise ValueError(f"servers must be as many as rates, {rate.size}, got {count.size}")
    length, mean = float(positive("step", step)), float(positive("mean_service", mean_service))
    leave = 0.0 if np.isinf(patience) else 1 / float(positive("patience", patience))
    inside = np.arange(_states(rate, count, length, mean, leave))
    distribution = poisson.pmf(inside, rate[0] * mean)
    distribution /= distribution.sum()
    results = np.empty((3, rate.size))
    for i, (arrivals, busy) in enumerate(zip(rate, count, strict=True)):
        waiting = np.maximum(inside - busy, 0)
        departures = np.minimum(inside, busy) / mean + leave * waiting
        distribution = _stepped(distribution, arrivals, departures, length)
        results[:, i] = (
            distribution[busy:].sum(),
            distribution @ inside,
            leave * (distribution @ waiting),
        )
    return MovingQueue(*results)


def _states(rate: Floats, count: Floats, step: float, mean: float, leave: float) -> int:
    """Return a number of jobs that is hardly ever exceeded, from the fluid's highest level."""
    level = highest = rate[0] * mean
    for arrivals, busy in zip(rate, count, strict=True):
        out = min(level, busy) / mean + leave * max(level - busy, 0.0)
        level = max(level + step * (arrivals - out), 0.0)
        highest = max(highest, level, float(busy))
    return int(highest + 12 * np.sqrt(highest) + 50)


def _stepped(distribution: Floats, arrivals: float, departures: Floats, step: float) -> Floats:
    """Return the distribution of the jobs inside a step later, by the trapezoidal rule."""
    up, down = np.full(distribution.size, arrivals), departures
    up[-1] = 0.0
    out = up + down
    change = -out * distribution
    change[1:] += up[:-1] * distribution[:-1]
    change[:-1] += down[1:] * distribution[1:]
    half = step / 2
    bands = np.zeros((3, distribution.size))
    bands[0, 1:], bands[1], bands[2, :-1] = -half * down[1:], 1 + half * out, -half * up[:-1]
    return np.asarray(solve_banded((1, 1), bands, distribution + half * change))
