"""Two ways to sort in Python, and one that leaves it to C."""

from __future__ import annotations

from collections.abc import Sequence


def insertion_sort(values: Sequence[int]) -> list[int]:
    """Return the values in order, each moved down to its place.

    >>> insertion_sort([3, 1, 2])
    [1, 2, 3]
    """
    done: list[int] = []
    for value in values:
        done.append(value)
        at = len(done) - 1
        while at > 0 and done[at - 1] > value:
            done[at] = done[at - 1]
            at -= 1
        done[at] = value
    return done


def merge_sort(values: Sequence[int]) -> list[int]:
    """Return the values in order, by merging two sorted halves.

    >>> merge_sort([3, 1, 2])
    [1, 2, 3]
    """
    if len(values) < 2:
        return list(values)
    half = len(values) // 2
    first, second = merge_sort(values[:half]), merge_sort(values[half:])
    done: list[int] = []
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i] <= second[j]:
            done.append(first[i])
            i += 1
        else:
            done.append(second[j])
            j += 1
    return done + first[i:] + second[j:]


def sort_by_library(values: Sequence[float]) -> list[float]:
    """Return the values in order, by one call.

    >>> sort_by_library([3, 1, 2])
    [1, 2, 3]
    """
    return sorted(values)
