"""One result of a cell in the forms that its places need: a page, JupyterLab, print, plain text."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from perfmodel.live.plot import Axis, Plot

HERE = Path(__file__).parent


def packed(data: object) -> str:
    """Return `data` as JSON that can stand in a `<script>` element whatever it holds."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def script() -> str:
    """Return the text of the module that wakes prompts and figures."""
    return "".join((HERE / name).read_text("utf-8") for name in ("predict.mjs", "live.mjs"))


def style() -> str:
    """Return the text of the style sheet of figures and prompts."""
    return "".join((HERE / name).read_text("utf-8") for name in ("live.css", "predict.css"))


class _Widget(anywidget.AnyWidget):
    """The page's own HTML and script, given a place in JupyterLab."""

    _esm = script()
    _css = style()
    html = traitlets.Unicode().tag(sync=True)


class Display:
    """What a call of this package shows in a notebook; nothing happens until a cell displays it."""

    def __init__(self, html: str, text: str, plot: Plot | None = None) -> None:
        self.html = html
        """The element as it stands on the built page, readable without any script."""
        self.text = text
        """The result in one sentence."""
        self.plot = plot
        """The state shown first, where there is a picture."""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": self.text, "text/html": self.html}
        if self.plot is not None:
            bundle["image/png"] = still(self.plot)
        widget = _Widget(html=self.html)._repr_mimebundle_()
        live = widget[0] if isinstance(widget, tuple) else widget
        return {**bundle, **{k: v for k, v in (live or {}).items() if k not in bundle}}


def still(plot: Plot) -> str:
    """Return `plot` drawn by Matplotlib as a base64 PNG, for print and for viewers without HTML."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.8), layout="constrained")
    axes = figure.add_subplot()
    for mark, colour in zip(plot.marks, plot.colours(), strict=True):
        _stamp(axes, mark, f"C{colour - 1}")
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
    axes.legend()
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=80, metadata={"Software": None})
    return base64.b64encode(file.getvalue()).decode()


def _stamp(axes: Any, mark: Any, colour: str) -> None:
    x, y = np.asarray(mark.x, float), np.asarray(mark.y, float)
    if mark.style == "band":
        axes.fill_between(
            x, y, np.asarray(mark.y2, float), color=colour, alpha=0.25, label=mark.name
        )
        return
    error = None if mark.y2 is None else np.abs(np.asarray(mark.y2, float) - y)
    if mark.style == "bars":
        axes.bar(x, y, yerr=error, color=colour, alpha=0.7, label=mark.name)
    elif mark.style == "points":
        axes.errorbar(x, y, yerr=error, fmt="D", color=colour, label=mark.name)
    elif mark.style == "thin":
        axes.plot(x, y, "-", color="grey", linewidth=0.8, label=mark.name)
    else:
        axes.plot(x, y, "--" if mark.style == "dashed" else "-", color=colour, label=mark.name)


def _frame(axes: Any, axis: Axis, name: str) -> None:
    base = {"log": 10, "log2": 2}.get(axis.scale)
    if base:
        getattr(axes, f"set_{name}scale")("log", base=base)
    getattr(axes, f"set_{name}lim")(axis.low, axis.high)
    places, texts = zip(*axis.ticks(), strict=True)
    getattr(axes, f"set_{name}ticks")(places, texts)
    getattr(axes, f"set_{name}label")(axis.title)
    axes.grid(alpha=0.3)
