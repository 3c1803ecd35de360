"""The 2^4 settings of the blocked product at which a factorial design runs it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from perfmodel.benchmarking import (
    FactorialDesign,
    ProductSettings,
    ProductTimes,
    full_factorial,
    product_settings,
    time_products,
)
from perfmodel.live.drawing import Circle, Line, Scene, Shape, Text
from perfmodel.live.drawing.shapes import Fill
from perfmodel.validation import Floats, whole

FACTORS: Mapping[str, tuple[str, Any, Any]] = MappingProxyType(
    {"A": ("columns", 8, 240), "B": ("rows", 1, 4), "C": ("order", "ijk", "ikj")}
    | {"D": ("arithmetic", "exact", "fast")}
)
"""A letter for each factor, with what it sets at -1 and at +1."""
HELD = ProductSettings(8, 240, 1, "ijk", "rows-rows", "exact")
"""All factors at -1; depth and storage stay as they are here."""


def corner_settings(design: FactorialDesign) -> list[ProductSettings]:
    """Return the setting of each run of a design of the factors A, B, C and D, or fewer of them.

    >>> from perfmodel.benchmarking import full_factorial
    >>> corner_settings(full_factorial(2))[1]
    ProductSettings(columns=240, depth=240, rows=1, order='ijk', storage='rows-rows', ...)
    """
    return [_set(design.factors, run) for run in design.runs]


def _set(letters: str, run: Floats) -> ProductSettings:
    changed: dict[str, Any] = {}
    for letter, level in zip(letters, run, strict=True):
        name, low, high = FACTORS[letter]
        changed[name] = low if level < 0 else high
    return HELD._replace(**changed)


def best_times(design: FactorialDesign, times: ProductTimes) -> Floats:
    """Return the recorded best time of each run of a design, in seconds, shape (runs,)."""
    indices = {setting: index for index, setting in enumerate(product_settings())}
    return times.best[[indices[setting] for setting in corner_settings(design)]]


def measured_times(design: FactorialDesign, repetitions: int = 3, rounds: int = 5) -> Floats:
    """Return seconds (runs, repetitions), each the best of some interleaved rounds."""
    settings = corner_settings(design)
    count = whole("repetitions", repetitions, 2)
    return np.column_stack(
        [time_products(settings, rounds=rounds, seed=n).best for n in range(count)]
    )


_SIDE, _SLANT, _LEFT, _BOTTOM = 130.0, (75.0, -52.0), 70.0, 235.0


def design_cube(effect: str = "A", generator: int = 0) -> Scene:
    """Draw the runs of a 2^3 design, or (`generator` 1) its half C = AB, with an effect's signs.

    >>> design_cube("AB", 1).values
    {'runs at +1': 2, 'runs at -1': 2}
    """
    half = bool(whole("generator", generator))
    design = full_factorial(3)
    chosen = design.column("ABC") > 0 if half else design.column("I") > 0
    signs = design.column(effect)
    shapes: list[Shape] = _edges()
    for run, sign, shown in zip(design.runs, signs, chosen, strict=True):
        x, y = _place(*run)
        fill: Fill = "none" if not shown else "solid" if sign > 0 else "light"
        shapes.append(Circle(x, y, 11 if shown else 4, "", 1 if sign > 0 else 2, fill))
        if shown:
            shapes.append(Text("+" if sign > 0 else "-", x - 22, y + 14, bold=True))
    shapes += [
        Text("A: +1 on the right", _LEFT + _SIDE / 2, _BOTTOM + 26),
        Text("B: +1 up", _LEFT - 36, _BOTTOM - _SIDE / 2),
        Text("C: +1 behind", _LEFT + _SIDE + 90, _BOTTOM - 18),
    ]
    plus = int((chosen & (signs > 0)).sum())
    minus = int((chosen & (signs < 0)).sum())
    same = [
        other
        for other in ("A", "B", "C", "AB", "AC", "BC", "ABC")
        if other != effect and (design.column(other)[chosen] == signs[chosen]).all()
    ]
    says = f"Halve the mean of {plus} runs marked + minus the mean of {minus} runs marked -."
    if not plus * minus:
        says = f"All {plus + minus} runs have the same mark, so {effect} can't be estimated."
    elif same:
        says += f" {same[0]} has the same marks."
    else:
        says += " No other effect has these marks."
    return Scene(270, shapes, says, {"runs at +1": plus, "runs at -1": minus})


def _place(a: float, b: float, c: float) -> tuple[float, float]:
    right, up, away = (a + 1) / 2, (b + 1) / 2, (c + 1) / 2
    return _LEFT + right * _SIDE + away * _SLANT[0], _BOTTOM - up * _SIDE + away * _SLANT[1]


def _edges() -> list[Shape]:
    """Return the twelve edges: each corner joined to those that differ in one factor."""
    corners = [tuple(run) for run in full_factorial(3).runs]
    return [
        Line([_place(*first), _place(*second)], style="thin")
        for index, first in enumerate(corners)
        for second in corners[index + 1 :]
        if sum(a != b for a, b in zip(first, second, strict=True)) == 1
    ]
