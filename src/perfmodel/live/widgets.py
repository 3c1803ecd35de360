"""ipywidgets for controls: continuous sliders, radio buttons, and fields for other parameters."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import ipywidgets
import numpy as np

from perfmodel.live.controls import Control, Options, Slider, first_place, values_at
from perfmodel.live.plot import Plot
from perfmodel.units import number

STEPS = 200
"""Positions of a slider between its ends, about one a pixel, from half to twice as many."""
Draw = Callable[..., Plot]


class Input(NamedTuple):
    """A widget, and what the drawing function gets for its value."""

    widget: Any
    meaning: Callable[[Any], object]

    @property
    def value(self) -> object:
        """What the drawing function gets now."""
        return self.meaning(self.widget.value)


def widget_of(control: Control, between: bool) -> Input:
    """Return radio buttons or a slider; one with the values `between` those of the page, too."""
    if between and isinstance(control, Slider):
        return _between(control)
    kind = ipywidgets.SelectionSlider if isinstance(control, Slider) else ipywidgets.RadioButtons
    texts = [(control.text(i), i) for i in range(len(control.values))]
    made = _made(kind, control.label, options=texts, value=control.first)
    return Input(made, control.values.__getitem__)


def seconds_of(draw: Draw, controls: Mapping[str, Control]) -> float:
    """Return how long `draw` takes, the quicker of two times."""
    times = []
    for _ in range(2):
        begun = time.perf_counter()
        draw(**values_at(controls, first_place(controls)))
        times.append(time.perf_counter() - begun)
    return min(times)


def draws_between(draw: Draw, controls: Mapping[str, Control], name: str, plot: Plot) -> bool:
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
            if draw(**{**start, name: value}).frame != plot.frame:
                return False
    except Exception:
        return False
    return True


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _between(slider: Slider) -> Input:
    """Return a slider from the least to the greatest value, by the same ratio or the same step."""
    values = np.asarray(slider.values)
    log = _spaced_by_ratio(values)
    if values.dtype.kind in "iu":
        return _whole(slider, int(values.min()), int(values.max()), log)
    low, high = float(values.min()), float(values.max())
    ends = low * slider.scale, high * slider.scale
    start = float(np.clip(slider.values[slider.first] * slider.scale, *ends))
    places, kind = values * slider.scale, ipywidgets.FloatSlider
    if log:
        places, kind = np.log10(places), ipywidgets.FloatLogSlider
        ends = math.log10(ends[0]), math.log10(ends[1])
    step = _step(places, slider.first)
    digits = ".3g" if log else f".{_decimals(step)}f"
    limits = {"min": ends[0], "max": ends[1], "step": step}
    made = _made(kind, _title(slider), value=start, readout_format=digits, **limits)
    return Input(made, lambda value: float(np.clip(value / slider.scale, low, high)))


def _whole(slider: Slider, low: int, high: int, log: bool) -> Input:
    start = int(slider.values[slider.first])
    if not log and slider.scale == 1 and high - low < 2 * STEPS:
        limits = {"min": low, "max": high, "step": 1}
        return Input(_made(ipywidgets.IntSlider, _title(slider), value=start, **limits), int)
    spread = np.geomspace(low, high, STEPS) if log else np.linspace(low, high, STEPS)
    steps = sorted({*spread.round().astype(int).tolist(), start})
    texts = [(number(float(value * slider.scale)), value) for value in steps]
    made = _made(ipywidgets.SelectionSlider, _title(slider), options=texts, value=start)
    return Input(made, int)


def _title(slider: Slider) -> str:
    return f"{slider.label} ({slider.unit})" if slider.unit else slider.label


def _step(places: np.ndarray, first: int) -> float:
    """Return a step from the least place that meets all places, or else the `first` at least.

    A browser rounds a value that lies between two steps.

    >>> round(_step(np.array([2.0, 80.0, 99.0]), 1), 6)
    0.5
    """
    offsets = places - places.min()
    span = float(offsets.max())
    for wanted in (offsets, offsets[[first]]):
        for count in sorted(range(STEPS // 2, 2 * STEPS + 1), key=lambda n: abs(n - STEPS)):
            steps = wanted * count / span
            if np.allclose(steps, steps.round(), rtol=0, atol=1e-6):
                return span / count
    start = float(offsets[first])
    return start / max(1, round(start * STEPS / span))


def _decimals(step: float) -> int:
    """Return how many decimals show that a value moved by `step`.

    >>> _decimals(0.005), _decimals(2.0)
    (3, 0)
    """
    return max(0, math.ceil(-math.log10(step)))


def _spaced_by_ratio(values: np.ndarray) -> bool:
    """Return whether the values are evenly spaced in their logarithms rather than in themselves.

    >>> _spaced_by_ratio(np.array([1, 2, 4, 8])), _spaced_by_ratio(np.array([1, 2, 3, 4]))
    (True, False)
    """
    if values.size < 3 or (values <= 0).any():
        return False
    steps, ratios = np.diff(values), np.diff(np.log(values))
    return bool(np.std(ratios) / abs(np.mean(ratios)) < np.std(steps) / abs(np.mean(steps)))


def more_inputs(draw: Draw, controls: Mapping[str, Control]) -> dict[str, Input]:
    """Return a field for each parameter whose default is a number and that has no control."""
    fields = {}
    for name, parameter in inspect.signature(draw).parameters.items():
        default = parameter.default
        if name in controls or not _is_number(default):
            continue
        kind = ipywidgets.IntText if isinstance(default, int) else ipywidgets.FloatText
        fields[name] = Input(_made(kind, name.replace("_", " "), value=default), type(default))
    return fields


def folded(more: Mapping[str, Input]) -> ipywidgets.Accordion:
    """Return the fields of `more_inputs` folded under *More parameters*."""
    fields = ipywidgets.VBox([item.widget for item in more.values()])
    return ipywidgets.Accordion([fields], titles=("More parameters",), selected_index=None)


def _made(kind: Any, label: str, **settings: Any) -> Any:
    return kind(
        description=label,
        style={"description_width": "initial"},
        layout={"width": "auto", "max_width": "42rem"},
        **settings,
    )
