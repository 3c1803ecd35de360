"""Tiles of a matrix product: which words of A, B and C the cache holds, step by step."""

from __future__ import annotations

from itertools import islice

from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.roofline import Access, gemm_accesses, lru_traffic
from perfmodel.validation import whole

SIZE = 8
CAPACITY = 32
STEPS = 16
"""Steps of the slider: each a sixteenth of all multiplications."""


def tile_residency(block: int, step: int) -> Scene:
    """Draw what a cache of 32 words holds after a part of an 8 x 8 product.

    Parameters
    ----------
    block : int
        Rows and columns of the tile of C that is worked on: 1, 2, 4 or 8.
    step : int
        Sixteenths of the work done, 1 to 16.

    >>> tile_residency(4, 16).values["words moved"]
    384.0
    """
    side, part = whole("block", block, 1), whole("step", step, 1)
    each = 3 * SIZE**3 // STEPS
    accesses = list(gemm_accesses(SIZE, (side, side, SIZE)))
    done = accesses[: part * each]
    held = _held(done)
    moved, total = lru_traffic(done, CAPACITY).words, lru_traffic(accesses, CAPACITY).words
    now = {name for name, _ in islice(reversed(done), 3)}
    shapes: list[Shape] = []
    for name, x, y in (("B", 208.0, 26.0), ("A", 68.0, 172.0), ("C", 208.0, 172.0)):
        filled = {(i, j): _look(name) for matrix, i, j in held if matrix == name}
        rims = [(i, j) for matrix, i, j in now if matrix == name]
        shapes.append(Cells(x, y, SIZE, SIZE, 15, filled, rims))
        shapes.append(Text(name, x + 60, y - 12, bold=True))
    shapes.append(Text("filled: in the cache", 16, 50, anchor="start"))
    shapes.append(Text("thick rim: used now", 16, 72, anchor="start"))
    says = (
        f"Tiles of {side} x {side}: {moved} words moved so far, {total} in all, for "
        f"{SIZE**3} multiplications."
    )
    return Scene(302, shapes, says, {"words moved": float(moved), "words in all": float(total)})


def _held(accesses: list[Access]) -> list[tuple[str, int, int]]:
    """Return the words used last, as many as the cache holds: what the least recent leave."""
    held: dict[object, None] = {}
    for word, _ in reversed(accesses):
        held.setdefault(word)
        if len(held) == CAPACITY:
            break
    return list(held)  # type: ignore[arg-type]


def _look(matrix: str) -> tuple[int, Fill]:
    looks: dict[str, tuple[int, Fill]] = {"A": (1, "light"), "B": (3, "hatch"), "C": (2, "solid")}
    return looks[matrix]
