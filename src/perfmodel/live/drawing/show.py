"""The call that shows a drawing: a still, or states that a slider steps through."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterable
from html import escape

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
from perfmodel.live.drawing.scene import WIDTH, Scene
from perfmodel.live.drawing.shapes import LETTER
from perfmodel.live.figure import MOST_BYTES, whole_alt


def drawing(draw: Callable[..., Scene], caption: str, alt: str, **sliders: Control) -> Display:
    """Show a mechanism as `draw` draws it, with a control for each of its parameters, if any.

    A parameter that is time gets `Steps`, which the reader plays; nothing moves unasked.

    Parameters
    ----------
    draw : callable
        Takes each slider's value by keyword and returns a `Scene`, of one height in all states.
    caption : str
        The caption; plain text.
    alt : str
        What the drawing shows, for those who can't see it: 15 to 250 characters. What the state
        shown says is read out after it.
    **sliders : Slider, Steps or Options
        None for a still; one or two controls, named as the parameters of `draw`.

    Returns
    -------
    Display
        What a notebook cell shows.

    Raises
    ------
    ValueError
        If a state can't be read (`Scene.faults`), the heights or the names of the values differ
        between states, or the states take more than 30 kB after compression.

    Examples
    --------
    >>> from perfmodel.live.controls import Slider
    >>> from perfmodel.live.drawing.outlines import Box
    >>> def machine(jobs):
    ...     boxes = [Box(10 + 40 * i, 10, 30, 30, str(i + 1)) for i in range(jobs)]
    ...     return Scene(50, boxes, f"{jobs} jobs are inside.", {"jobs": jobs})
    >>> drawing(machine, "Jobs.", "A row of boxes, one a job", jobs=Slider("Jobs", [1, 2, 3])).text
    '2 jobs are inside.'
    """
    whole_alt(alt)
    if len(sliders) > 2:
        raise ValueError(f"sliders must be two at most, got {len(sliders)}")
    scenes = {place: _drawn(draw, sliders, place) for place in places(sliders)}
    start = first_place(sliders)
    _same_sheet(scenes[start], scenes.values())
    html = _html(scenes, start, sliders, caption, alt)
    size = len(gzip.compress(html.encode()))
    if size > MOST_BYTES:
        raise ValueError(
            f"the drawing must stay below {MOST_BYTES:,} bytes compressed, got {size:,} from "
            f"{len(scenes)} states: use fewer slider values or fewer shapes"
        )
    return Display(html, scenes[start].says)


def sheet(scene: Scene, alt: str, more: str = "") -> str:
    """Return the `<svg>` element of a scene, with `more` elements on top of its shapes."""
    return (
        f'<svg class="live-scene" viewBox="0 0 {WIDTH} {scene.height:g}" width="480" role="img"'
        f' aria-label="{escape(alt)}" fill="none" stroke="currentColor" stroke-width="1.5"'
        f' font-size="{LETTER:g}" font-family="sans-serif">{scene.markup()}{more}</svg>'
    )


def _drawn(draw: Callable[..., Scene], sliders: dict[str, Control], place: Place) -> Scene:
    values = values_at(sliders, place)
    scene = draw(**values)
    if not isinstance(scene, Scene):
        raise ValueError(f"draw must return a Scene, got {type(scene).__name__} for {values}")
    if faults := scene.faults():
        raise ValueError(f"draw must return what can be read, got for {values}: {faults[0]}")
    return scene


def _same_sheet(start: Scene, scenes: Iterable[Scene]) -> None:
    for scene in scenes:
        if scene.height != start.height:
            raise ValueError(
                f"draw must keep its height, got {scene.height:g} beside {start.height:g}"
            )
        if list(scene.values) != list(start.values):
            raise ValueError(
                f"draw must name the same values in every state, got {list(scene.values)} "
                f"beside {list(start.values)}"
            )


def _html(
    scenes: dict[Place, Scene], start: Place, sliders: dict[str, Control], caption: str, alt: str
) -> str:
    scene = scenes[start]
    picture = sheet(scene, alt)
    says = f'<p class="live-says" aria-live="polite">{escape(scene.says)}</p>'
    end = f"<figcaption>{escape(caption)}</figcaption>"
    if not sliders:
        return f'<figure class="live">{picture}{says}{end}</figure>'
    states = packed([[scene.markup(), scene.says] for scene in scenes.values()])
    key = hashlib.sha256((caption + alt + states).encode()).hexdigest()[:10]
    return (
        f'<figure class="live" data-live="drawing" id="live-{key}">{panel(key, sliders)}'
        f"{picture}{says}{data_table(sliders, start, scenes)}{end}"
        f'<script type="application/json">{states}</script></figure>'
    )
