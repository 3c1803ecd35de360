"""What a student's plot shows, taken from the plain data that came out of their process.

That process may be hostile, so form and size are checked before anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perfcourse.kernel.figure import MAX_LABEL, MAX_POINTS, MAX_SERIES
from perfmodel.answers.closeness import numbers

Numbers = NDArray[np.float64]
NO_PLOT = (
    "Give the figure or the axes of a Matplotlib plot: end the cell that draws with "
    "NAME = plt.gcf()."
)
ONE_PANEL = "Draw everything into one plot: this figure has several."


@dataclass(frozen=True)
class Series:
    """Data that was drawn."""

    label: str
    x: Numbers
    y: Numbers


@dataclass(frozen=True)
class Shown:
    """What a plot shows, checked: labels, scales and limits by `x` and `y`."""

    labels: dict[str, str]
    scales: dict[str, str]
    limits: dict[str, list[float]]
    title: str
    legend: list[str]
    series: list[Series]


def read(answer: Any) -> Shown | str:
    """Return what a plot shows, or what is wrong with the form of the answer."""
    if not isinstance(answer, dict) or "series" not in answer:
        return NO_PLOT
    if type(panels := answer.get("panels")) is not int or panels != 1:
        return ONE_PANEL
    try:
        series = [_series(each) for each in answer["series"][:MAX_SERIES]]
        axes = {which: answer[which] for which in "xy"}
        shown = Shown(
            {which: _text(axis["label"]) for which, axis in axes.items()},
            {which: _text(axis["scale"]) for which, axis in axes.items()},
            {which: _limits(axis["limits"]) for which, axis in axes.items()},
            _text(answer["title"]),
            [_text(entry) for entry in answer["legend"][:MAX_SERIES]],
            series,
        )
    except (TypeError, LookupError, ValueError, OverflowError):
        return NO_PLOT
    return shown if sum(each.x.size for each in series) <= MAX_POINTS else NO_PLOT


def _series(given: Any) -> Series:
    x, y = numbers(given["x"]), numbers(given["y"])
    if x is None or y is None or x.ndim != 1 or x.shape != y.shape:
        raise ValueError("not a curve")
    return Series(_text(given["label"]), x, y)


def _limits(given: Any) -> list[float]:
    low, high = given
    return [float(low), float(high)]


def _text(given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError("not a text")
    return given[:MAX_LABEL]
