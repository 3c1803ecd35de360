"""Your machine's matrix products: three families asked for sizes that they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from perfmodel.labs.serving.apex.products import Products, Score, contest, of
from perfmodel.measurement import measure_gemm
from perfmodel.validation import Floats, whole

ROWS = (1, 16, 128, 512)
"""m, the tokens of a step."""
WIDTHS = (64, 128, 256, 512)
"""k and n, the widths of a layer."""
LARGE = 1e7
"""FLOP from which a product is larger than all that were learned from."""
ASKED = ("roofline", "table", "forest", "roofline x forest")


class OwnProducts(NamedTuple):
    """Measured products, in double precision on one core."""

    products: Products
    """Median seconds of each."""
    spread: float
    """Half the distance between the quartiles of a product's runs, as a share: its median."""


def time_products(
    runs: int = 7, seconds: float = 1e-3, measure: Callable[..., Any] = measure_gemm
) -> OwnProducts:
    """Measure 64 products, in a random order, `runs` times each for about `seconds`."""
    whole("runs", runs, 3)
    shapes = np.array([(m, k, n) for m in ROWS for k in WIDTHS for n in WIDTHS])
    shapes = np.random.default_rng(0).permutation(shapes)
    times, spreads = [], []
    for m, k, n in shapes.tolist():
        run = measure((m, n, k), "fp64", 1, runs, seconds)
        one = np.asarray(run.seconds) * (2 * m * n * k) / run.work
        low, middle, high = np.quantile(one, [0.25, 0.5, 0.75])
        times.append(middle)
        spreads.append((high - low) / (2 * middle))
    order = np.lexsort(shapes.T[::-1])
    found = Products(shapes[order].astype(float), np.asarray(times)[order])
    return OwnProducts(found, float(np.median(spreads)))


def own_contest(own: OwnProducts) -> list[Score]:
    """Return errors on a fifth of the products, and on all of `LARGE` FLOP or more."""
    return contest(own.products, ("at random", "larger"), ASKED, trees=30, large=LARGE, word=8.0)


def verdict(scores: list[Score]) -> str:
    """Return who is nearest on larger products, or that it can't be told."""
    errors = {family: of(scores, "larger", family) for family in ASKED}
    first, second = sorted(errors, key=lambda family: errors[family].mean)[:2]
    apart = errors[first].mean_high < errors[second].mean_low
    says = (
        f"On larger products the {first} errs least, {100 * errors[first].mean:.0f} % "
        f"({100 * errors[first].mean_low:.0f} to {100 * errors[first].mean_high:.0f}); "
    )
    if apart:
        says += f"the next, the {second}, by {100 * errors[second].mean:.0f} %."
    else:
        says += f"whether it or the {second} is nearer, these products can't tell."
    inside = of(scores, "at random", "forest").mean
    beyond = errors["forest"].mean
    return says + (
        f" The forest's error goes from {100 * inside:.0f} % at random to "
        f"{100 * beyond:.0f} % beyond what it saw."
    )


def rates(own: OwnProducts) -> Floats:
    """Return the FLOP/s of each product."""
    return np.asarray(2 * own.products.sizes.prod(axis=1) / own.products.seconds)
