"""A live figure: one drawing function of its parameters, and one call that shows it.

The drawing function is sampled at every position of its sliders when the cell runs; the page gets
the samples and a few lines of script that swap one for another. So the figure needs no kernel, no
server and no network, and Python stays the only place that holds the model.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

from perfmodel.live import svg
from perfmodel.live.controls import (
    Control,
    Place,
    data_table,
    first_place,
    panel,
    places,
    values_at,
)
from perfmodel.live.display import Display, packed
from perfmodel.live.plot import Plot
from perfmodel.validation import within

if TYPE_CHECKING:
    from perfmodel.live.kernel import Live

Draw = Callable[..., Plot]
MOST_BYTES = 30_000
"""What one figure may add to a page, in bytes after gzip."""


def figure(draw: Draw, caption: str, alt: str, **sliders: Control) -> Display:
    """Show `draw` as a figure with a control for each of its parameters.

    Parameters
    ----------
    draw : callable
        Takes each control's value by keyword and returns a `Plot`. Its axes must not depend on
        the controls, and each call must return the same marks in the same order.
    caption : str
        The figure's caption; plain text.
    alt : str
        What the picture shows, for those who can't see it: 15 to 250 characters.
    **sliders : Slider or Options
        One or two controls, named as the parameters of `draw`.

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
    plots = {place: _drawn(draw, sliders, place) for place in places(sliders)}
    start = first_place(sliders)
    _same_frame(plots[start], plots.values())
    states = _packed(list(plots.values()))
    key = hashlib.sha256((caption + alt + states).encode()).hexdigest()[:10]
    html = (
        f'<figure class="live" data-live="figure" id="live-{key}">'
        f"{panel(key, sliders)}{svg.legend(plots[start])}{svg.draw(plots[start], alt)}"
        f'<p class="live-says" aria-live="polite">{escape(plots[start].says)}</p>'
        f"{data_table(sliders, start, plots)}<figcaption>{escape(caption)}</figcaption>"
        f'<script type="application/json">{states}</script></figure>'
    )
    size = len(gzip.compress(html.encode()))
    if size > MOST_BYTES:
        raise ValueError(
            f"the figure must stay below {MOST_BYTES:,} bytes compressed, got {size:,} from "
            f"{len(plots)} states: use fewer slider values or fewer points a line"
        )
    plot = plots[start]
    return Display(html, plot.says, plot, lambda: _live(draw, sliders, plots, caption, alt))


def _live(
    draw: Draw, sliders: dict[str, Control], plots: dict[Place, Plot], caption: str, alt: str
) -> Live:
    from perfmodel.live.kernel import Live

    return Live(draw, sliders, plots, caption, alt)


def whole_alt(alt: str) -> str:
    """Return `alt` if its length is that of a useful text alternative (15 to 250 characters)."""
    within("the length of alt", len(alt), 15, 250)
    return alt


def _drawn(draw: Draw, sliders: dict[str, Control], place: Place) -> Plot:
    values = values_at(sliders, place)
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
