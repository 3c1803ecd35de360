"""Tiles of a matrix product: which words of A, B and C the cache holds, step by step."""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.roofline import Access, gemm_accesses, lru_traffic
from perfmodel.validation import whole

SIZE = 8
CAPACITY = 32
STEPS = 16
"""Steps of the slider: each a sixteenth of all multiplications."""

_LOOKS: dict[str, tuple[int, Fill]] = {"A": (1, "light"), "B": (3, "hatch"), "C": (2, "solid")}


def tile_residency(block: int, step: int) -> Scene:
    """Draw what a cache of 32 words holds after a part of an 8 x 8 product.

    Parameters
    ----------
    block : int
        Rows and columns of the tile of C that is worked on: 1, 2, 4 or 8.
    step : int
        Sixteenths of the work done, 1 to 16.

    Examples
    --------
    >>> tile_residency(4, 16).values["words moved"]
    384.0
    """
    side, part = whole("block", block, 1), whole("step", step, 1)
    each = 3 * SIZE**3 // STEPS
    accesses = list(gemm_accesses(SIZE, (side, side, SIZE)))
    done = accesses[: part * each]
    held = _last_used(done, CAPACITY)
    moved, total = lru_traffic(done, CAPACITY).words, lru_traffic(accesses, CAPACITY).words
    now = _last_used(done, 3)
    shapes: list[Shape] = []
    for name, x, y in (("B", 208.0, 26.0), ("A", 68.0, 172.0), ("C", 208.0, 172.0)):
        filled = {(i, j): _LOOKS[name] for matrix, i, j in held if matrix == name}
        rims = [(i, j) for matrix, i, j in now if matrix == name]
        shapes.append(Cells(x, y, SIZE, SIZE, 15, filled, rims))
        shapes.append(Text(name, x + 60, y - 12, bold=True))
    shapes.append(Text("filled: in the cache", 16, 50, anchor="start"))
    shapes.append(Text("thick rim: used now", 16, 72, anchor="start"))
    says = (
        f"With tiles of {side} x {side}, {moved} of {total} words have moved. The product takes "
        f"{SIZE**3} multiplications."
    )
    return Scene(302, shapes, says, {"words moved": float(moved), "words in all": float(total)})


def _last_used(accesses: list[Access], count: int) -> list[tuple[str, int, int]]:
    """Return the `count` words used last: what a cache of that size holds."""
    words: dict[Hashable, None] = {}
    for word, _ in reversed(accesses):
        words.setdefault(word)
        if len(words) == count:
            break
    return cast(list[tuple[str, int, int]], list(words))
