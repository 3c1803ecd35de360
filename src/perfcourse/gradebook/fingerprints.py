"""Fingerprints of code, blind to what is changed when code is copied.

As in MOSS (Schleimer, Wilkerson, Aiken 2003), a fingerprint stands for a few tokens in a row. Names
are numbered in the order in which they come, numbers and strings are all alike, comments,
docstrings and spaces are left out; no fingerprint reaches from one statement into the next, so that
their order doesn't matter either. Answers are short, so all fingerprints are kept: thinning them
out, which is what winnowing does, is for whole programs.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from perfcourse.gradebook.answers import Passage
from perfcourse.gradebook.tokens import Token, tokens

LENGTH = 6
"""Tokens of a fingerprint."""
SHORTEST = 3
"""A statement of fewer tokens has none."""
PIECE = 150
"""Fingerprints of a piece: longer code is compared in several."""
LEAST = 8
"""Fingerprints below which code looks alike by nature."""
LONGEST = 20_000
"""Characters of one answer that are looked at."""
_KNOWN = frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins)))
_SMALL = {"0", "1", "2"}


@dataclass(frozen=True)
class Print:
    """The fingerprints of one student's code for one answer, without those of the stub."""

    pieces: tuple[frozenset[int], ...]
    left_out: int
    """Fingerprints that the notebook handed out has, too."""

    @property
    def whole(self) -> frozenset[int]:
        """All of them."""
        return frozenset().union(*self.pieces)


def prints(
    code: Mapping[str, Sequence[Passage]], stub: frozenset[int] = frozenset()
) -> dict[str, Print]:
    """Return the fingerprints of a student's code by answer; none where they are too few.

    `code` is what `by_answer` returns, `stub` the fingerprints of what was handed out.
    """
    made = ((name, _print(passages, stub)) for name, passages in code.items())
    return {name: of_answer for name, of_answer in made if of_answer.pieces}


def _print(passages: Iterable[Passage], stub: frozenset[int]) -> Print:
    every = list(dict.fromkeys(fingerprints("\n".join(passage.code for passage in passages))))
    own = [mark for mark in every if mark not in stub]
    pieces = [frozenset(own[start : start + PIECE]) for start in range(0, len(own), PIECE)]
    long_pieces = tuple(piece for piece in pieces if len(piece) >= LEAST)
    return Print(long_pieces, len(every) - len(own))


def fingerprints(code: str) -> Iterator[int]:
    r"""Return the fingerprints of code, in its order; they hold within one process.

    >>> half = "def half(value):\n    # so\n    return value / 2.5 + value ** 2"
    >>> copy = "def h(x): return x / 7 + x ** 2"
    >>> sorted(fingerprints(half)) == sorted(fingerprints(copy))
    True
    """
    for statement in _statements(code[:LONGEST]):
        words = list(_words(statement))
        for start in range(max(1, len(words) - LENGTH + 1)):
            yield hash(_numbered(words[start : start + LENGTH]))


def _statements(code: str) -> Iterator[list[Token]]:
    """Return statements of some length: from colon or line's end to the next, outside brackets."""
    statement: list[Token] = []
    for token in tokens(code):
        if token.kind == "comment" or (token.kind == "line" and token.depth):
            continue
        if token.kind == "line" or (token.text in ":;" and not token.depth):
            if len(statement) >= SHORTEST:
                yield statement
            statement = []
        else:
            statement.append(token)
    if len(statement) >= SHORTEST:
        yield statement


def _words(statement: Iterable[Token]) -> Iterator[tuple[bool, str]]:
    """Return each token as it is compared, and whether it is a name of the student's own."""
    before = ""
    for token in statement:
        if token.kind == "name":
            yield before != "." and token.text not in _KNOWN, token.text
        elif token.kind == "number":
            yield False, token.text if token.text in _SMALL else "number"
        else:
            yield False, "text" if token.kind == "text" else token.text
        before = token.text


def _numbered(words: Sequence[tuple[bool, str]]) -> tuple[str, ...]:
    """Return words with the student's own names numbered in the order in which they come."""
    places: dict[str, str] = {}
    return tuple(places.setdefault(word, f"{len(places)}") if own else word for own, word in words)
