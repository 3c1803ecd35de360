"""Five functions with a count by hand: how often each line, or part of it, is executed."""

from __future__ import annotations

import dis
from collections.abc import Callable
from typing import NamedTuple


def straight(a, b):
    c = a * b + a
    return c - b


def branch(a, b):
    if a > b:
        return a - b
    return b - a


def total(n):
    kept = 0
    for i in range(n):
        kept += i
    return kept


def pairs(n):
    kept = 0
    for i in range(n):
        for j in range(i):
            kept += i * j
    return kept


def calls(n):
    kept = 0
    for i in range(n):
        kept += straight(i, 2)
    return kept


class Part(NamedTuple):
    """Instructions of a line, counted from the `def`, whose names begin so, and their times."""

    line: int
    begins: str
    times: int


def loop(line: int, entered: int, rounds: int) -> list[Part]:
    """Return how often the parts of a `for` line run that is entered and goes round so often."""
    return [
        Part(line, "FOR_ITER", entered + rounds),
        Part(line, "STORE_FAST", rounds),
        Part(line, "JUMP_BACKWARD", rounds),
        Part(line, "END_FOR", 0),
        Part(line, "POP_TOP", 0),
        Part(line, "", entered),
    ]


class Hand(NamedTuple):
    """A call, and how often each part of the function's lines is executed in it."""

    function: Callable[..., object]
    args: tuple[int, ...]
    parts: list[Part]
    inside: int = 0
    """Instructions of the functions that it calls."""

    def count(self) -> int:
        """Add up the instructions that `dis` lists after RESUME, each as often as its part."""
        first = self.function.__code__.co_firstlineno
        result, begun = self.inside, False
        for instruction in dis.get_instructions(self.function):
            if begun:
                line = instruction.positions.lineno - first
                result += next(
                    part.times
                    for part in self.parts
                    if part.line == line and instruction.opname.startswith(part.begins)
                )
            begun |= instruction.opname == "RESUME"
        return result


def each(*times: int) -> list[Part]:
    return [Part(line, "", count) for line, count in enumerate(times, 1)]


ONE = Hand(straight, (3, 4), each(1, 1))
HANDS = [
    ONE,
    Hand(branch, (2, 5), each(1, 0, 1)),
    Hand(total, (5,), [Part(1, "", 1), *loop(2, 1, 5), Part(3, "", 5), Part(4, "", 1)]),
    Hand(
        pairs,
        (4,),
        # The jump back of the outer loop belongs to the line of the inner one, where it ends.
        [
            Part(1, "", 1),
            *loop(2, 1, 4),
            Part(3, "JUMP_BACKWARD", 4),
            *loop(3, 4, 6),
            Part(4, "", 6),
            Part(5, "", 1),
        ],
    ),
    Hand(
        calls,
        (5,),
        [Part(1, "", 1), *loop(2, 1, 5), Part(3, "", 5), Part(4, "", 1)],
        5 * ONE.count(),
    ),
]
