"""A product by lookup, bit by bit: which weights a position picks, and the sum so far."""

from __future__ import annotations

from perfmodel.labs.roofline.sail.lookup_product import bit_patterns, subset_sums
from perfmodel.live.drawing import Box, Fill, Scene, Shape, Text
from perfmodel.validation import whole

WEIGHTS, ACTIVATIONS = (3, -2, 5), (5, 3, -4)
"""A group of three weights and the activations that it meets."""
BITS = 4
"""Of an activation, in two's complement."""
_PLACES = [*(2**i for i in range(BITS - 1)), -(2 ** (BITS - 1))]
_HERE: tuple[int, Fill] = (2, "solid")
_ELSEWHERE: tuple[int, Fill] = (0, "none")


def bit_lookups(position: int) -> Scene:
    """Draw the bits at one position of three activations, the entry they pick, and the sum so far.

    The lowest position is 0.

    >>> bit_lookups(3).values["sum so far"] == 3 * 5 - 2 * 3 + 5 * -4
    True
    """
    at = whole("position", position, high=BITS - 1)
    table = [int(value) for value in subset_sums(WEIGHTS)[0]]
    picked = [int(i) for i in bit_patterns([ACTIVATIONS], len(WEIGHTS), BITS)[0, 0]]
    total = sum(_PLACES[i] * table[picked[i]] for i in range(at + 1))
    entry = table[picked[at]]
    shapes = [*_activations(at), *_table(table, picked[at])]
    shapes.append(Text(f"{_PLACES[at]} times {entry}", 104, 192))
    shapes.append(Text(f"sum so far: {total}", 104, 214, bold=True))
    says = (
        f"Position {at} counts {_PLACES[at]}. Its bits pick the entry {entry}, and the sum so far "
        f"is {total}."
    )
    return Scene(236, shapes, says, {"entry": float(entry), "sum so far": float(total)})


def _activations(at: int) -> list[Shape]:
    """Return the weights, and beside each the bits of its activation, the top one first."""
    shapes: list[Shape] = [Text("weights", 32, 18), Text("activations, in bits", 132, 18)]
    columns = [(104 + 26 * k, BITS - 1 - k) for k in range(BITS)]
    shapes += [Text(str(_PLACES[i]), x + 13, 42, bold=i == at) for x, i in columns]
    for row, (weight, value) in enumerate(zip(WEIGHTS, ACTIVATIONS, strict=True)):
        y = 54 + 36.0 * row
        shapes.append(Box(2, y, 60, 28, f"w{row + 1} = {weight}", 3))
        shapes.append(Text(str(value), 92, y + 14, anchor="end"))
        for x, i in columns:
            colour, fill = _HERE if i == at else _ELSEWHERE
            shapes.append(Box(x, y, 26, 28, str(value >> i & 1), colour, fill, bold=i == at))
    return shapes


def _table(sums: list[int], picked: int) -> list[Shape]:
    shapes: list[Shape] = [Text("table of sums", 290, 18)]
    for entry, value in enumerate(sums):
        y = 32 + 24.0 * entry
        names = [f"w{j + 1}" for j in range(len(WEIGHTS)) if entry >> j & 1]
        shapes.append(Text("+".join(names) or "none", 304, y + 12, anchor="end"))
        colour, fill = _HERE if entry == picked else _ELSEWHERE
        shapes.append(Box(310, y, 40, 24, str(value), colour, fill, bold=entry == picked))
    return shapes
