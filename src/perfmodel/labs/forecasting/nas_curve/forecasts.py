"""Forecasts of where nets end: by a line on the curve's beginning, by the last value, by a forest.

Source: B. Baker, O. Gupta, R. Raskar, N. Naik, arXiv:1705.10823, 2017, sections 3 and 4.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from perfmodel.forecasting import (
    EarlyStoppingSearch,
    LearningCurves,
    early_stopping_search,
    prefix_regression,
    published_curves,
)
from perfmodel.validation import Floats

FIRST = 100
"""Nets that are trained to the end before any is stopped; Baker et al. 2017, section 4."""
CERTAINTIES = (0.5, 0.9, 0.95, 0.99, 0.999)
"""Chances of losing at which a run is stopped."""


_MOST = 12
TITLES = {
    "metaqnn_cifar10": "1,000 nets, CIFAR-10",
    "metaqnn_svhn": "1,300 nets, house numbers",
    "deep_resnets_cifar10": "486 deep nets, CIFAR-10",
    "deep_resnets_tinyimagenet": "651 deep nets, small ImageNet",
    "lstm_ptb": "280 language models",
}
"""By the names of the sets."""


class Explained(NamedTuple):
    """Share of the variance of held-out nets' ends that forecasts explain, by what is seen."""

    seen: Floats
    """Share of the epochs."""
    regression: Floats
    last_value: Floats


@cache
def curves_of(name: str) -> LearningCurves:
    """Return a set, of language models the logarithms of perplexities, less being more."""
    nets = published_curves(name)
    results = nets.results if nets.rising else -np.log(nets.results)
    return LearningCurves(name, nets.settings, results, True, nets.unit)


def shuffled(curves: Floats, seed: int) -> Floats:
    """Return curves in another order of arrival."""
    return np.random.default_rng(seed).permutation(curves)


def explained(name: str, finished: int = FIRST, seed: int = 0) -> Explained:
    """Return how much forecasts explain after 5 to 80 % of the epochs, learning from some nets.

    >>> found = explained("metaqnn_cifar10")
    >>> bool(found.regression[-1] > 0.99)
    True
    """
    curves = shuffled(curves_of(name).results, seed)
    epochs, ends = curves.shape[1], curves[finished:, -1]
    counts = np.unique(np.round(epochs * np.arange(1, 9) / 10)).astype(int)
    result = []
    for count in counts:
        table = np.hstack([curves[:, _looks(count)], curves[:, -1:]])
        line = prefix_regression(table[:finished], table.shape[1] - 1)
        result.append(
            (
                r2_score(ends, line.forecast(table[finished:])),
                r2_score(ends, curves[finished:, count - 1]),
            )
        )
    regression, last_value = np.transpose(result)
    return Explained(counts / epochs, regression, last_value)


class ToCome(NamedTuple):
    """What a set's nets still gain after a share of their epochs, in the unit of the results."""

    gain: float
    """Mean over the nets."""
    standard_deviation: float
    """Standard deviation of the gain between nets."""
    ends: float
    """Standard deviation of the final results of the nets."""
    last_value: float
    """Share of the variance of the ends that the last value explains."""


def to_come(name: str, fraction: float = 0.25) -> ToCome:
    """Return what is still to come, of all nets of a set.

    The last value explains 1 - (gain^2 + spread^2) / ends^2.

    >>> to_come("metaqnn_cifar10").last_value > 0 > to_come("metaqnn_svhn").last_value
    True
    """
    curves = curves_of(name).results
    if not 1 <= round(fraction * curves.shape[1]) <= curves.shape[1]:
        raise ValueError(f"fraction must leave an epoch or more and be at most 1, got {fraction!r}")
    ends, seen = curves[:, -1], curves[:, round(fraction * curves.shape[1]) - 1]
    gain = ends - seen
    explains = float(r2_score(ends, seen))
    return ToCome(float(gain.mean()), float(gain.std()), float(ends.std()), explains)


def _looks(count: int) -> NDArray[np.int64]:
    """Return at most twelve of the epochs seen: more would fit the noise of a hundred curves."""
    return np.unique(np.linspace(0, count - 1, min(count, _MOST)).round()).astype(np.int64)


def searches(order: int | None = None) -> dict[float, EarlyStoppingSearch]:
    """Return the search through 1,000 nets at each certainty, as they came or in another order."""
    curves = curves_of("metaqnn_cifar10").results
    if order is not None:
        curves = shuffled(curves, order)
    return {certainty: early_stopping_search(curves, FIRST, certainty) for certainty in CERTAINTIES}


def lossless_speedup() -> float:
    """Return the largest speedup among the certainties with which the best net is still found."""
    result = [search for search in searches().values() if search.best == search.results.max()]
    return max(search.speedup for search in result)


def by_features(seed: int = 0, seen: int = 5) -> dict[str, float]:
    """Return the share explained by a forest that sees settings, curve or both, and by a line."""
    from sklearn.ensemble import RandomForestRegressor

    nets = curves_of("metaqnn_cifar10")
    order = np.random.default_rng(seed).permutation(len(nets.final))
    numbers = nets.settings[["num_params", "depth", "lr"]].to_numpy(dtype=float)[order]
    curves = nets.results[order]
    columns = {
        "settings": numbers,
        "curve": curves[:, :seen],
        "both": np.hstack([numbers, curves[:, :seen]]),
    }
    ends = curves[FIRST:, -1]
    result = {}
    for name, table in columns.items():
        forest = RandomForestRegressor(200, random_state=0)
        forest.fit(table[:FIRST], curves[:FIRST, -1])
        result[f"forest, {name}"] = float(r2_score(ends, forest.predict(table[FIRST:])))
    line = prefix_regression(curves[:FIRST], seen).forecast(curves[FIRST:])
    result["line, curve"] = float(r2_score(ends, line))
    result["last value"] = float(r2_score(ends, curves[FIRST:, seen - 1]))
    return result
