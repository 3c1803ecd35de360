"""What a Matplotlib figure shows, as plain data: axes, labels, scales, limits, legend, points.

This runs in the student's process, so what it returns is no more to be trusted than any answer:
nothing but plain data leaves, and the judge looks at its form and size once more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from perfcourse.kernel.plain import Other, TooBigError

MAX_POINTS = 20_000
MAX_SERIES = 50
MAX_LABEL = 300
_DEEPEST = 4
Shown = dict[str, Any]


def shown(answer: Any) -> Any:
    """Return what an answer to a question for a plot shows, in a dict; else what it is.

    That is a figure, its axes, what `plt.plot` returned, or a function without arguments that draws
    and may return one of these. Where it is nothing, the current figure is meant. More than 50
    curves, or 20 000 points in all, raise `TooBigError`.
    """
    if answer is None or answer is Ellipsis:
        answer = _current()
    elif callable(answer) and not _axes_of(answer):
        answer = _drawn_by(answer)
    axes = [each for each in _axes_of(answer) if _series(each)] or _axes_of(answer)[:1]
    if axes:
        return {"panels": len(axes), **_panel(axes[0])}
    return None if answer is None else Other(type(answer).__name__[:80])


def _pyplot() -> Any:
    return sys.modules.get("matplotlib.pyplot")


def _current() -> Any:
    pyplot = _pyplot()
    return pyplot.gcf() if pyplot is not None and pyplot.get_fignums() else None


def _drawn_by(function: Any) -> Any:
    """Return what a function draws on a fresh figure, and returns or leaves there."""
    if (pyplot := _pyplot()) is not None:
        pyplot.figure()
    returned = function()
    return returned if _axes_of(returned) else _current()


def _axes_of(thing: Any, depth: int = _DEEPEST) -> list[Any]:
    """Return the axes of a figure, of an artist, or of the first of several."""
    figures, axes = sys.modules.get("matplotlib.figure"), sys.modules.get("matplotlib.axes")
    if figures is None or axes is None or depth == 0:
        return []
    if isinstance(thing, figures.Figure):
        return list(thing.axes)
    if isinstance(thing, axes.Axes):
        return [thing]
    if isinstance(thing, list | tuple | np.ndarray):
        parts = np.ravel(thing).tolist() if isinstance(thing, np.ndarray) else list(thing)
        return next(filter(None, (_axes_of(part, depth - 1) for part in parts[:MAX_SERIES])), [])
    return [own] if isinstance(own := getattr(thing, "axes", None), axes.Axes) else []


def _panel(axes: Any) -> Shown:
    series = _series(axes)
    if len(series) > MAX_SERIES or sum(np.size(each["x"]) for each in series) > MAX_POINTS:
        raise TooBigError(f"the plot has more than {MAX_SERIES} curves or {MAX_POINTS} points")
    legends = filter(None, (axes.get_legend(), *axes.figure.legends))
    entries = [text.get_text() for legend in legends for text in legend.get_texts()]
    return {
        "x": _axis(axes.get_xlabel(), axes.get_xscale(), axes.get_xlim()),
        "y": _axis(axes.get_ylabel(), axes.get_yscale(), axes.get_ylim()),
        "title": str(axes.get_title())[:MAX_LABEL],
        "legend": [str(entry)[:MAX_LABEL] for entry in entries[:MAX_SERIES]],
        "series": series,
    }


def _axis(label: Any, scale: Any, limits: Any) -> Shown:
    low, high = limits
    return {
        "label": str(label)[:MAX_LABEL],
        "scale": str(scale)[:MAX_LABEL],
        "limits": [float(low), float(high)],
    }


def _series(axes: Any) -> list[Shown]:
    """Return what is drawn in data coordinates: lines, points, bars; not a line across the plot."""
    return [each for each in (*_lines(axes), *_points(axes), *_bars(axes)) if np.size(each["x"])]


def _lines(axes: Any) -> Iterator[Shown]:
    labels, ornaments = {}, set()
    for container in axes.containers:
        if type(container).__name__ == "ErrorbarContainer":
            line, caps, _ = container.lines
            labels[line] = container.get_label()
            ornaments |= set(caps)
    for line in axes.get_lines():
        if line.get_visible() and line.get_transform() == axes.transData and line not in ornaments:
            x, y = line.get_xdata(orig=False), line.get_ydata(orig=False)
            yield _one(labels.get(line, line.get_label()), x, y)


def _points(axes: Any) -> Iterator[Shown]:
    for collection in axes.collections:
        if type(collection).__name__ == "PathCollection" and collection.get_visible():
            x, y = np.reshape(np.ma.getdata(collection.get_offsets()), (-1, 2)).T
            yield _one(collection.get_label(), x, y)


def _bars(axes: Any) -> Iterator[Shown]:
    for container in axes.containers:
        if type(container).__name__ == "BarContainer":
            x = [bar.get_x() + bar.get_width() / 2 for bar in container.patches]
            y = [bar.get_height() for bar in container.patches]
            yield _one(container.get_label(), x, y)


def _one(label: Any, x: Any, y: Any) -> Shown:
    if max(np.size(x), np.size(y)) > MAX_POINTS:
        raise TooBigError(f"the plot has more than {MAX_POINTS} points")
    flat = [np.array(np.ravel(each), dtype=np.float64, subok=False) for each in (x, y)]
    return {"label": str(label)[:MAX_LABEL], "x": flat[0], "y": flat[1]}
