"""Calls with their places in a program, and the text in which the authors list them."""

from __future__ import annotations

import re
from typing import NamedTuple


class Call(NamedTuple):
    """A call: after which line of the program, which of that line's calls, what it says."""

    line: int
    order: int
    name: str
    arguments: tuple[str, ...]


_ENTRY = re.compile(r"(\d+) (\d+),\s*([^;]*);")


def read_calls(text: str) -> list[Call]:
    """Return the calls listed in a text such as "(3 1, MPI_Init(&argc, &argv);)".

    Two numbers, line and order within the line, then the call up to its first semicolon. What can't
    be read is passed over, and of two entries at one place the later one stays, as in the authors'
    scoring.

    >>> read_calls("(2 1, MPI_Init(&argc, &argv);) (9 1, MPI_Finalize();)")[0].arguments
    ('&argc', '&argv')
    """
    found: dict[tuple[int, int], Call] = {}
    for line, order, said in _ENTRY.findall(text):
        name, bracket, rest = said.strip().partition("(")
        if not bracket:
            continue
        place = int(line), int(order)
        found[place] = Call(*place, name.strip(), split_arguments(rest.rpartition(")")[0]))
    return list(found.values())


def split_arguments(text: str) -> tuple[str, ...]:
    """Return the arguments of a call, parted at commas outside brackets.

    >>> split_arguments("&x, f(a, b), 1")
    ('&x', 'f(a, b)', '1')
    """
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(part.strip() for part in parts if part.strip())
