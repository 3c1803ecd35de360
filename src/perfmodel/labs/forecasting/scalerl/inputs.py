"""The fitted curves that the paper prints, and what this lab assumes beside them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from perfmodel.validation import one_of

START = 0.40
"""Pass rate before training. The paper prints none; what hangs on it is said where it does."""
IGNORED = 1_500.0
"""GPU-hours at the beginning that no fit uses; section A.5."""
NOISE = 0.004
"""Standard deviation of a pass rate of 1,000 prompts with 16 answers each, taken as independent."""

STRETCHES = ((1_500.0, 50_000.0), (5_000.0, 50_000.0), (30_000.0, 60_000.0))
"""From and to, GPU-hours, of the fits of a power law; appendix A.4."""

RECIPES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "8B, 14k": {"A": 0.610, "Cmid": 2_542.0, "B": 1.92},
        "8B, 32k": {"A": 0.645, "Cmid": 11_272.0, "B": 1.89},
        "8B, batch 512": {"A": 0.605, "Cmid": 2_818.0, "B": 1.77},
        "8B, batch 2048": {"A": 0.645, "Cmid": 10_909.0, "B": 1.70},
        "17Bx16": {"A": 0.710, "Cmid": 4_242.0, "B": 1.65},
    }
)
"""Ceiling, half-way compute (GPU-hours) and steepness of five runs; Table 1. Names say the model's
billions of parameters, the longest answer in thousands of tokens or the batch, and what is not
named is 14k and 768."""


def theta(recipe: str, start_rate: float = START) -> dict[str, float]:
    """Return the four parameters of the sigmoid for a recipe, from a pass rate before training on.

    >>> theta("17Bx16")["A"]
    0.71
    """
    one_of("recipe", recipe, RECIPES)
    if not 0 <= start_rate < RECIPES[recipe]["A"]:
        raise ValueError(
            f"start_rate must be from 0 to below the ceiling {RECIPES[recipe]['A']:g}, "
            f"got {start_rate!r}"
        )
    return {"R0": start_rate, **RECIPES[recipe]}
