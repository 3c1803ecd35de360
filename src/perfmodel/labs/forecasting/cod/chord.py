"""Two items on the curve from loss to pass rate, their mean, and the item of the mean loss."""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Circle, Line, Scale, Scene, Shape, Text
from perfmodel.validation import within

MIDDLE = 1.1
"""Mean of the two losses."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 344.0, 36.0, 190.0
_LOSSES = np.linspace(0, 2.6, 53)


def two_items(distance: float) -> Scene:
    """Draw two items `distance` from their mean loss, their middle, and the curve below it.

    >>> round(two_items(0.9).values["mean of the two"], 4)
    0.477
    """
    away = float(within("distance", distance, 0, MIDDLE))
    across, up = Scale(0, 2.6, _LEFT, _RIGHT), Scale(0, 1, _BOTTOM, _TOP)
    losses = np.array([MIDDLE - away, MIDDLE + away])
    passes = np.exp(-losses)
    mean, alone = float(passes.mean()), float(np.exp(-MIDDLE))
    ends = [(across(x), up(y)) for x, y in zip(losses, passes, strict=True)]
    middle = across(MIDDLE)
    shapes: list[Shape] = [
        *up.beside(_LEFT - 6, "pass rate"),
        *across.below(_BOTTOM + 6, "loss"),
        Line([(across(x), up(float(np.exp(-x)))) for x in _LOSSES], 1, "thick"),
        Line(ends, 2, "dashed"),
        Line([(middle, up(mean)), (middle, up(alone))], 3, "thick"),
        *(Circle(x, y, 4, "", 2, "solid") for x, y in ends),
        Circle(middle, up(mean), 4, "", 3, "solid"),
        Text("mean of the two", middle + 10, up(mean) - 10, anchor="start"),
    ]
    says = (
        f"The mean of the two pass rates is {mean:.3f}. One item with the mean loss would have "
        f"{alone:.3f}."
    )
    return Scene(_BOTTOM + 44, shapes, says, {"mean of the two": mean, "at the mean loss": alone})
