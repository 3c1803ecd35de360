"""The drawn stack is a list of last uses, and its counts are those of a cache played through."""

from __future__ import annotations

import pytest

from perfmodel.drawings import lru_stack
from perfmodel.drawings.offloading.lru_stack import TRACE
from perfmodel.live.drawing import Box
from perfmodel.offloading import simulate_cache


def boxes(use: int, size: int) -> list[str]:
    """Return the labels of the stack after a use, from the top."""
    shapes = [shape for shape in lru_stack(use, size).shapes if isinstance(shape, Box)]
    lowest = max(box.y for box in shapes)
    return [box.label for box in shapes if box.y == lowest and box.label]


def test_the_stack_is_a_list_of_last_uses() -> None:
    stack: list[str] = []
    for use, name in enumerate(TRACE, 1):
        stack = [name, *(old for old in stack if old != name)]
        assert boxes(use, 3) == stack


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_counts_are_those_of_a_cache(size: int) -> None:
    trace = ["ABCDE".index(name) for name in TRACE]
    for use in range(1, 15):
        told = lru_stack(use, size).values
        assert told["hits so far"] == simulate_cache(trace[:use], size).hits.sum()
        assert told["hits with one place more"] == simulate_cache(trace[:use], size + 1).hits.sum()


@pytest.mark.parametrize(("use", "size"), [(15, 3), (3, 6)])
def test_bad_input(use: int, size: int) -> None:
    with pytest.raises(ValueError, match="use must be at most 14 and size at most 5"):
        lru_stack(use, size)
