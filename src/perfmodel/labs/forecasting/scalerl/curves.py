"""Curves of published recipes, made again with noise, fitted by two forms and on their beginnings.

Source: D. Khatri et al., "The art of scaling reinforcement learning compute for LLMs",
arXiv:2510.13786, 2025, equation 1, Table 1, appendices A.4, A.5 and A.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import numpy as np

from perfmodel.forecasting import (
    RISING_POWER_LAW,
    SIGMOID_LAW,
    LawBootstrap,
    LawFit,
    bootstrap_law,
    fit_law,
)
from perfmodel.validation import Floats, one_of, positive, whole

START = 0.40
"""Pass rate before training. The paper prints none; what depends on it is said where it does."""
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


_EVERY = 1_333.0
"""GPU-hours between validations: about 75 in 100,000."""


def hours_between(start: float, end: float) -> Floats:
    """Return when a run is validated, GPU-hours."""
    if not 0 < start < end:
        raise ValueError(f"start and end must be a range above 0, got {start!r} and {end!r}")
    return np.arange(start, end + 1e-9, _EVERY)


def pass_rates(
    recipe: str, hours: Floats, seed: int | None = None, start_rate: float = START
) -> Floats:
    """Return the published curve's pass rates, with a validation's noise if a seed is given."""
    values = SIGMOID_LAW.value(theta(recipe, start_rate), positive("hours", hours))
    if seed is None:
        return values
    return values + np.random.default_rng(whole("seed", seed)).normal(0, NOISE, values.shape)


def prefix_fit(recipe: str, until: float, seed: int = 0) -> LawFit:
    """Return the sigmoid fitted to a run's first hours, the start of the curve being known."""
    hours = np.geomspace(IGNORED, positive("until", until), 40)
    y = pass_rates(recipe, hours, seed)
    return fit_law(SIGMOID_LAW, hours, y, loss="least squares", fixed={"R0": START})


@cache
def prefix_bootstrap(recipe: str, until: float, seed: int = 0) -> LawBootstrap:
    """Return refits of a run's first hours with other noise."""
    return bootstrap_law(prefix_fit(recipe, until, seed), 200, seed, method="normal")


def power_fit(
    start: float, end: float, recipe: str = "8B, batch 2048", start_rate: float = START
) -> LawFit:
    """Return the power law with a ceiling fitted to a stretch (GPU-hours) of a noise-free curve.

    `start_rate` is the curve's pass rate before training, from 0 to below the recipe's ceiling.
    """
    hours = hours_between(start, end)
    rates = pass_rates(recipe, hours, start_rate=start_rate)
    return fit_law(RISING_POWER_LAW, hours, rates, loss="least squares")


def power_ceiling(
    start: float, end: float, recipe: str = "8B, batch 2048", start_rate: float = START
) -> float:
    """Return the ceiling that a power law sees in a stretch; nothing holds it to 1 or less.

    >>> [round(power_ceiling(5_000, 50_000, start_rate=rate), 2) for rate in (0.3, 0.4, 0.45)]
    [0.79, 0.75, 0.73]
    """
    return float(power_fit(start, end, recipe, start_rate).theta["e"])


def power_miss(start: float, end: float, recipe: str = "8B, batch 2048") -> float:
    """Return by how much that power law misses the points it is fitted to, root mean square.

    >>> power_miss(30_000, 60_000) < power_miss(5_000, 50_000) < 0.004 < power_miss(1_500, 50_000)
    True
    """
    hours = hours_between(start, end)
    off = power_fit(start, end, recipe).predict(hours) - pass_rates(recipe, hours)
    return float(np.sqrt(np.mean(off**2)))


def hours_at_fraction(recipe: str, fraction: float) -> float:
    """Return the GPU-hours after which a share of the whole gain is made.

    >>> round(hours_at_fraction("8B, 14k", 0.9))
    7983
    """
    result = theta(recipe)
    return float(result["Cmid"] * (fraction / (1 - fraction)) ** (1 / result["B"]))


def hours_to_reach(recipe: str, pass_rate: float) -> float:
    """Return the GPU-hours to a pass rate between the recipe's start and ceiling."""
    result = theta(recipe)
    if not result["R0"] < pass_rate < result["A"]:
        raise ValueError(
            f"pass_rate must be between {result['R0']:g} and the ceiling {result['A']:g}, "
            f"got {pass_rate!r}"
        )
    return hours_at_fraction(recipe, (pass_rate - result["R0"]) / (result["A"] - result["R0"]))
