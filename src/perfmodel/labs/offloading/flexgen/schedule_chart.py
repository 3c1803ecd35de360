"""Six GPU batches of a model of two layers that generate three tokens, drawn cell by cell."""

from __future__ import annotations

from functools import cache

import numpy as np

from perfmodel.live.drawing import Box, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.offloading import GridCells, diagonal_order, row_order, zig_zag_order
from perfmodel.validation import one_of, whole

BATCHES, LAYERS, TOKENS = 6, 2, 3
PROMPT = 1
"""Tokens of the prompt: a batch holds the cache of 1, 2 and then 3 tokens."""
CELLS = BATCHES * LAYERS * TOKENS
ROOM = 6
"""Batches times tokens of cache that fit: two batches at their last token."""
SCHEDULES = {
    "row by row": lambda: row_order(BATCHES, LAYERS, TOKENS),
    "zig-zag, blocks of 2": lambda: zig_zag_order(BATCHES, LAYERS, TOKENS, 2),
    "diagonal": lambda: diagonal_order(BATCHES, LAYERS, TOKENS, 1),
}
_LEFT, _TOP, _WIDE, _HIGH = 56.0, 38.0, 48.0, 20.0


def schedule_steps(schedule: str, done: int) -> Scene:
    """Draw which cells are computed after `done` of them, 0 to 36, and what that took.

    >>> [int(schedule_steps(name, 36).values["weight loads"]) for name in SCHEDULES]
    [36, 18, 16]
    """
    one_of("schedule", schedule, SCHEDULES)
    count = whole("done", done, 0, CELLS)
    order = _order(schedule)
    run = np.cumsum(np.append(True, np.diff(order.layer) != 0))
    loads = int(run[count - 1]) if count else 0
    cached = _held(order, count)
    shapes: list[Shape] = [Text("token", 4, 10, "start"), Text("layer", 4, 28, "start")]
    for token in range(TOKENS):
        shapes.append(Text(str(token + 1), _across(token, 0) + _WIDE, 10))
        shapes += [Text(str(j + 1), _across(token, j) + _WIDE / 2, 28) for j in range(LAYERS)]
    shapes += [Text(f"batch {b + 1}", 4, _down(b) + _HIGH / 2, "start") for b in range(BATCHES)]
    for index in range(CELLS):
        batch, layer, token = (int(part[index]) for part in order)
        fill: Fill = "none"
        if index < count:
            fill = "solid" if run[index] == loads else "light"
        label = str(int(run[index])) if index < count else ""
        x = _across(token, layer)
        shapes.append(Box(x, _down(batch), _WIDE - 4, _HIGH - 4, label, 1, fill))
    low = _down(BATCHES) + 8
    shapes.append(Text("cache held", 4, low + 8, "start"))
    for unit in range(ROOM):
        shapes.append(Box(90 + 20 * unit, low, 16, 16, "", 2, "solid" if unit < cached else "none"))
    shapes += legend(228, low + 4, [("this load", 1, "solid"), ("earlier loads", 1, "light")])
    says = (
        f"{schedule.capitalize()}: {count} of {CELLS} cells took {loads} "
        f"load{'s' * (loads != 1)} of a layer's weights; {cached} of {ROOM} places hold cache."
    )
    return Scene(low + 44, shapes, says, {"weight loads": loads, "cache held": cached})


@cache
def _order(schedule: str) -> GridCells:
    return SCHEDULES[schedule]()


def _held(order: GridCells, count: int) -> int:
    """Return the tokens in the caches of batches that have begun and aren't through."""
    total = 0
    for batch in range(BATCHES):
        tokens = order.token[:count][order.batch[:count] == batch]
        if 0 < tokens.size < LAYERS * TOKENS:
            total += PROMPT + int(tokens.max())
    return total


def _across(token: int, layer: int) -> float:
    return _LEFT + (LAYERS * token + layer) * _WIDE + 6 * token


def _down(batch: int) -> float:
    return _TOP + batch * _HIGH
