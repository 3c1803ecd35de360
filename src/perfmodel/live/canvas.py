"""A `Plot` drawn by Matplotlib: the still for print, and axes for whoever takes it further."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from perfmodel.live.looks import DASHED, DASHES, FILLINGS, MARKERS, STROKE
from perfmodel.live.plot import Axis, Mark, Plot


def still(plot: Plot) -> str:
    """Return `plot` as a base64 PNG, for print and for viewers without HTML."""
    figure = Figure(figsize=(6, 3.8), layout="constrained")
    draw(plot, figure.add_subplot())
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=80, metadata={"Software": None})
    return base64.b64encode(file.getvalue()).decode()


def new_axes() -> Axes:
    """Return the axes of a new pyplot figure, of the still's shape."""
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(6, 3.8), layout="constrained")[1]


def draw(plot: Plot, axes: Axes) -> Axes:
    """Draw the marks, notes, axes and legend of `plot` on `axes` and return them."""
    for mark, colour, rank in zip(plot.marks, plot.colours(), plot.ranks(), strict=True):
        _stamp(axes, mark, f"C{colour - 1}", rank)
    for note in plot.notes:
        axes.annotate(
            note.text,
            (note.x, note.y),
            xytext=(0, 5),
            textcoords="offset points",
            color=f"C{note.colour - 1}" if note.colour else "black",
            ha={"start": "left", "end": "right"}.get(note.anchor, "center"),
        )
    for axis, name in ((plot.x, "x"), (plot.y, "y")):
        _frame(axes, axis, name)
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    return axes


def _stamp(axes: Any, mark: Mark, colour: str, rank: int) -> None:
    x, y = np.asarray(mark.x, float), np.asarray(mark.y, float)
    look = {"color": colour, "label": mark.name}
    if mark.style == "band":
        axes.fill_between(x, y, np.asarray(mark.y2, float), alpha=0.25, **look)
        return
    error = None if mark.y2 is None else np.abs(np.asarray(mark.y2, float) - y)
    if mark.style == "bars":
        width = 0.8 * float(np.diff(np.sort(x)).min()) if x.size > 1 else 0.8
        filling = FILLINGS[rank % len(FILLINGS)]
        axes.bar(x, y, width, yerr=error, alpha=filling, edgecolor=colour, **look)
    elif mark.style == "points":
        marker = MARKERS[rank % len(MARKERS)].matplotlib
        axes.errorbar(x, y, yerr=error, fmt=marker, **look)
    elif mark.style == "thin":
        axes.plot(x, y, "-", linewidth=0.8, **{**look, "color": "grey"})
    else:
        dashes = DASHED if mark.style == "dashed" else DASHES
        lengths = [length / STROKE for length in dashes[rank % len(dashes)]]
        axes.plot(x, y, linestyle=(0, lengths) if lengths else "-", **look)


def _frame(axes: Any, axis: Axis, name: str) -> None:
    base = {"log": 10, "log2": 2}.get(axis.scale)
    if base:
        getattr(axes, f"set_{name}scale")("log", base=base)
    getattr(axes, f"set_{name}lim")(axis.low, axis.high)
    places, texts = zip(*axis.ticks(), strict=True)
    getattr(axes, f"set_{name}ticks")(places, texts)
    getattr(axes, f"set_{name}label")(axis.title)
    axes.grid(alpha=0.3)
