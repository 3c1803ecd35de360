"""A step's joules, and how a batch shares them."""

from __future__ import annotations

from perfmodel.live.drawing import Box, Scene, Shape, Text
from perfmodel.roofline import AmortisedEnergy
from perfmodel.validation import positive

_FULL = 320.0
"""Units of the sheet for a token's energy alone in a step."""


def shared_step(step: float, token: float, batch: float) -> Scene:
    """Draw the energy of one token: its part of the step, and what it adds itself.

    `step` and `token` are joules: of a step whatever the batch, and what each token adds.

    >>> shared_step(3.0, 0.1, 30).says
    'With 30 requests a token costs 0.2 J, half of it for its part of the step.'
    """
    positive("step", step)
    positive("token", token)
    law = AmortisedEnergy(step, token)
    total, part = float(law.energy(batch)), step / batch
    scale = _FULL / float(law.energy(1))
    whole_step = Box(20, 34, step * scale, 30, "weights, once a step", 1, "hatch")
    shapes: list[Shape] = [
        Text("one step, joules", 20, 18, "start"),
        whole_step,
        Text(
            "one token of it, enlarged 8 times" if batch > 8 else "one token of it", 20, 88, "start"
        ),
    ]
    zoom = 8 if batch > 8 else 1
    left = 20.0
    for amount, colour, fill in ((part, 1, "hatch"), (token, 2, "solid")):
        width = max(zoom * amount * scale, 1.0)
        shapes.append(Box(left, 104, width, 30, "", colour, fill))  # type: ignore[arg-type]
        left += width
    share = part / total
    words = "half" if abs(share - 0.5) < 0.005 else f"{100 * share:.0f} %"
    says = (
        f"With {batch:g} requests a token costs {total:.3g} J, {words} of it for its part of the "
        "step."
    )
    return Scene(146, shapes, says, {"a token (J)": total, "for the step (%)": 100 * share})
