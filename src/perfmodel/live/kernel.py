"""A figure with the kernel behind it: ipywidgets move it, and each move calls the drawing function.

The page's figure shows states computed beforehand; here values between them are drawn, too, and
what the drawing function calls may change: after each cell that runs, figures are drawn again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

import anywidget
import ipywidgets
import traitlets
from IPython import get_ipython

from perfmodel.live import svg
from perfmodel.live.controls import Control, Place, first_place
from perfmodel.live.display import script, style
from perfmodel.live.plot import Plot
from perfmodel.live.widgets import (
    Draw,
    draws_between,
    folded,
    more_inputs,
    seconds_of,
    widget_of,
)
from perfmodel.tasks import practice
from perfmodel.units import number

QUICK = 0.05
"""Seconds that a drawing function may take for its sliders to be continuous; slower ones keep the
page's values, whose states are known."""


class Page(anywidget.AnyWidget):
    """The page's own HTML and script, given a place in JupyterLab.

    What the reader answers there is told to the kernel, which keeps it in progress.json; a page of
    predictions asks for what is kept.
    """

    _esm = script()
    _css = style()
    html = traitlets.Unicode().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._told)

    def _told(self, _: Any, said: Mapping[str, Any], __: Any) -> None:
        if said.get("forget"):
            practice.forget()
        elif "kept" in said:
            practice.keep(said["kept"])
        elif "asks" in said:
            self.send({"practice": practice.kept()})


class Live:
    """A figure that the kernel draws: controls above, picture and values below.

    Parameters
    ----------
    draw : callable
        The drawing function of `live.figure`.
    controls : mapping of str to Slider or Options
        Its controls. A slider takes values between those of the page where `draw` can draw them,
        and is quick.
    plots : mapping of place to Plot
        The states of the page, at all places of the controls.
    caption, alt : str
        Those of the figure.
    """

    def __init__(
        self,
        draw: Draw,
        controls: Mapping[str, Control],
        plots: Mapping[Place, Plot],
        caption: str,
        alt: str,
    ) -> None:
        self.plot = plots[first_place(controls)]
        self._draw, self._caption, self._alt = draw, caption, alt
        self.quick = seconds_of(draw, controls) < QUICK
        self.inputs = {
            name: widget_of(c, self.quick and draws_between(draw, controls, name, self.plot))
            for name, c in controls.items()
        }
        more = more_inputs(draw, controls)
        start = tuple(item.value for item in more.values())
        self._known = {} if self.quick else {(*at, *start): plot for at, plot in plots.items()}
        self.page = Page(html=self._html(self.plot), state={})
        rows = [item.widget for item in self.inputs.values()] + ([folded(more)] if more else [])
        self.box = ipywidgets.VBox([*rows, self.page])
        self.inputs |= more
        for item in self.inputs.values():
            item.widget.observe(lambda _: self.redraw(), "value")
        _follow(caption + alt, self)

    def redraw(self, anew: bool = False) -> None:
        """Draw the state that the controls name; say so if the drawing function stops.

        States known from the page are used until one that is drawn `anew` differs.
        """
        place = tuple(item.widget.value for item in self.inputs.values())
        try:
            plot = None if anew else self._known.get(place)
            if plot is None:
                plot = self._draw(**{name: item.value for name, item in self.inputs.items()})
            state = _state(plot)
        except Exception as error:
            self._known = {}
            says = f"The drawing function stopped: {type(error).__name__}: {error}"
            self.page.state = {**_state(self.plot), "says": says}
            return
        if anew and place in self._known and state != _state(self._known[place]):
            self._known = {}
        if plot.frame != self.plot.frame:
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


_FOLLOWED: dict[str, Live] = {}
"""The last figure shown of each caption and text alternative."""


def _follow(key: str, live: Live) -> None:
    """Draw `live` again after each cell, instead of the same figure shown before."""
    _FOLLOWED[key] = live
    shell = get_ipython()
    if shell is not None:
        shell.events.register("post_run_cell", _redraw_all)


def shown() -> list[Live]:
    """Return the figures shown in this kernel, each once."""
    return list(_FOLLOWED.values())


def _redraw_all(result: Any = None) -> None:
    """Draw all figures again; slow ones only after a cell that may have changed what they call."""
    cell = getattr(getattr(result, "info", None), "raw_cell", None) or "def"
    changes = re.search(r"\b(def|class|lambda|reload|import)\b", cell)
    for live in shown():
        if live.quick or changes:
            live.redraw(anew=True)
