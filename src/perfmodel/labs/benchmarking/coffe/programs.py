"""Small programs to count and to time: some that the interpreter works on, some that C does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isqrt
from typing import Any, Literal, NamedTuple

import numpy as np


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


Worker = Literal["interpreter", "library"]


class Program(NamedTuple):
    """One solution of a problem."""

    problem: str
    name: str
    worker: Worker
    """The part of the system that does most of the work."""
    run: Callable[[], object]
    size: int
    """Of its input: numbers to go through, the number asked for, or rows of the table."""


def squares_by_loop(n: int) -> int:
    """Return the sum of the squares below n.

    >>> squares_by_loop(4)
    14
    """
    total = 0
    for i in range(n):
        total += i * i
    return total


def squares_by_generator(n: int) -> int:
    """Return the same by `sum` over a generator.

    >>> squares_by_generator(4)
    14
    """
    return sum(i * i for i in range(n))


def squares_by_numpy(n: int) -> int:
    """Return the same by NumPy.

    >>> squares_by_numpy(4)
    14
    """
    values = np.arange(n)
    return int(values @ values)


def fibonacci_by_recursion(n: int) -> int:
    """Return a Fibonacci number, each of the smaller ones again.

    >>> fibonacci_by_recursion(10)
    55
    """
    if n < 2:
        return n
    return fibonacci_by_recursion(n - 1) + fibonacci_by_recursion(n - 2)


def fibonacci_by_loop(n: int) -> int:
    """Return the same from the two before.

    >>> fibonacci_by_loop(10)
    55
    """
    before, now = 0, 1
    for _ in range(n):
        before, now = now, before + now
    return before


def primes_by_division(n: int) -> int:
    """Return how many primes are below n, each number divided by all up to its root.

    >>> primes_by_division(30)
    10
    """
    return sum(all(i % d for d in range(2, isqrt(i) + 1)) for i in range(2, n))


def primes_by_sieve(n: int) -> int:
    """Return the same by crossing out multiples, one by one.

    >>> primes_by_sieve(30)
    10
    """
    prime = [True] * n
    for i in range(2, isqrt(n) + 1):
        if prime[i]:
            for multiple in range(i * i, n, i):
                prime[multiple] = False
    return sum(prime[2:])


def common_by_list(n: int) -> int:
    """Return how many even numbers below 2n are below n, looked up in a list.

    >>> common_by_list(10)
    5
    """
    known = list(range(0, 2 * n, 2))
    return sum(i in known for i in range(n))


def common_by_set(n: int) -> int:
    """Return the same, looked up in a set.

    >>> common_by_set(10)
    5
    """
    known = set(range(0, 2 * n, 2))
    return sum(i in known for i in range(n))


def walk(values: np.ndarray, columns: bool) -> float:
    """Return the sum of a table, row by row or column by column: the same instructions.

    >>> walk(np.ones((4, 4)), columns=True)
    16.0
    """
    total = 0.0
    for line in values.T if columns else values:
        total += float(line.sum())
    return total


def programs() -> list[Program]:
    """Return the programs, each ready to run.

    >>> len({program.name for program in programs()}) == len(programs())
    True
    """
    shuffled = [int(x) for x in np.random.default_rng(5).permutation(300)]
    values = np.random.default_rng(6).random(20_000).tolist()
    table = np.ones((4000, 4000), dtype=np.float32)
    by_hand: list[tuple[str, str, Callable[..., object], Any]] = [
        ("squares", "loop", squares_by_loop, 4000),
        ("squares", "generator", squares_by_generator, 4000),
        ("Fibonacci", "recursion", fibonacci_by_recursion, 16),
        ("Fibonacci", "loop of two", fibonacci_by_loop, 200),
        ("primes", "division", primes_by_division, 700),
        ("primes", "sieve", primes_by_sieve, 3000),
        ("sorting", "insertion", insertion_sort, shuffled[:120]),
        ("sorting", "merging", merge_sort, shuffled),
    ]
    by_library: list[tuple[str, str, Callable[..., object], Any]] = [
        ("squares", "NumPy", squares_by_numpy, 300_000),
        ("sorting", "built in", sort_by_library, values),
        ("membership", "list", common_by_list, 1500),
        ("membership", "set", common_by_set, 1500),
        ("table", "by rows", partial(walk, columns=False), table),
        ("table", "by columns", partial(walk, columns=True), table),
    ]
    groups: dict[Worker, list[tuple[str, str, Callable[..., object], Any]]]
    groups = {"interpreter": by_hand, "library": by_library}
    return [
        Program(problem, name, worker, partial(run, given), _size(given))
        for worker, group in groups.items()
        for problem, name, run, given in group
    ]


def _size(given: Any) -> int:
    return given if isinstance(given, int) else len(given)
