"""Rules that make one number of the 498 ratios, and what the ratios look like under two of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.benchmarking import arithmetic_mean, clamped_ratios, geometric_mean, harmonic_mean
from perfmodel.validation import Floats, positive, sample, whole


def clamped_score(ratios: ArrayLike, clamp: float = 0.0) -> Floats:
    """Return the harmonic mean over the last axis of ratios that count as `clamp` at least.

    >>> print(clamped_score([0.2] * 497 + [0.0005], 0.001).round(4))
    0.1429
    """
    return harmonic_mean(clamped_ratios(ratios, clamp))


def parity_share(ratios: ArrayLike) -> Floats:
    """Return the share of the tasks, over the last axis, on which the expert is reached.

    >>> print(parity_share([0.5, 1.0, 3.0, 0.1]))
    0.5
    """
    return np.asarray((positive("ratios", ratios) >= 1).mean(axis=-1))


def middle_ratio(ratios: ArrayLike) -> Floats:
    """Return the median over the last axis.

    >>> print(middle_ratio([0.5, 1.0, 3.0]))
    1.0
    """
    return np.asarray(np.median(positive("ratios", ratios), axis=-1))


RULES: dict[str, Callable[[ArrayLike], Floats]] = {
    "harmonic mean": harmonic_mean,
    "harmonic, clamp 0.001": partial(clamped_score, clamp=0.001),
    "geometric mean": geometric_mean,
    "median": middle_ratio,
    "arithmetic mean": arithmetic_mean,
    "share at parity": parity_share,
}
"""Rules of aggregation, each over the last axis; the first is that of the leaderboard."""


def kept_ratios(ratios: ArrayLike, clamp: float, dropped: int) -> Floats:
    """Return the ratios, clamped and in rising order, without the `dropped` smallest.

    To a harmonic mean the smallest are the most influential. A ratio counts as at least `clamp`.

    >>> print(kept_ratios([2.0, 0.1, 0.5], 0.2, 1))
    [0.5 2. ]
    """
    data, count = sample("ratios", ratios), whole("dropped", dropped)
    if count >= data.size:
        raise ValueError(f"dropped must be below the {data.size} tasks, got {dropped!r}")
    return np.sort(clamped_ratios(data, clamp))[count:]
