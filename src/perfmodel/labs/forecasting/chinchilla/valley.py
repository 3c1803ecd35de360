"""One budget drawn: what a larger model gains, and what its shorter training costs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perfmodel.forecasting import compute_optimal
from perfmodel.live.drawing import Box, Circle, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import positive

ROUNDED = {"E": 1.69, "A": 406.4, "B": 410.7, "alpha": 0.34, "beta": 0.28}
"""Hoffmann et al. 2022, equation 10, where the exponents have two digits only."""
UNROUNDED = {**ROUNDED, "alpha": 0.33917084, "beta": 0.2849083}
"""The same with the exponents that the fit found, as Besiroglu et al. 2024 compute with them."""
REPLICATED = {"E": 1.8172, "A": 482.01, "B": 2085.43, "alpha": 0.3478, "beta": 0.3658}
"""Besiroglu, Erdil, Barnett and You 2024, Table 1."""
CHINCHILLA = (70e9, 1.4e12)
"""Parameters and tokens; Hoffmann et al. 2022, Table 1."""
GOPHER = (280e9, 300e9)
"""The same of the larger model that it was compared with."""
BUDGET = 5.76e23
"""Floating-point operations of training either, about; Hoffmann et al. 2022, section 3."""
PUBLISHED_WIDTH = 0.455 - 0.454
"""From the 10th to the 90th percentile of the exponent a; Hoffmann et al. 2022, Table 2."""


CONSTANTS: Mapping[str, Mapping[str, float]] = {
    "replicated": REPLICATED,
    "first, before rounding": UNROUNDED,
}
SIZES = 2.0 ** np.arange(-4, 5)
"""Sizes drawn, over the best of the replicated law."""
_BUDGET = 1e22
_TOP, _BOTTOM = 88.0, 236.0
_CUT = 1.6
"""Loss, in nats, at which the bars begin: the floor below it is not drawn."""
_TERMS: tuple[tuple[str, int, Fill], ...] = (
    ("floor", 3, "none"),
    ("size", 1, "light"),
    ("data", 2, "hatch"),
)


def loss_terms(share: float, constants: str = "replicated") -> Scene:
    """Draw the three terms of the loss for nine sizes at one budget, one of them marked.

    Bars begin at a loss of 1.6, not at 0: a break at the foot of each says so.

    >>> round(loss_terms(1.0).values["loss"], 3)
    2.141
    """
    theta = CONSTANTS[constants]
    chosen = float(positive("share", share))
    middle = float(compute_optimal(REPLICATED, _BUDGET).parameters)
    across, up = Scale(-4.6, 4.6, 44, 344), Scale(_CUT, 2.5, _BOTTOM, _TOP)
    shapes: list[Shape] = [*legend(20, 10, _TERMS), *up.beside(38, "loss (nats)")]
    for size in SIZES:
        shapes += _bar(_terms(theta, middle * size), across(float(np.log2(size))), up)
    best = float(compute_optimal(theta, _BUDGET).parameters)
    least = across(float(np.clip(np.log2(best / middle), -4.5, 4.5)))
    shapes.append(Line([(least, _TOP - 4), (least, _BOTTOM)], style="dashed"))
    shapes.append(Text("least loss", least, _TOP - 10))
    shapes += across.below(_BOTTOM + 6, "size, in doublings of the replicated law's best")
    shapes.append(Text("the bars begin at 1.6: the floor is cut", 194, _BOTTOM + 54))
    terms = _terms(theta, middle * chosen)
    index = across(float(np.log2(chosen)))
    shapes.append(Circle(index, up(sum(terms)) - 9, 5, "", 1, "solid"))
    says = (
        f"The loss is {sum(terms):.3f} nats, {terms[0]:.2f} of it the floor. The size is "
        f"{_billions(middle * chosen)} parameters."
    )
    return Scene(_BOTTOM + 66, shapes, says, {"loss": float(sum(terms))})


def _terms(theta: Mapping[str, float], size: float) -> tuple[float, float, float]:
    by_data = theta["B"] * (_BUDGET / 6 / size) ** -theta["beta"]
    return theta["E"], theta["A"] * size ** -theta["alpha"], by_data


def _bar(terms: tuple[float, float, float], middle: float, up: Scale) -> list[Shape]:
    levels = [up(_CUT), *(up(level) for level in np.cumsum(terms))]
    boxes = [
        Box(middle - 11, high, 22, low - high, "", colour, fill)
        for (_, colour, fill), low, high in zip(_TERMS, levels, levels[1:], strict=False)
    ]
    breaks = [
        Line([(middle - 14, levels[0] - rise), (middle + 14, levels[0] - rise - 5)])
        for rise in (3, 7)
    ]
    return [*boxes, *breaks]


def _billions(count: float) -> str:
    return f"{count / 1e9:,.0f} billion" if count >= 1e10 else f"{count / 1e9:.1f} billion"
