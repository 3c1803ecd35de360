"""A small cache that counts: what a sequence of accesses moves between memory and cache.

Fully associative, least recently used line out first, write-allocate and write-back. It stands for
the two-level memory of the bounds in `perfmodel.roofline.io_bounds`, and shows what a loop order
really moves, at sizes small enough to count.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from perfmodel.validation import whole

Access = tuple[Hashable, bool]
"""What is accessed (any name for a word), and whether it is written."""


@dataclass(frozen=True)
class Traffic:
    """Words moved between memory and cache."""

    loads: int
    stores: int

    @property
    def words(self) -> int:
        """Both directions together."""
        return self.loads + self.stores


def lru_traffic(accesses: Iterable[Access], capacity: int) -> Traffic:
    """Return what `accesses` move through a cache of `capacity` words.

    Parameters
    ----------
    accesses : iterable of (hashable, bool)
        Words in the order of their use; True for one that is changed. What is changed is written
        back when it is evicted or at the end.
    capacity : int
        Words that the cache holds, 1 or more.

    Examples
    --------
    >>> lru_traffic([("a", False), ("b", True), ("a", False), ("c", False)], 2)
    Traffic(loads=3, stores=1)
    """
    room = whole("capacity", capacity, low=1)
    held: OrderedDict[Hashable, bool] = OrderedDict()
    loads = stores = 0
    for word, changed in accesses:
        if word in held:
            held[word] = held[word] or changed
            held.move_to_end(word)
            continue
        loads += 1
        if len(held) == room:
            stores += held.popitem(last=False)[1]
        held[word] = changed
    return Traffic(loads, stores + sum(held.values()))


def gemm_accesses(n: int, block: tuple[int, int, int]) -> Iterator[Access]:
    """Yield the accesses of C += A B for n x n matrices, block by block.

    Parameters
    ----------
    n : int
        Rows and columns.
    block : tuple of int
        Rows and columns of a block of C, and how many steps of the inner product are done on it
        before the next block; each divides `n`.

    Yields
    ------
    Access
        Of A, B and C for each multiplication, C being changed. Within a block the inner product is
        the outermost loop, so that the block of C stays and A and B stream by.

    Raises
    ------
    ValueError
        If a block does not divide `n`.

    Examples
    --------
    >>> sum(1 for _ in gemm_accesses(4, (2, 2, 4)))
    192
    """
    rows, columns, steps = (whole("block", size, low=1) for size in block)
    if n % rows or n % columns or n % steps:
        raise ValueError(f"block must divide n = {n}, got {block}")
    for i0 in range(0, n, rows):
        for j0 in range(0, n, columns):
            for k0 in range(0, n, steps):
                for k in range(k0, k0 + steps):
                    for i in range(i0, i0 + rows):
                        for j in range(j0, j0 + columns):
                            yield ("A", i, k), False
                            yield ("B", k, j), False
                            yield ("C", i, j), True


def stencil_accesses(shape: tuple[int, int], radius: int = 1, block: int = 0) -> Iterator[Access]:
    """Yield the accesses of one sweep of a star-shaped stencil over a two-dimensional grid.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns; a border of `radius` is read but not updated.
    radius : int
        How far the star reaches.
    block : int
        Columns updated before the sweep goes back to the first row; all of them if 0.

    Yields
    ------
    Access
        Reads of the old grid, one write to the new one a point.

    Examples
    --------
    >>> sum(changed for _, changed in stencil_accesses((6, 7), radius=1, block=2))
    20
    """
    reach = whole("radius", radius, low=1)
    rows, columns = (whole("shape", size, low=2 * reach + 1) for size in shape)
    width = whole("block", block) or columns
    for start in range(reach, columns - reach, width):
        for i in range(reach, rows - reach):
            for j in range(start, min(start + width, columns - reach)):
                for step in range(-reach, reach + 1):
                    yield ("old", i + step, j), False
                    yield ("old", i, j + step), False
                yield ("new", i, j), True
