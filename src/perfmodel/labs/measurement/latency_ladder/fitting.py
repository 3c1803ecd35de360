"""A ladder fitted to measured loads, and two rival models without caches.

>>> from perfmodel.labs.measurement.latency_ladder.ladder import KIB, MADE_UP, MIB
>>> sizes = [8 * KIB, 256 * KIB, 2 * MIB, 8 * MIB, 64 * MIB, 256 * MIB]
>>> found = fit(sizes, MADE_UP.latency(sizes), MADE_UP)
>>> [round(1e9 * step.penalty, 6) for step in found.steps]
[3.0, 12.0, 79.0, 20.0]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize
from sklearn.tree import DecisionTreeRegressor

from perfmodel.labs.measurement.latency_ladder.ladder import Ladder, LadderStep, MissModel
from perfmodel.validation import Floats, positive, sample


def fit(sizes: ArrayLike, seconds: ArrayLike, ladder: Ladder) -> Ladder:
    """Return `ladder` with the latencies that fit a measured ladder best.

    Capacities and law are kept; given them the model is linear. So this is least squares with no
    latency below 0, on relative errors because a ladder spans two powers of ten. `sizes` are bytes,
    `seconds` of a load; there must be more of them than steps.
    """
    x = positive("sizes", sample("sizes", sizes, len(ladder.steps) + 1))
    y = positive("seconds", sample("seconds", seconds, len(ladder.steps) + 1))
    if x.shape != y.shape:
        raise ValueError(f"seconds must have one value a size, got {y.size} for {x.size}")
    design = np.column_stack([np.ones_like(x), ladder.misses(x)]) / y[:, None]
    latencies, _ = optimize.nnls(design, np.ones_like(y))
    steps = (replace(s, penalty=float(d)) for s, d in zip(ladder.steps, latencies[1:], strict=True))
    return Ladder(float(latencies[0]), tuple(steps), ladder.model)


def best_fit(sizes: ArrayLike, seconds: ArrayLike, candidates: Iterable[Ladder]) -> Ladder:
    """Return the fitted candidate that best predicts each of the sizes from the others."""
    x, y = np.asarray(sizes, dtype=float), np.asarray(seconds, dtype=float)
    every = list(candidates)
    if not every:
        raise ValueError("candidates must have at least one ladder, got none")

    def left_out(like: Ladder) -> float:
        rest = [np.arange(x.size) != k for k in range(x.size)]
        predicted = [fit(x[keep], y[keep], like).latency(x[~keep])[0] for keep in rest]
        return typical_error(predicted, y)

    return fit(x, y, min(every, key=left_out))


def candidates(
    steps: Sequence[LadderStep],
    models: Sequence[MissModel] = get_args(MissModel),
    last: Sequence[float] = (1.0,),
) -> list[Ladder]:
    """Return a ladder of `steps` for each of `models` and each factor on the last cache's capacity.

    `last` has the factors: a cache that is shared may hold others' data. Those that would make it
    smaller than the one before are left out.
    """
    caches = [k for k, step in enumerate(steps) if not step.translates]
    ladders = []
    for model in models:
        for factor in last:
            scaled = [
                replace(s, capacity=s.capacity * (factor if k == caches[-1] else 1))
                for k, s in enumerate(steps)
            ]
            capacities = [scaled[k].capacity for k in caches]
            if capacities == sorted(capacities):
                ladders.append(Ladder(1e-9, tuple(scaled), model))
    return ladders


def rivals(sizes: ArrayLike, seconds: ArrayLike) -> dict[str, Callable[[ArrayLike], Floats]]:
    """Return a polynomial and a tree of log latency by log size, fitted to a ladder."""
    x, y = np.log2(positive("sizes", sizes)), np.log(positive("seconds", seconds))
    curve = np.polynomial.Polynomial.fit(x, y, 5)
    tree = DecisionTreeRegressor(min_samples_leaf=2, random_state=0).fit(x[:, None], y)
    return {
        "polynomial of degree 5": lambda size: np.exp(curve(np.log2(positive("size", size)))),
        "regression tree": lambda size: np.exp(
            tree.predict(np.log2(np.atleast_1d(positive("size", size)))[:, None])
        ),
    }


def typical_error(predicted: ArrayLike, measured: ArrayLike) -> float:
    """Return exp(root mean square difference of logarithms) - 1, the typical error.

    >>> round(typical_error([1.1, 0.9], [1.0, 1.0]), 3)
    0.106
    """
    logs = np.log(positive("predicted", predicted) / positive("measured", measured))
    return float(np.exp(np.sqrt(np.mean(logs**2))) - 1)
