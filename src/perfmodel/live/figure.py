"""A live figure: one drawing function of its parameters, and one call that shows it.

The drawing function is sampled at every position of its sliders when the cell runs; the page gets
the samples and a few lines of script that swap one for another. So the figure needs no kernel, no
server and no network, and Python stays the only place that holds the model.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from perfmodel.live import svg
from perfmodel.live.display import Display, packed
from perfmodel.live.plot import Plot
from perfmodel.units import number
from perfmodel.validation import whole, within

MOST_BYTES = 30_000
"""What one figure may add to a page, in bytes after gzip."""


@dataclass(frozen=True)
class Slider:
    """A labelled control and the values that it can take, in order.

    >>> Slider("Serial fraction", [0, 0.05, 0.1], unit="%", scale=100).text(1)
    '5 %'
    """

    label: str
    values: Sequence[float]
    start: float | None = None
    """The value shown first; the middle one if not given."""
    unit: str = ""
    scale: float = 1.0
    """What a value is multiplied by when it is shown: 100 for a share in per cent."""

    def __post_init__(self) -> None:
        """Refuse a slider that can't move or that starts nowhere."""
        if len(self.values) < 2:
            raise ValueError(f"values of {self.label!r} must be 2 or more, got {self.values!r}")
        if self.start is not None and not np.isclose(self.values, self.start).any():
            raise ValueError(
                f"start of {self.label!r} must be one of its values, got {self.start!r}"
            )

    @property
    def first(self) -> int:
        """The position shown first."""
        if self.start is None:
            return len(self.values) // 2
        return int(np.argmin(np.abs(np.asarray(self.values, float) - self.start)))

    def text(self, position: int) -> str:
        """Return the value at `position` with its unit, as shown and read out."""
        shown = number(float(np.round(self.values[position] * self.scale, 10)))
        return f"{shown} {self.unit}" if self.unit else shown


def figure(draw: Callable[..., Plot], caption: str, alt: str, **sliders: Slider) -> Display:
    """Show `draw` as a figure with a slider for each of its parameters.

    Parameters
    ----------
    draw : callable
        Takes each slider's value by keyword and returns a `Plot`. Its axes must not depend on
        the sliders, and each call must return the same marks in the same order.
    caption : str
        The figure's caption; plain text.
    alt : str
        What the picture shows, for those who can't see it: 15 to 250 characters.
    **sliders : Slider
        One or two sliders, named as the parameters of `draw`.

    Returns
    -------
    Display
        What a notebook cell shows: live in JupyterLab and on the built page, a still in print.

    Raises
    ------
    ValueError
        If the sliders, the text or the states don't fit the rules above, or if the states take
        more than `MOST_BYTES` after compression.
    """
    whole_alt(alt)
    if not 1 <= len(sliders) <= 2:
        raise ValueError(f"sliders must be one or two, got {len(sliders)}")
    places = list(itertools.product(*(range(len(s.values)) for s in sliders.values())))
    plots = {place: _drawn(draw, sliders, place) for place in places}
    start = tuple(s.first for s in sliders.values())
    _same_frame(plots[start], plots.values())
    states = _packed(list(plots.values()))
    key = hashlib.sha256((caption + alt + states).encode()).hexdigest()[:10]
    html = (
        f'<figure class="live" data-live="figure" id="live-{key}">'
        f"{_controls(key, sliders)}{svg.legend(plots[start])}{svg.draw(plots[start], alt)}"
        f'<p class="live-says" aria-live="polite">{escape(plots[start].says)}</p>'
        f"{_table(sliders, start, plots)}<figcaption>{escape(caption)}</figcaption>"
        f'<script type="application/json">{states}</script></figure>'
    )
    size = len(gzip.compress(html.encode()))
    if size > MOST_BYTES:
        raise ValueError(
            f"the figure must stay below {MOST_BYTES:,} bytes compressed, got {size:,} from "
            f"{len(plots)} states: use fewer slider values or fewer points a line"
        )
    return Display(html, plots[start].says, plots[start])


def whole_alt(alt: str) -> str:
    """Return `alt` if its length is that of a useful text alternative (15 to 250 characters)."""
    within("the length of alt", len(alt), 15, 250)
    return alt


def _drawn(draw: Callable[..., Plot], sliders: dict[str, Slider], place: tuple[int, ...]) -> Plot:
    values = {
        name: s.values[whole(name, i)] for (name, s), i in zip(sliders.items(), place, strict=True)
    }
    plot = draw(**values)
    if not isinstance(plot, Plot):
        raise ValueError(f"draw must return a Plot, got {type(plot).__name__} for {values}")
    return plot


def _same_frame(start: Plot, plots: Any) -> None:
    for plot in plots:
        if (plot.x, plot.y) != (start.x, start.y):
            raise ValueError(f"draw must keep its axes fixed, got {plot.x} beside {start.x}")
        if [m.name for m in plot.marks] != [m.name for m in start.marks]:
            raise ValueError(
                f"draw must return the same marks in every state, got "
                f"{[m.name for m in plot.marks]} beside {[m.name for m in start.marks]}"
            )


def _packed(plots: list[Plot]) -> str:
    """Return the states as JSON: each distinct text once, each state a list of numbers of texts."""
    texts: dict[str, int] = {}
    states = []
    for plot in plots:
        changing = [*svg.paths(plot), json.dumps(svg.notes(plot)), plot.says]
        states.append([texts.setdefault(text, len(texts)) for text in changing])
    return packed({"texts": list(texts), "states": states})


def _controls(key: str, sliders: dict[str, Slider]) -> str:
    rows = []
    for name, slider in sliders.items():
        texts = json.dumps([slider.text(i) for i in range(len(slider.values))])
        here = escape(slider.text(slider.first))
        rows.append(
            f'<div class="live-control"><label for="{key}-{name}">{escape(slider.label)}</label>'
            f'<input type="range" id="{key}-{name}" min="0" max="{len(slider.values) - 1}"'
            f' value="{slider.first}" aria-valuetext="{here}" data-texts="{escape(texts)}">'
            f'<output for="{key}-{name}">{here}</output></div>'
        )
    return f'<div class="live-controls" hidden>{"".join(rows)}</div>'


def _table(
    sliders: dict[str, Slider], start: tuple[int, ...], plots: dict[tuple[int, ...], Plot]
) -> str:
    names = list(plots[start].values)
    if not names:
        raise ValueError("draw must name its results in Plot.values for the data table, got none")
    labels = [slider.label for slider in sliders.values()]
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in [*labels, *names])
    rows = []
    for place, plot in plots.items():
        if sum(a != b for a, b in zip(place, start, strict=True)) > 1:
            continue
        shown = [s.text(i) for s, i in zip(sliders.values(), place, strict=True)]
        shown += [number(float(plot.values[name])) for name in names]
        rows.append("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in shown) + "</tr>")
    return (
        '<details class="live-table"><summary>The same as a table</summary>'
        '<div class="live-scroll" tabindex="0" role="region" aria-label="Data of the figure">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        "</div></details>"
    )
