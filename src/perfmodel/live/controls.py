"""What a reader moves: sliders and choices, as figures and drawings show them on the page.

A control is a label with values in order. The page shows states that were computed for every
position; a place is one position of each control.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

import numpy as np

from perfmodel.live.tables import row, scrolled
from perfmodel.units import number

Place = tuple[int, ...]


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

    def html(self, name: str) -> str:
        """Return the control's row, the element of the page called `name`."""
        texts = json.dumps([self.text(i) for i in range(len(self.values))])
        here = escape(self.text(self.first))
        return (
            f'<div class="live-control"><label for="{name}">{escape(self.label)}</label>'
            f'<input type="range" id="{name}" min="0" max="{len(self.values) - 1}"'
            f' value="{self.first}" aria-valuetext="{here}" data-texts="{escape(texts)}">'
            f'<output for="{name}">{here}</output></div>'
        )


SPEEDS = (0.5, 1, 2, 4, 8)
"""Steps a second that a reader can choose from."""


@dataclass(frozen=True)
class Steps(Slider):
    """A slider through time or through the steps of a mechanism, which the reader can play.

    The page adds buttons to play, to pause and to go one step back or forward, and a choice of the
    speed. Nothing plays until the reader asks; who prefers reduced motion gets the steps alone.

    >>> "Play" in Steps("Event", range(3)).html("event")
    True
    """

    def html(self, name: str) -> str:
        """Return the slider's row and below it the buttons that move it."""
        return (
            f'{super().html(name)}<div class="live-player" role="group"'
            f' aria-label="Play: {escape(self.label)}">'
            '<button type="button" data-do="back">Back</button>'
            '<button type="button" data-do="on">Step</button>'
            '<button type="button" data-do="play">Play</button>'
            f"{speeds('Steps a second')}</div>"
        )


def speeds(label: str) -> str:
    """Return a choice of the speed at which something plays."""
    options = "".join(f"<option{' selected' * (s == 1)}>{s:g}</option>" for s in SPEEDS)
    return f"<label>{label} <select>{options}</select></label>"


@dataclass(frozen=True)
class Options:
    """A choice among named values, as radio buttons.

    >>> design = Options("Chip", {"symmetric": 1, "dynamic": 3}, start="dynamic")
    >>> design.first, design.text(design.first), design.values
    (1, 'dynamic', [1, 3])
    """

    label: str
    choices: Mapping[str, object]
    """What the drawing function gets for each name, in the order shown."""
    start: str | None = None
    """The name chosen first; the first one if not given."""

    def __post_init__(self) -> None:
        """Refuse a choice that is none, or that starts nowhere."""
        if len(self.choices) < 2:
            raise ValueError(f"choices of {self.label!r} must be 2 or more, got {self.choices!r}")
        if self.start is not None and self.start not in self.choices:
            raise ValueError(
                f"start of {self.label!r} must be one of {list(self.choices)}, got {self.start!r}"
            )

    @property
    def values(self) -> list[object]:
        """What the drawing function gets, in order."""
        return list(self.choices.values())

    @property
    def first(self) -> int:
        """The position chosen first."""
        return 0 if self.start is None else list(self.choices).index(self.start)

    def text(self, position: int) -> str:
        """Return the name at `position`."""
        return list(self.choices)[position]

    def html(self, name: str) -> str:
        """Return the control's row, a group of radio buttons called `name`."""
        buttons = [
            f'<label><input type="radio" name="{name}"{" checked" * (i == self.first)}> '
            f"{escape(text)}</label>"
            for i, text in enumerate(self.choices)
        ]
        return (
            f'<fieldset class="live-control live-options"><legend>{escape(self.label)}</legend>'
            f"{''.join(buttons)}</fieldset>"
        )


Control = Slider | Options


class State(Protocol):
    """What is shown at one place, as far as its table goes."""

    @property
    def values(self) -> Mapping[str, float]:
        """Named results; units belong in the name."""


def places(controls: Mapping[str, Control]) -> list[Place]:
    """Return every place, in the order in which the page's script counts them.

    >>> places({"a": Slider("A", [1, 2]), "b": Options("B", {"x": 1, "y": 2})})
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    return list(itertools.product(*(range(len(c.values)) for c in controls.values())))


def first_place(controls: Mapping[str, Control]) -> Place:
    """Return the place shown first."""
    return tuple(control.first for control in controls.values())


def values_at(controls: Mapping[str, Control], place: Place) -> dict[str, object]:
    """Return what the drawing function gets at `place`, by name."""
    pairs = zip(controls.items(), place, strict=True)
    return {name: control.values[i] for (name, control), i in pairs}


def panel(key: str, controls: Mapping[str, Control], more: str = "") -> str:
    """Return the controls' HTML, hidden until the script wakes it; `key` names the figure."""
    rows = [*(control.html(f"{key}-{name}") for name, control in controls.items()), more]
    return f'<div class="live-controls" hidden>{"".join(rows)}</div>'


def data_table(controls: Mapping[str, Control], start: Place, states: Mapping[Place, State]) -> str:
    """Return the states' values as a folded table: those places that move one control only.

    Raises
    ------
    ValueError
        If the states name no values.
    """
    names = list(states[start].values)
    if not names:
        raise ValueError("draw must name its results in Plot.values for the data table, got none")
    head = [*(control.label for control in controls.values()), *names]
    rows = []
    for place, state in states.items():
        if sum(a != b for a, b in zip(place, start, strict=True)) > 1:
            continue
        shown = [c.text(i) for c, i in zip(controls.values(), place, strict=True)]
        shown += [number(float(state.values[name])) for name in names]
        rows.append(row(shown))
    return (
        '<details class="live-table"><summary>The same as a table</summary>'
        f"{scrolled(head, ''.join(rows), 'Data of the figure')}</details>"
    )
