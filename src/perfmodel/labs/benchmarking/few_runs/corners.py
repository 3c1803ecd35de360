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
    product_settings,
    time_products,
)
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
    places = {one: place for place, one in enumerate(product_settings())}
    return times.best[[places[one] for one in corner_settings(design)]]


def measured_times(design: FactorialDesign, repetitions: int = 3, rounds: int = 5) -> Floats:
    """Measure the runs of a design on this machine, each several times over.

    Each of `repetitions` is the best of some interleaved rounds; seconds, shape (runs,
    repetitions).
    """
    some = corner_settings(design)
    count = whole("repetitions", repetitions, 2)
    return np.column_stack([time_products(some, rounds=rounds, seed=n).best for n in range(count)])
