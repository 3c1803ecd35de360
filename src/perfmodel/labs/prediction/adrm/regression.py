"""Adaptive regression modelling (Faerman, Su, Wolski and Berman, 1999).

How long will this transfer take, given a cheap probe of the bandwidth and your own past transfers?
The ideal time x = size / bandwidth is biased. A straight line t = a + b x learns the bias. It is
fitted again before every prediction, because routes and hosts change.

The variants differ in their memory: the weight of each past transfer.

The module also forecasts a bandwidth from its own past, as the Network Weather Service does.

No method is best on every route. So the service runs a bank of simple methods and each time uses
the one with the smallest error so far.

Last, it chooses the replica of a file, and computes what errors of the predictions cost.

>>> ideal, time = [10.0, 20.0, 30.0, 40.0, 64.0], [13.5, 25.5, 37.5, 49.5, 78.3]
>>> adaptive_regression(ideal, time, sliding_window(5, 4))[-1].round(6)
np.float64(78.3)

>>> forecasts = forecaster_bank([4.0, 4.0, 1.0, 1.0])
>>> forecasts["last"].tolist(), forecasts["mean"].tolist()
([4.0, 4.0, 1.0, 1.0], [4.0, 4.0, 3.0, 2.5])

>>> choose_replicas(replicas(0, [(0.6, 0.6)] * 3), learn=0).error > 0.4
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.prediction.adrm.transfers import START_UP, Transfers, surrogate
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.splits import Split
from perfmodel.validation import Floats, non_negative, positive, sample, whole, within

WARM_UP = 30
"""Requests at the beginning that are predicted but not scored."""


def sliding_window(count: int, window: int) -> Floats:
    """Return the memory of a sliding window of 2 or more transfers, as weights of shape (n, n).

    The weight of transfer j (column) when request i (row) is predicted, 0 for j >= i. A window of
    `count` remembers all (an expanding window).
    """
    rows, columns = np.ogrid[:count, :count]
    age = rows - columns
    return np.asarray((age > 0) & (age <= whole("window", window, 2)), dtype=float)


def frozen_window(count: int, window: int) -> Floats:
    """Return the memory, shape (n, n), of a model fitted once, to the first `window` transfers."""
    known = np.arange(whole("count", count, 2)) < whole("window", window, 2)
    return sliding_window(count, count) * known


def exponential_forgetting(count: int, forgetting_factor: float) -> Floats:
    """Return a memory, shape (n, n), in which each request scales weights by `forgetting_factor`.

    `forgetting_factor` is above 0 and at most 1, which forgets nothing. All weights together are at
    most 1 / (1 - forgetting_factor), the window of like length.
    """
    rows, columns = np.ogrid[:count, :count]
    powers = _factor(forgetting_factor) ** np.maximum(rows - columns - 1, 0)
    return np.asarray(np.where(rows > columns, powers, 0.0))


def adaptive_regression(
    ideal: ArrayLike, time: ArrayLike, memory: ArrayLike, relative: bool = True
) -> Floats:
    """Predict each transfer in seconds from those before it, by a line fitted again for each.

    `ideal` are seconds at the forecast bandwidth and `time` seconds measured, shape (..., n);
    `memory` is from `sliding_window`, `frozen_window` or `exponential_forgetting`. Least squares
    are those of relative errors (weights 1 / time squared), or of seconds. Where fewer than two
    different ideal times are remembered, the prediction is the ideal time times the mean factor of
    those, or the ideal time itself.
    """
    x, t = positive("ideal", ideal), positive("time", time)
    weights = non_negative("memory", memory)
    if x.ndim == 0 or x.shape != t.shape or weights.shape != 2 * x.shape[-1:]:
        raise ValueError(
            f"memory must have shape (n, n) for ideal and time of shape (..., n), "
            f"got {weights.shape} for {x.shape} and {t.shape}"
        )
    if np.triu(weights).any():
        raise ValueError("memory must be 0 for the request itself and later ones")
    weighting = 1 / t**2 if relative else np.ones_like(t)
    sums = (weighting * np.array([x**0, x, t, x * x, x * t])) @ weights.T
    total, at, slow, square, both = sums
    spread = total * square - at**2
    line = spread > 1e-9 * total * square
    safe = np.where(line, spread, 1.0)
    slope = np.where(line, (total * both - at * slow) / safe, both / np.where(square, square, 1))
    shift = np.where(line, (square * slow - at * both) / safe, 0.0)
    return np.asarray(np.where(square > 0, shift + slope * x, x))


@dataclass(frozen=True, eq=False)
class RecursiveLeastSquares:
    """A line that takes in one transfer at a time: recursive least squares of relative errors."""

    coefficients: Floats
    """Start-up in seconds and factor, shape (2,)."""
    inverse: Floats
    """Inverse of the weighted sums of squares, shape (2, 2)."""

    @classmethod
    def start(cls, trust: float = 1e-9) -> RecursiveLeastSquares:
        """Begin with the ideal time, trusted as much as `trust` of a transfer."""
        return cls(np.array([0.0, 1.0]), np.eye(2) / float(positive("trust", trust)))

    def predict(self, ideal: float) -> float:
        """Return seconds for an ideal time in seconds."""
        return float(self.coefficients @ [1.0, ideal])

    def updated(self, ideal: float, time: float, forgetting_factor: float) -> RecursiveLeastSquares:
        """Return the line after one more transfer; earlier ones count `forgetting_factor` times."""
        row = np.array([1.0, ideal]) / time
        carried = self.inverse / _factor(forgetting_factor)
        gain = carried @ row / (1 + row @ carried @ row)
        surprise = 1.0 - float(row @ self.coefficients)
        return RecursiveLeastSquares(
            self.coefficients + gain * surprise, carried - np.outer(gain, row @ carried)
        )


def recursive_least_squares(
    ideal: ArrayLike, time: ArrayLike, forgetting_factor: float = 0.95
) -> Floats:
    """Predict as `adaptive_regression` with exponential forgetting, at constant cost."""
    x, t = positive("ideal", sample("ideal", ideal)), positive("time", sample("time", time))
    line, predicted = RecursiveLeastSquares.start(), np.empty_like(x)
    for i, (ideal_time, took) in enumerate(zip(x, t, strict=True)):
        predicted[i] = line.predict(ideal_time)
        line = line.updated(ideal_time, took, forgetting_factor)
    return predicted


def throughput_prediction(size: ArrayLike, time: ArrayLike, window: int = 30) -> Floats:
    """Predict seconds of all requests except the first: bytes / throughput of the last `window`.

    The throughput is bytes divided by seconds, both summed over the window of at least 2 transfers.
    """
    s, t = positive("size", sample("size", size, 2)), positive("time", sample("time", time, 2))
    memory = sliding_window(s.size, window)[1:]
    return np.asarray(s[1:] * (memory @ t) / (memory @ s))


def mean_relative_error(
    time: ArrayLike, predicted: ArrayLike, rows: slice = slice(WARM_UP, None)
) -> float:
    """Return the mean relative error over rows of the last axis, by default those after warm-up."""
    scored = (np.asarray(times, dtype=float)[..., rows].ravel() for times in (time, predicted))
    return metrics.mape(*scored)


def chronological_split(dataset: Dataset, budget: int) -> Split:
    """Learn from the first `budget` rows, in order of time, and be tested on all later ones."""
    if whole("budget", budget, 1) >= len(dataset):
        raise ValueError(f"budget must be below the {len(dataset)} rows, got {budget}")
    rows = np.arange(len(dataset))
    return Split("in order", rows[:budget], {"beyond": rows[budget:]})


def _factor(forget: float) -> float:
    if not 0 < forget <= 1:
        raise ValueError(f"forget must be above 0 and at most 1, got {forget!r}")
    return float(forget)


@cache
def benchmark(seeds: int = 20) -> dict[str, tuple[float, ...]]:
    """Return the mean relative error of each variant on the surrogate, for each seed from 0.

    The last two know what no predictor can: `share known` the application's share and the
    start-up, so that the probe's error is left; `all known` the true bandwidth too.
    """
    errors: dict[str, tuple[float, ...]] = {}
    for trace in map(surrogate, range(whole("seeds", seeds, 1))):
        n, ideal = trace.time.size, trace.ideal
        past = throughput_prediction(trace.size, trace.time, WARM_UP)
        guesses = {
            "probe": ideal,
            "throughput": np.append(ideal[0], past),
            "frozen": adaptive_regression(ideal, trace.time, frozen_window(n, WARM_UP)),
            "expanding": adaptive_regression(ideal, trace.time, sliding_window(n, n)),
            "sliding": adaptive_regression(ideal, trace.time, sliding_window(n, WARM_UP)),
            "share known": START_UP + ideal / trace.gain,
            "all known": START_UP + trace.size / (trace.gain * trace.bandwidth),
        }
        for name, guess in guesses.items():
            errors[name] = (*errors.get(name, ()), mean_relative_error(trace.time, guess))
    return errors


def forecaster_bank(series: ArrayLike) -> dict[str, Floats]:
    """Return one-step forecasts of a series, shape (n,), by each simple method of the NWS.

    Element i is the forecast of value i + 1 from values 0 to i. `best` takes each time the method
    whose absolute errors so far have the smallest sum.
    """
    import pandas as pd

    values = pd.Series(sample("series", series, 2))
    methods = {"last": values, "mean": values.expanding().mean()}
    for window in (5, 10, 30):
        past = values.rolling(window, min_periods=1)
        methods[f"mean of {window}"], methods[f"median of {window}"] = past.mean(), past.median()
    for share in (0.1, 0.3, 0.5):
        methods[f"smoothing {share:g}"] = values.ewm(alpha=share, adjust=False).mean()
    rows = np.array([forecast.to_numpy(dtype=float) for forecast in methods.values()])
    missed = np.abs(rows[:, :-1] - values.to_numpy()[1:]).cumsum(axis=1)
    chosen = np.argmin(np.column_stack([np.zeros(len(rows)), missed]), axis=0)
    forecasts = dict(zip(methods, rows, strict=True))
    return {**forecasts, "best": rows[chosen, np.arange(values.size)]}


def replicas(seed: int, gains: Sequence[Sequence[float]]) -> list[Transfers]:
    """Make up one trace for each holder of the same files, asked for in the same order.

    All share the regimes; each fluctuates on its own, with its own gains as in `surrogate`.
    """
    sizes = surrogate(seed).size
    return [surrogate(1000 * (seed + 1) + k, own, sizes=sizes) for k, own in enumerate(gains)]


@dataclass(frozen=True)
class Choice:
    """What choosing a replica by predictions came to."""

    time_lost: float
    """Time spent over the time of the best choices, minus 1."""
    error: float
    """Mean relative error of the predictions for the replicas taken."""
    best_fraction: float
    """Share of the requests that went to the fastest replica."""


def choose_replicas(
    traces: Sequence[Transfers],
    forgetting_factor: float = 0.95,
    learn: int | None = None,
    explore: float = 0.0,
) -> Choice:
    """Send each request to the replica with the shortest predicted time, and learn from it alone.

    There is one trace a replica, of the same requests; the warm-up goes to each in turn. Only the
    first `learn` requests teach (0 takes the ideal times as they are); a fraction `explore` goes to
    a replica at random (seed 0) so as to learn. The choice is that of the requests after the
    warm-up.
    """
    within("explore", explore, 0, 1)
    count = len(traces[0].time)
    until, rng = count if learn is None else whole("learn", learn), np.random.default_rng(0)
    ideal, time = np.array([t.ideal for t in traces]), np.array([t.time for t in traces])
    lines = [RecursiveLeastSquares.start() for _ in traces]
    chosen, guess = np.empty(count, dtype=int), np.empty(count)
    for i in range(count):
        times = [line.predict(x) for line, x in zip(lines, ideal[:, i], strict=True)]
        k = i % len(traces) if i < WARM_UP else int(np.argmin(times))
        if rng.random() < explore:
            k = int(rng.integers(len(traces)))
        chosen[i], guess[i] = k, times[k]
        if i < until:
            lines[k] = lines[k].updated(ideal[k, i], time[k, i], forgetting_factor)
    spent, quickest = time[chosen, np.arange(count)], time.min(axis=0)
    rows = slice(WARM_UP, None)
    lost = float(spent[rows].sum() / quickest[rows].sum() - 1)
    return Choice(
        lost, mean_relative_error(spent, guess), float(np.mean(spent[rows] == quickest[rows]))
    )
