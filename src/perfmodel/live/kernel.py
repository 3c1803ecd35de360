"""A figure with the kernel behind it: ipywidgets move it, and each move calls the drawing function.

The page's figure shows states computed beforehand; here values between them are drawn, too, and
what the drawing function calls may change: after each cell that runs, figures are drawn anew.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, NamedTuple

import anywidget
import ipywidgets
import numpy as np
import traitlets
from IPython import get_ipython

from perfmodel.live import svg
from perfmodel.live.controls import Control, Options, Slider, first_place, values_at
from perfmodel.live.display import script, style
from perfmodel.live.plot import Plot
from perfmodel.units import number

STEPS = 200
"""Positions of a slider between its ends, about one a pixel."""
Draw = Callable[..., Plot]


class Page(anywidget.AnyWidget):
    """The page's own HTML and script, given a place in JupyterLab."""

    _esm = script()
    _css = style()
    html = traitlets.Unicode().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)


class Input(NamedTuple):
    """A widget, and what the drawing function gets for its value."""

    widget: Any
    meaning: Callable[[Any], object]

    @property
    def value(self) -> object:
        """What the drawing function gets now."""
        return self.meaning(self.widget.value)


class Live:
    """A figure that the kernel draws: controls above, picture and values below.

    Parameters
    ----------
    draw : callable
        The drawing function of `live.figure`.
    controls : mapping of str to Slider or Options
        Its controls. A slider takes values between those of the page, if `draw` can draw them.
    plot : Plot
        The state shown first.
    caption, alt : str
        Those of the figure.
    """

    def __init__(
        self, draw: Draw, controls: Mapping[str, Control], plot: Plot, caption: str, alt: str
    ) -> None:
        self.plot, self._draw, self._caption, self._alt = plot, draw, caption, alt
        self.inputs = {name: _input(draw, controls, name, plot) for name in controls}
        more = _more(draw, controls)
        self.page = Page(html=self._html(plot), state={})
        rows = [item.widget for item in self.inputs.values()] + ([_folded(more)] if more else [])
        self.box = ipywidgets.VBox([*rows, self.page])
        self.inputs |= more
        for item in self.inputs.values():
            item.widget.observe(lambda _: self.redraw(), "value")
        _follow(caption + alt, self)

    def redraw(self) -> None:
        """Draw the state that the controls name; say so if the drawing function stops."""
        try:
            plot = self._draw(**{name: item.value for name, item in self.inputs.items()})
            state = _state(plot)
        except Exception as error:
            says = f"The drawing function stopped: {type(error).__name__}: {error}"
            self.page.state = {**_state(self.plot), "says": says}
            return
        if _frame(plot) != _frame(self.plot):
            self.page.html = self._html(plot)
        self.plot = plot
        self.page.state = state

    def _html(self, plot: Plot) -> str:
        rows = "".join(
            f'<tr><th scope="row">{escape(name)}</th><td>{text}</td></tr>'
            for name, text in zip(plot.values, _state(plot)["values"], strict=True)
        )
        return (
            f'<figure class="live">{svg.legend(plot)}{svg.draw(plot, self._alt)}'
            f'<p class="live-says" aria-live="polite">{escape(plot.says)}</p>'
            f'<details class="live-table"><summary>These values</summary><table>{rows}</table>'
            f"</details><figcaption>{escape(self._caption)}</figcaption></figure>"
        )


def _state(plot: Plot) -> dict[str, Any]:
    """Return what the script needs to show `plot` in a frame that stands."""
    values = [number(float(value)) for value in plot.values.values()]
    return {
        "paths": svg.paths(plot),
        "notes": svg.notes(plot),
        "says": plot.says,
        "values": values,
    }


def _frame(plot: Plot) -> tuple[object, ...]:
    marks = [(mark.name, mark.style, mark.colour) for mark in plot.marks]
    return plot.x, plot.y, marks, [note.colour for note in plot.notes], list(plot.values)


def _input(draw: Draw, controls: Mapping[str, Control], name: str, plot: Plot) -> Input:
    control = controls[name]
    if isinstance(control, Slider):
        if _draws_between(draw, controls, name, plot):
            return _between(control)
        kind = ipywidgets.SelectionSlider
        label = control.label
    else:
        kind, label = ipywidgets.RadioButtons, control.label
    texts = [(control.text(i), i) for i in range(len(control.values))]
    return Input(_made(kind, label, options=texts, value=control.first), control.values.__getitem__)


def _draws_between(draw: Draw, controls: Mapping[str, Control], name: str, plot: Plot) -> bool:
    """Return whether `draw` draws values that lie between those of the page, in the same frame.

    Some drawing functions look states up that were measured or simulated beforehand.
    """
    control = controls[name]
    if isinstance(control, Options) or not all(map(_is_number, control.values)):
        return False
    start = values_at(controls, first_place(controls))
    whole = all(isinstance(value, int | np.integer) for value in control.values)
    try:
        for low, high in (control.values[:2], control.values[-2:]):
            value = (low + high) // 2 if whole else (low + high) / 2
            if _frame(draw(**{**start, name: value})) != _frame(plot):
                return False
    except Exception:
        return False
    return True


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _between(slider: Slider) -> Input:
    """Return a slider from the least to the greatest value, by the same ratio or the same step."""
    values = np.asarray(slider.values)
    low, high = values.min(), values.max()
    label = f"{slider.label} ({slider.unit})" if slider.unit else slider.label
    start, scale = slider.values[slider.first], slider.scale
    log = _spaced_by_ratio(values)
    if values.dtype.kind in "iu":
        if not log and scale == 1:
            step = max(1, int(high - low) // STEPS)
            ends = {"min": int(low), "max": int(high), "step": step}
            return Input(_made(ipywidgets.IntSlider, label, value=int(start), **ends), int)
        spread = np.geomspace(low, high, STEPS) if log else np.linspace(low, high, STEPS)
        steps = sorted({*spread.round().astype(int).tolist(), int(start)})
        texts = [(number(float(value * scale)), value) for value in steps]
        return Input(_made(ipywidgets.SelectionSlider, label, options=texts, value=int(start)), int)
    kind, ends = ipywidgets.FloatSlider, (low * scale, high * scale)
    shown = f".{max(0, math.ceil(-math.log10((ends[1] - ends[0]) / STEPS)))}f"
    if log:
        kind, ends, shown = ipywidgets.FloatLogSlider, tuple(np.log10(ends)), ".3g"
    made = _made(
        kind,
        label,
        min=ends[0],
        max=ends[1],
        step=(ends[1] - ends[0]) / STEPS,
        value=float(np.clip(start * scale, low * scale, high * scale)),
        readout_format=shown,
    )
    return Input(made, lambda value: float(np.clip(value / scale, low, high)))


def _spaced_by_ratio(values: np.ndarray) -> bool:
    """Return whether the values are evenly spaced in their logarithms rather than in themselves.

    >>> _spaced_by_ratio(np.array([1, 2, 4, 8])), _spaced_by_ratio(np.array([1, 2, 3, 4]))
    (True, False)
    """
    if values.size < 3 or (values <= 0).any():
        return False
    steps, ratios = np.diff(values), np.diff(np.log(values))
    return bool(np.std(ratios) / abs(np.mean(ratios)) < np.std(steps) / abs(np.mean(steps)))


def _more(draw: Draw, controls: Mapping[str, Control]) -> dict[str, Input]:
    """Return a field for each parameter whose default is a number and that has no control."""
    fields = {}
    for name, parameter in inspect.signature(draw).parameters.items():
        default = parameter.default
        if name in controls or not _is_number(default):
            continue
        kind = ipywidgets.IntText if isinstance(default, int) else ipywidgets.FloatText
        fields[name] = Input(_made(kind, name.replace("_", " "), value=default), type(default))
    return fields


def _folded(more: Mapping[str, Input]) -> Any:
    fields = ipywidgets.VBox([item.widget for item in more.values()])
    return ipywidgets.Accordion([fields], titles=("More parameters",), selected_index=None)


def _made(kind: Any, label: str, **settings: Any) -> Any:
    return kind(
        description=label,
        style={"description_width": "initial"},
        layout={"width": "auto", "max_width": "42rem"},
        **settings,
    )


_FOLLOWED: dict[str, Live] = {}
"""The last figure shown of each caption and text alternative."""


def _follow(key: str, live: Live) -> None:
    """Draw `live` anew after each cell, in place of the same figure shown before."""
    _FOLLOWED[key] = live
    shell = get_ipython()
    if shell is not None:
        shell.events.register("post_run_cell", _redraw_all)


def shown() -> list[Live]:
    """Return the figures shown in this kernel, each once."""
    return list(_FOLLOWED.values())


def _redraw_all(*_: object) -> None:
    for live in shown():
        live.redraw()
