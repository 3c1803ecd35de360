"""Which code of a notebook belongs to which answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from perfcourse.gradebook.tokens import Token, tokens

REST = ""
"""Stands for the code of cells that set no answer."""
_GOES_ON = {"else", "elif", "except", "finally", ")", "]", "}"}
"""What begins no new block, though at the margin."""
_BEFORE_EQUALS = set("=<>!")


class Passage(NamedTuple):
    """Code of one cell."""

    cell: int
    """Counted from 1."""
    code: str


def by_answer(
    cells: Sequence[str], names: Collection[str], stub: Collection[str] = ()
) -> dict[str, list[Passage]]:
    r"""Return the code that sets each answer, in the order of the notebook.

    A cell is cut at its margin into blocks: functions, statements. A block that sets no answer goes
    to the next one of its cell that does, or to the last; a cell that sets none goes to `REST`.
    Cells of the `stub` that are as they were handed out don't count.

    >>> cells = ["import math", "def half(x):\n    return x / 2\nq2 = 3"]
    >>> {name: code for name, [(_, code)] in by_answer(cells, ["half", "q2"]).items()}
    {'': 'import math', 'half': 'def half(x):\n    return x / 2\n', 'q2': 'q2 = 3'}
    """
    passages: dict[str, list[Passage]] = defaultdict(list)
    for number, cell in enumerate(cells, start=1):
        if cell in stub:
            continue
        for label, code in _labelled(cell, names):
            passages[label].append(Passage(number, code))
    return dict(passages)


def _labelled(cell: str, names: Collection[str]) -> list[tuple[str, str]]:
    """Return the code of a cell by the answer that it is for, in its order."""
    code: dict[str, str] = {}
    waiting = ""
    for block, labels in _blocks(cell, names):
        waiting += block
        for label in labels:
            code[label] = code.get(label, "") + waiting
        waiting = "" if labels else waiting
    if waiting.strip():
        last = next(reversed(code), REST)
        code[last] = code.get(last, "") + waiting
    return list(code.items())


def _blocks(cell: str, names: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    """Return each block's code with the answers that it sets; comments and decorators lead one."""
    block: list[Token] = []
    begin = 0
    leads = True
    for token in tokens(cell):
        if _begins(token, cell):
            if not leads:
                yield cell[begin : token.start], _set_by(block, names)
                block, begin = [], token.start
            leads = token.kind == "comment" or token.text == "@"
        block.append(token)
    yield cell[begin:], _set_by(block, names)


def _begins(token: Token, cell: str) -> bool:
    at_margin = token.start == 0 or cell[token.start - 1] == "\n"
    return at_margin and token.depth == 0 and token.kind != "line" and token.text not in _GOES_ON


def _set_by(block: Sequence[Token], names: Collection[str]) -> list[str]:
    """Return the answers that a block sets: as a function or class, or by assignment."""
    code = [token for token in block if token.kind != "comment"]
    for token, after in pairwise(code):
        if token.text in ("def", "class") and token.kind == "name":
            return [after.text] if after.text in names else []
    return list(dict.fromkeys(name for name in _assigned(code) if name in names))


def _assigned(code: Sequence[Token]) -> Iterator[str]:
    """Return the names to the left of each assignment."""
    targets: list[str] = []
    for index, token in enumerate(code):
        if token.kind == "line" and token.depth == 0:
            targets = []
        elif token.text == "=" and token.depth == 0 and not _compares(code, index):
            yield from targets
            targets = []
        elif token.kind == "name":
            targets.append(token.text)


def _compares(code: Sequence[Token], place: int) -> bool:
    before, here, after = code[place - 1], code[place], code[min(place + 1, len(code) - 1)]
    joined = place > 0 and before.start == here.start - 1 and before.text in _BEFORE_EQUALS
    return joined or (after.text == "=" and after.start == here.start + 1)
