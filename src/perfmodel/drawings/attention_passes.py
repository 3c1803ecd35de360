"""Passes over the keys of attention: which tensor is touched when, and what must be kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perfmodel.live.drawing import Box, Fill, Line, Scene, Shape, Text
from perfmodel.validation import whole

NAMES = {
    "QK": "scores",
    "SN": "exp",
    "A": "weights",
    "LM": "tile max",
    "RM": "max so far",
    "SLN": "tile exp",
    "SLD": "tile sum",
    "SLNV": "tile exp V",
    "PLM": "rescale",
    "PRM": "rescale",
    "SPD": "new sums",
    "RD": "sum so far",
    "RNV": "out so far",
}
"""What the tensors of attention are called in "FuseMax", section 4, in words."""
TILES = 6
"""Tiles that the keys are drawn in."""
_LEFT, _TOP, _ROOM = 88.0, 40.0, 230.0


def attention_passes(
    touched: Mapping[str, Sequence[int]], step: int, names: Mapping[str, str] = NAMES
) -> Scene:
    """Draw the tensors of a cascade that number the keys, and the sweep up to a step.

    `touched` has for each tensor the passes, from 0, in which it is made or read, as the FuseMax
    lab's `touched` returns them; `step` counts the tiles swept, 0 to passes times `TILES`; `names`
    are what to call tensors, ten letters at most.

    >>> attention_passes({"QK": (0, 1), "V": (1,)}, 12).values["passes"]
    2.0
    """
    count = 1 + max(max(levels) for levels in touched.values())
    done = min(whole("step", step), count * TILES)
    cell = (350 - _LEFT) / (3 * TILES + 2)
    row = min(46.0, _ROOM / len(touched))
    shapes: list[Shape] = []
    for number in range(count):
        left = _LEFT + number * (TILES + 1) * cell
        shapes.append(Text(f"pass {number + 1}", left + TILES * cell / 2, 18, bold=True))
        shapes += _sweep(touched, number, left, cell, row, done - number * TILES)
    kept = [name for name, levels in touched.items() if len(levels) > 1]
    for i, name in enumerate(touched):
        y = _TOP + (i + 0.5) * row - 1
        shown = names.get(name, name)
        shapes.append(Text(shown, _LEFT - 8, y, anchor="end", bold=name in kept))
    told = ", ".join(names.get(name, name) for name in kept)
    says = f"This form of attention makes {count} pass{'es' * (count > 1)} over the keys. " + (
        f"A later pass needs these tensors again: {told}." if kept else "It needs no tensor twice."
    )
    values = {"passes": float(count), "tensors kept between passes": float(len(kept))}
    return Scene(_TOP + _ROOM + 4, shapes, says, values)


def _sweep(
    touched: Mapping[str, Sequence[int]],
    number: int,
    left: float,
    cell: float,
    row: float,
    swept: int,
) -> list[Shape]:
    shapes: list[Shape] = []
    for i, levels in enumerate(touched.values()):
        if number not in levels:
            continue
        again = number > min(levels)
        for tile in range(TILES):
            x, y = left + tile * cell, _TOP + i * row
            fill: Fill = "none" if tile >= swept else "hatch" if again else "solid"
            shapes.append(Box(x, y, cell, row - 4, "", 2 if again else 1, fill))
    if 0 < swept <= TILES:
        x = left + swept * cell
        shapes.append(Line([(x, 30), (x, _TOP + len(touched) * row)], style="thick"))
    return shapes
