"""Comparison of what a plot shows with what it must show, aspect by aspect.

What is said about a plot is made of the question's own words and never of the student's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from perfcourse.kernel.figure import MAX_LABEL, MAX_POINTS, MAX_SERIES
from perfmodel.answers.closeness import close, numbers, off
from perfmodel.answers.words import phrase, texts

if TYPE_CHECKING:
    from perfcourse.bank.plots import Axis, Curve, Plot

Numbers = NDArray[np.float64]
NO_PLOT = (
    "Give the figure or the axes of a Matplotlib plot: end the cell that draws with "
    "NAME = plt.gcf()."
)
ONE_PANEL = "Draw everything into one plot: this figure has several."
LEAST = 10
"""A curve that is a function needs this many points."""
ROUGHLY = 0.02
"""Part of an axis by which its ends, and those of a curve, may differ."""
DATA = "data"


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


@dataclass(frozen=True)
class Fault:
    """What is wrong with an aspect of a plot: the mistake's name, and what to say."""

    aspect: str
    name: str
    hint: str


def ideal(plot: Plot) -> dict[str, Any]:
    """Return the plot of a student who draws just what is asked for, as it arrives."""
    axes = {
        which: {
            "label": " ".join((texts(axis.label)[0].replace("*", ""), texts(axis.unit)[0])),
            "scale": axis.scale or "linear",
            "limits": [float(end) for end in axis.limits or (0, 1)],
        }
        for which, axis in (("x", plot.x), ("y", plot.y))
    }
    names = [texts(curve.label)[0].replace("*", "") for curve in plot.curves]
    curves = [
        {"label": name, **dict(zip("xy", _points(curve, plot.x), strict=True))}
        for name, curve in zip(names, plot.curves, strict=True)
    ]
    title = texts(plot.title)[0].replace("*", "")
    return {"panels": 1, **axes, "title": title, "legend": names, "series": curves}


def _points(curve: Curve, axis: Axis) -> tuple[Numbers, Numbers]:
    if not callable(curve.y):
        return np.asarray(curve.x, float), np.asarray(curve.y, float)
    low, high = curve.x
    space = np.geomspace if axis.scale == "log" else np.linspace
    x = space(low, high, 5 * LEAST)
    return x, np.asarray(curve.y(x), float)


def error(answer: Any, plot: Plot) -> float:
    """Return the largest relative error of the data; infinite where anything else is wrong."""
    shown = read(answer)
    if isinstance(shown, str) or any(_others(shown, plot)):
        return math.inf
    pairs = matched(shown, plot, math.inf)
    if pairs is None:
        return math.inf
    return max(_off(series, curve, plot) for series, curve in pairs)


def matched(shown: Shown, plot: Plot, tolerance: float) -> list[tuple[Series, Curve]] | None:
    """Return each curve asked for with the series that draws it; None unless all is there.

    A plot that shows more than is asked for doesn't match: who draws all guesses shows none.
    """
    remaining, pairs = list(shown.series), []
    if len(remaining) != len(plot.curves):
        return None
    for curve in plot.curves:
        errors = [_off(series, curve, plot) for series in remaining]
        nearest = int(np.argmin(errors))
        if not errors[nearest] <= tolerance * (1 + 1e-9) or errors[nearest] == math.inf:
            return None
        pairs.append((remaining.pop(nearest), curve))
    return pairs


def _off(series: Series, curve: Curve, plot: Plot) -> float:
    if not callable(curve.y):
        mine = np.lexsort((series.y, series.x))
        x, y = np.asarray(curve.x, float), np.asarray(curve.y, float)
        theirs = np.lexsort((y, x))
        return max(off(series.x[mine], x[theirs]), off(series.y[mine], y[theirs]))
    if not _runs(series.x, curve.x, plot.x.scale):
        return math.inf
    low, high = curve.x
    inside = (series.x >= low) & (series.x <= high)
    expected = np.asarray(curve.y(series.x[inside]), float)
    if plot.y.scale == "log":
        return off(series.y[inside], expected)
    scale = np.abs(expected).max() or 1.0
    return off(1 + (series.y[inside] - expected) / scale, np.ones(expected.shape))


def _runs(x: Numbers, ends: Sequence[float], scale: str) -> bool:
    """Whether a curve has enough points, from about the one end to about the other."""
    low, high = ends
    inside = x[(x >= low) & (x <= high)]
    if inside.size < LEAST or not np.isfinite(x).all():
        return False
    return _meets([inside.min(), inside.max()], ends, scale)


def _meets(ends: Sequence[float], asked: Sequence[float], scale: str) -> bool:
    mine, theirs = np.array(ends, float), np.array(asked, float)
    if scale == "log":
        if (mine <= 0).any():
            return False
        mine, theirs = np.log(mine), np.log(theirs)
    return bool((np.abs(mine - theirs) <= ROUGHLY * abs(theirs[1] - theirs[0])).all())


def aspects(plot: Plot) -> list[str]:
    """Return what is looked at besides the data, in order."""
    axes = (plot.x, plot.y)
    asked = {
        "labels": any(axis.label or axis.unit for axis in axes),
        "scales": any(axis.scale for axis in axes),
        "limits": any(axis.limits for axis in axes),
        "legend": any(curve.label for curve in plot.curves),
        "title": bool(plot.title),
    }
    return [aspect for aspect, is_asked in asked.items() if is_asked]


def faults(shown: Shown, plot: Plot, tolerance: float) -> list[Fault]:
    """Return what is wrong with a plot: its data, or else all other faults."""
    pairs = matched(shown, plot, tolerance)
    if pairs is None:
        return [_of_data(shown, plot, tolerance)]
    return [*_others(shown, plot), *_of_legend(shown, pairs)]


def _of_data(shown: Shown, plot: Plot, tolerance: float) -> Fault:
    amount = len(plot.curves)
    swapped = [Series(each.label, each.y, each.x) for each in shown.series]
    turned = Shown(**{**vars(shown), "series": swapped})
    if matched(turned, plot, tolerance):
        return Fault(DATA, "axes swapped", "The axes are swapped: x and y are the other way round.")
    if not shown.series:
        return Fault(DATA, "empty plot", "The plot is empty: nothing is drawn in it.")
    if len(shown.series) != amount:
        curves = f"{amount} curve" + "s" * (amount > 1)
        return Fault(DATA, "number of curves", f"Draw {curves}, no more and no fewer.")
    return Fault(DATA, "", _data_hint(shown, plot, tolerance))


def _data_hint(shown: Shown, plot: Plot, tolerance: float) -> str:
    for curve in plot.curves:
        if min(_off(series, curve, plot) for series in shown.series) <= tolerance:
            continue
        name = f"Curve {texts(curve.label)[0].replace('*', '')}: " if len(plot.curves) > 1 else ""
        if callable(curve.y):
            runs = any(_runs(series.x, curve.x, plot.x.scale) for series in shown.series)
            where = f"draw it from x = {curve.x[0]:g} to {curve.x[1]:g}, at {LEAST} points or more."
            return name + ("its height isn't right." if runs else where)
        x = np.sort(np.asarray(curve.x, float))
        right = any(close(np.sort(series.x), x, tolerance) for series in shown.series)
        return name + ("the values along y aren't right." if right else "look at the values of x.")
    return "Each curve must be drawn once."


def _others(shown: Shown, plot: Plot) -> Iterator[Fault]:
    for which, axis in (("x", plot.x), ("y", plot.y)):
        yield from _of_label(which, shown.labels[which], axis)
    for which, axis in (("x", plot.x), ("y", plot.y)):
        if axis.scale and shown.scales[which] != axis.scale:
            kind = "logarithmic" if axis.scale == "log" else "linear"
            hint = f"Use a {kind} scale on the {which} axis."
            yield Fault("scales", f"no {kind} scale on {which}", hint)
    for which, axis in (("x", plot.x), ("y", plot.y)):
        if axis.limits and not _meets(shown.limits[which], axis.limits, axis.scale):
            low, high = axis.limits
            hint = f"Let the {which} axis run from {low:g} to {high:g}."
            yield Fault("limits", f"limits of {which}", hint)
    if plot.title and not _holds(shown.title, plot.title):
        yield Fault("title", "no title", "Give the plot a title that says what it shows.")


def _of_label(which: str, label: str, axis: Axis) -> Iterator[Fault]:
    word, unit = texts(axis.label)[0].replace("*", ""), texts(axis.unit)[0]
    example = f"{word or 'quantity'} [{unit}]" if unit else word
    if (word or unit) and not phrase(label):
        yield Fault("labels", f"no label on {which}", f"Label the {which} axis: {example}.")
    elif word and not _holds(label, axis.label):
        yield Fault("labels", f"label of {which}", f"The label of {which} must name the {word}.")
    elif unit and not any(_has_unit(label, each) for each in texts(axis.unit)):
        hint = f"The {which} axis needs its unit beside the label: {example}."
        yield Fault("labels", f"no unit on {which}", hint)


def _of_legend(shown: Shown, pairs: Sequence[tuple[Series, Curve]]) -> Iterator[Fault]:
    asked = [(series, curve) for series, curve in pairs if curve.label]
    if asked and not shown.legend:
        yield Fault("legend", "no legend", "Add a legend: label each curve, then plt.legend().")
    elif not all(_holds(series.label, curve.label) for series, curve in asked):
        names = ", ".join(texts(curve.label)[0].replace("*", "") for _, curve in asked)
        hint = f"The legend must tell which curve is which: {names}."
        yield Fault("legend", "legend", hint)


def _holds(label: str, words: str | Sequence[str]) -> bool:
    said = f" {phrase(label.replace('*', ' '))} "
    return any(fnmatchcase(said, f"* {phrase(text)} *") for text in texts(words))


def _has_unit(label: str, unit: str) -> bool:
    r"""Whether a label names a unit as a word of its own, written as it is asked for.

    >>> _has_unit("run time [ms]", "ms"), _has_unit("$t$ in $\\mathrm{GB/s}$", "GB/s")
    (True, True)
    >>> _has_unit("times", "s"), _has_unit("rate [GB/s]", "s")
    (False, False)
    """
    bare = re.sub(r"\\[a-zA-Z]+|[${}~]|\\,", " ", label)
    return bool(re.search(rf"(?<![\w/]){re.escape(unit)}(?![\w/])", bare))
