"""Adaptive regression modelling (Faerman, Su, Wolski and Berman, 1999).

How long will this transfer take, given a cheap probe of the bandwidth and one's own past
transfers? The ideal time x = size / bandwidth is biased; a straight line t = a + b x learns by how
much, and is fitted again before every prediction, because routes and hosts change.

What differs between the variants is their memory: how much each past transfer counts.

>>> ideal, time = [10.0, 20.0, 30.0, 40.0, 64.0], [13.5, 25.5, 37.5, 49.5, 78.3]
>>> adaptive(ideal, time, last(5, 4))[-1].round(6)
np.float64(78.3)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.prediction.adrm.transfers import START_UP, surrogate
from perfmodel.ledger import Claim, Trend
from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.splits import Split
from perfmodel.validation import Floats, non_negative, positive, sample, whole

WARM_UP = 30
"""Requests at the beginning that are predicted but not scored."""


def last(count: int, window: int) -> Floats:
    """Return the memory of a sliding window.

    Parameters
    ----------
    count : int
        Requests n.
    window : int
        Transfers remembered, 2 or more; `count` for all there are (an expanding window).

    Returns
    -------
    ndarray, shape (n, n)
        Weight of transfer j (column) when request i (row) is predicted; 0 for j >= i.
    """
    rows, columns = np.ogrid[:count, :count]
    age = rows - columns
    return np.asarray((age > 0) & (age <= whole("window", window, 2)), dtype=float)


def first(count: int, window: int) -> Floats:
    """Return the memory of a model that is fitted once, to the first `window` transfers."""
    known = np.arange(whole("count", count, 2)) < whole("window", window, 2)
    return last(count, count) * known


def fading(count: int, forget: float) -> Floats:
    """Return a memory in which a transfer counts `forget` times as much at each later request.

    `forget` is above 0 and at most 1, which forgets nothing. All weights together are at most
    1 / (1 - forget), the window of like length.
    """
    rows, columns = np.ogrid[:count, :count]
    powers = _factor(forget) ** np.maximum(rows - columns - 1, 0)
    return np.asarray(np.where(rows > columns, powers, 0.0))


def adaptive(ideal: ArrayLike, time: ArrayLike, memory: ArrayLike, relative: bool = True) -> Floats:
    """Predict each transfer from those before it, by a line fitted anew for each.

    Parameters
    ----------
    ideal : array_like, shape (..., n)
        Seconds at the forecast bandwidth; several traces at once where there are more axes.
    time : array_like, shape (..., n)
        Seconds measured.
    memory : array_like, shape (n, n)
        From `last`, `first` or `fading`.
    relative : bool
        Least squares of relative errors (weights 1 / time squared) instead of seconds.

    Returns
    -------
    ndarray, shape (..., n)
        Seconds. Where fewer than two different ideal times are remembered, the ideal time times
        the mean factor of those; the ideal time itself where there are none.
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
    each = 1 / t**2 if relative else np.ones_like(t)
    sums = (each * np.array([x**0, x, t, x * x, x * t])) @ weights.T
    total, at, slow, square, both = sums
    spread = total * square - at**2
    line = spread > 1e-9 * total * square
    safe = np.where(line, spread, 1.0)
    slope = np.where(line, (total * both - at * slow) / safe, both / np.where(square, square, 1))
    shift = np.where(line, (square * slow - at * both) / safe, 0.0)
    return np.asarray(np.where(square > 0, shift + slope * x, x))


@dataclass(frozen=True, eq=False)
class Recursion:
    """A line that takes in one transfer at a time: recursive least squares of relative errors."""

    coefficients: Floats
    """Start-up in seconds and factor, shape (2,)."""
    inverse: Floats
    """Inverse of the weighted sums of squares, shape (2, 2)."""

    @classmethod
    def start(cls, trust: float = 1e-9) -> Recursion:
        """Begin with the ideal time, trusted as much as `trust` of a transfer."""
        return cls(np.array([0.0, 1.0]), np.eye(2) / float(positive("trust", trust)))

    def predict(self, ideal: float) -> float:
        """Return seconds for an ideal time in seconds."""
        return float(self.coefficients @ [1.0, ideal])

    def updated(self, ideal: float, time: float, forget: float) -> Recursion:
        """Return the line after one more transfer; everything before counts `forget` times."""
        row = np.array([1.0, ideal]) / time
        carried = self.inverse / _factor(forget)
        gain = carried @ row / (1 + row @ carried @ row)
        surprise = 1.0 - float(row @ self.coefficients)
        return Recursion(
            self.coefficients + gain * surprise, carried - np.outer(gain, row @ carried)
        )


def recursive(ideal: ArrayLike, time: ArrayLike, forget: float = 0.95) -> Floats:
    """Predict as `adaptive` does with a `fading` memory, at a constant cost for each request.

    Parameters
    ----------
    ideal, time : array_like, shape (n,)
        Seconds.
    forget : float
        Above 0, at most 1.

    Returns
    -------
    ndarray, shape (n,)
        Seconds.
    """
    x, t = positive("ideal", sample("ideal", ideal)), positive("time", sample("time", time))
    line, found = Recursion.start(), np.empty_like(x)
    for i, (one, took) in enumerate(zip(x, t, strict=True)):
        found[i] = line.predict(one)
        line = line.updated(one, took, forget)
    return found


def throughput(size: ArrayLike, time: ArrayLike, window: int = 30) -> Floats:
    """Predict from past transfers alone: size over the throughput of the last `window`.

    Returns
    -------
    ndarray, shape (n - 1,)
        Seconds, from the second request on; bytes over seconds, both summed over the window.
    """
    s, t = positive("size", sample("size", size, 2)), positive("time", sample("time", time, 2))
    memory = last(s.size, window)[1:]
    return np.asarray(s[1:] * (memory @ t) / (memory @ s))


def error(time: ArrayLike, predicted: ArrayLike, rows: slice = slice(WARM_UP, None)) -> float:
    """Return the mean relative error over some rows, by default all after the warm-up.

    Of one trace, shape (n,), or of several together, shape (..., n).
    """
    pair = (np.asarray(one, dtype=float)[..., rows].ravel() for one in (time, predicted))
    return metrics.mape(*pair)


def in_order(dataset: Dataset, budget: int) -> Split:
    """Learn from the first `budget` rows and be tested on all later ones: no look ahead."""
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
    found: dict[str, tuple[float, ...]] = {}
    for trace in map(surrogate, range(whole("seeds", seeds, 1))):
        n, ideal = trace.time.size, trace.ideal
        past = throughput(trace.size, trace.time, WARM_UP)
        guesses = {
            "probe": ideal,
            "throughput": np.append(ideal[0], past),
            "frozen": adaptive(ideal, trace.time, first(n, WARM_UP)),
            "expanding": adaptive(ideal, trace.time, last(n, n)),
            "sliding": adaptive(ideal, trace.time, last(n, WARM_UP)),
            "share known": START_UP + ideal / trace.gain,
            "all known": START_UP + trace.size / (trace.gain * trace.bandwidth),
        }
        for name, guess in guesses.items():
            found[name] = (*found.get(name, ()), error(trace.time, guess))
    return found


def _mean(name: str) -> float:
    return float(np.mean(benchmark()[name]))


_EARLIER = "earlier calculation of ours, seeds 0 to 19"


def claims() -> list[Claim]:
    """What the paper reports, and the surrogate's figures against an independent calculation."""
    return [
        Claim(
            "adrm",
            "accuracy (1 - mean relative error) of adaptive regression; ours on a surrogate",
            "same-method",
            0.88,
            "1",
            "technical report, abstract: 88 % or better",
            lambda: 1 - _mean("sliding"),
            bounds=(0.88, 1.0),
        ),
        _error_claim("probe", "ideal time at the probe's bandwidth", 0.272, 0.01),
        _error_claim("frozen", "line fitted to the first 30 transfers", 0.248, 0.01),
        _error_claim("expanding", "line fitted to all transfers so far", 0.215, 0.01),
        _error_claim("sliding", "line fitted to the last 30 transfers", 0.096, 0.01),
        _error_claim("throughput", "mean throughput of the last 30 transfers", 0.359, 0.05),
        Claim(
            "adrm",
            "surrogate: order of the variants",
            "trend",
            "Adapting beats learning once, and learning beats the bare probe.",
            "",
            _EARLIER,
            _ordering,
            derived=True,
        ),
    ]


def _error_claim(name: str, described: str, before: float, around: float) -> Claim:
    return Claim(
        "adrm",
        f"surrogate: mean relative error, {described}",
        "same-method",
        before,
        "1",
        _EARLIER,
        lambda: _mean(name),
        bounds=(before - around, before + around),
        derived=True,
    )


def _ordering() -> Trend:
    order = sorted(("probe", "frozen", "expanding", "sliding"), key=_mean)
    text = ", ".join(f"{name} {100 * _mean(name):.1f} %" for name in order)
    return Trend(order == ["sliding", "expanding", "frozen", "probe"], text)
