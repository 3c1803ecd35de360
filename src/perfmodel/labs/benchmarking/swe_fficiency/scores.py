"""Rules that make one number of the 498 ratios, and what the ratios look like under two of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.benchmarking import (
    arithmetic_mean,
    clamped_ratios,
    geometric_mean,
    harmonic_mean,
    harmonic_weights,
)
from perfmodel.live.drawing import Fill, Line, Scale, Scene, Shape, Text
from perfmodel.validation import Floats, at_least, positive, sample, whole


def clamped_score(ratios: ArrayLike, clamp: float = 0.0) -> Floats:
    """Return the harmonic mean over the last axis of ratios that count as `clamp` at least.

    >>> print(clamped_score([0.2] * 497 + [0.0005], 0.001).round(4))
    0.1429
    """
    return harmonic_mean(clamped_ratios(ratios, clamp))


def parity_fraction(ratios: ArrayLike) -> Floats:
    """Return the share of the tasks, over the last axis, on which the expert is reached.

    >>> print(parity_fraction([0.5, 1.0, 3.0, 0.1]))
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
    "share at parity": parity_fraction,
}
"""Rules of aggregation, each over the last axis; the first is that of the leaderboard."""


def trimmed_ratios(ratios: ArrayLike, clamp: float, dropped: int) -> Floats:
    """Return the ratios in rising order, at least `clamp` each, without the `dropped` smallest.

    >>> print(trimmed_ratios([2.0, 0.1, 0.5], 0.2, 1))
    [0.5 2. ]
    """
    data, count = sample("ratios", ratios), whole("dropped", dropped)
    if count >= data.size:
        raise ValueError(f"dropped must be below the {data.size} tasks, got {dropped!r}")
    return np.sort(clamped_ratios(data, clamp))[count:]


_OTHERS = (1.25, 1.0, 0.5, 0.4)
_LONGEST = 20.0
_TOP, _ROW = 52.0, 24.0


def slowness_bars(worst: float, clamp: float = 0.05) -> Scene:
    """Draw five tasks' times over the expert's; `worst` is the fifth's speedup ratio."""
    at_least("worst", worst, 1 / _LONGEST)
    positive("clamp", clamp)
    ratios = [*_OTHERS, max(worst, clamp)]
    times = Scale(0, _LONGEST, 64, 344)
    score = float(clamped_score([*_OTHERS, worst], clamp))
    shapes: list[Shape] = []
    for index, ratio in enumerate(ratios):
        shapes += _row(times, index, ratio, cut=index == 4 and worst < clamp)
    bottom = _TOP + 5 * _ROW
    one, middle = times(1), times(1 / score)
    shapes.append(Line([(one, 10), (one, bottom)], style="dashed"))
    shapes.append(Text("expert: 1", one + 6, 18, anchor="start"))
    shapes.append(Line([(middle, 28), (middle, bottom)], 3, "thick"))
    shapes.append(Text(f"average: {1 / score:.3g}", middle + 6, 36, anchor="start"))
    shapes += times.below(bottom + 6, "time over the expert's")
    return Scene(bottom + 42, shapes, _says(ratios, worst, clamp), _values(ratios, score))


def _row(times: Scale, place: int, ratio: float, cut: bool) -> list[Shape]:
    y = _TOP + place * _ROW
    fill: Fill = "hatch" if place == 4 else "light"
    return [
        Text("cut off" if cut else f"task {place + 1}", 58, y + 9, anchor="end"),
        times.bar(0, y, 1 / ratio, 18, "", 1 + place // 4, fill),
    ]


def _says(ratios: list[float], worst: float, clamp: float) -> str:
    fraction = float(harmonic_weights(ratios)[-1])
    counts = f", counted as {clamp:g}," if worst < clamp else ""
    return (
        f"A fifth task with ratio {worst:g}{counts} is {100 * fraction:.0f} % of the sum of the "
        f"bars; the harmonic mean is {harmonic_mean(ratios):.2g}."
    )


def _values(ratios: list[float], score: float) -> dict[str, float]:
    return {
        "harmonic mean": score,
        "geometric mean": float(geometric_mean(ratios)),
        "arithmetic mean": float(arithmetic_mean(ratios)),
    }
