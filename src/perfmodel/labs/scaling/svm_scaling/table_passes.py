"""Two rows of the kernel matrix from one table: in two passes over it, or in one by blocks."""

from __future__ import annotations

from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import whole

BLOCKS, DEEP, WIDE = 6, 2, 8
"""Blocks of the table, samples a block, and features."""
STEPS = 2 * BLOCKS
"""Products of a block with a sample."""
HELD = 2
"""Blocks that the cache holds."""
_SIZE = 15.0


def table_passes(passes: int, step: int) -> Scene:
    """Draw which blocks of the table have been read, and how far the two rows are.

    Two passes are a row after the other, one is both rows of a block before the next block; of the
    12 products of a block with one of the two samples `step` are done.

    >>> table_passes(1, 12).values["blocks read"], table_passes(2, 12).values["blocks read"]
    (6.0, 12.0)
    """
    fused, done = whole("passes", passes, 1) == 1, whole("step", step, 1)
    order = [(i // 2, i % 2) if fused else (i % BLOCKS, i // BLOCKS) for i in range(STEPS)]
    held: list[int] = []
    reads = [0]
    for block, _ in order:
        reads.append(reads[-1] + (block not in held))
        held = [*(b for b in held if b != block), block][-HELD:]
        if len(reads) == done + 1:
            cached = set(held)
    now = order[done - 1][0]
    shapes: list[Shape] = [_table(cached, now)]
    for row, name in enumerate("hl"):
        ready = {block for block, which in order[:done] if which == row}
        cells: dict[tuple[int, int], tuple[int, Fill]] = {
            (i, 0): (3, "hatch") for i in _samples(ready)
        }
        shapes.append(Cells(160 + 40 * row, 40, BLOCKS * DEEP, 1, _SIZE, cells))
        shapes.append(Text(f"row {name}", 168 + 40 * row, 26))
    shapes += [Text("table", 76, 26), Text(f"{reads[done]} blocks read", 242, 150, anchor="start")]
    shapes += legend(
        242, 54, [("used now", 2, "solid"), ("in the cache", 1, "light"), ("done", 3, "hatch")]
    )
    way = "One pass by blocks" if fused else "A pass for each row"
    says = (
        f"{way}, step {done} of {STEPS}: {reads[done]} blocks read from memory so far, "
        f"{reads[-1]} in the end."
    )
    values = {"blocks read": float(reads[done]), "blocks in the end": float(reads[-1])}
    return Scene(236, shapes, says, values)


def _table(cached: set[int], now: int) -> Shape:
    filled: dict[tuple[int, int], tuple[int, Fill]] = {}
    for block in sorted(cached):
        look: tuple[int, Fill] = (2, "solid") if block == now else (1, "light")
        filled |= {(i, j): look for i in _samples({block}) for j in range(WIDE)}
    return Cells(16, 40, BLOCKS * DEEP, WIDE, _SIZE, filled)


def _samples(blocks: set[int]) -> list[int]:
    return [DEEP * block + i for block in sorted(blocks) for i in range(DEEP)]
