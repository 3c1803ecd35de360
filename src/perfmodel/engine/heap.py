"""Binary heaps in flat arrays: several may share one pair of arrays, each starting at its base.

The item with the lowest key leaves first. Equal keys leave in the order of `rank`, a number for
each item, so that ties are first come, first served and every run of one seed gives the same.

>>> heap, rank = Heap([0.0] * 3, [0] * 3), [0, 1, 2]
>>> for size, (key, item) in enumerate([(2.0, 0), (1.0, 2), (1.0, 1)]):
...     push(heap, rank, 0, size, key, item)
>>> remove(heap, rank, 0, 3, 0)
1
"""

from __future__ import annotations

from typing import NamedTuple

from perfmodel.engine.fields import Ints, Reals


class Heap(NamedTuple):
    """Keys and items, each child behind its parent: those of i stand at 2 i + 1 and 2 i + 2."""

    key: Reals
    item: Ints


def push(heap: Heap, rank: Ints, base: int, size: int, key: float, item: int) -> None:
    """Add `item` with `key` to the heap of `size` items that starts at `base`."""
    keys, items = heap
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        other = keys[base + parent]
        if other < key or (other == key and rank[items[base + parent]] < rank[item]):
            break
        keys[base + at], items[base + at] = other, items[base + parent]
        at = parent
    keys[base + at], items[base + at] = key, item


def remove(heap: Heap, rank: Ints, base: int, size: int, index: int) -> int:
    """Take the item at `index` (0 is the first) out of the heap of `size` items, and return it."""
    keys, items = heap
    removed = items[base + index]
    last = size - 1
    if index == last:
        return removed
    key, item = keys[base + last], items[base + last]
    at = index
    child = 2 * at + 1
    while child < last:
        below = base + child
        other = keys[below]
        if child + 1 < last:
            right = keys[below + 1]
            if right <= other and (right < other or rank[items[below + 1]] < rank[items[below]]):
                child, below, other = child + 1, below + 1, right
        if key <= other and (key < other or rank[item] < rank[items[below]]):
            break
        keys[base + at], items[base + at] = other, items[below]
        at = child
        child = 2 * at + 1
    if at == index and index > 0:
        push(heap, rank, base, index, key, item)
        return removed
    keys[base + at], items[base + at] = key, item
    return removed
