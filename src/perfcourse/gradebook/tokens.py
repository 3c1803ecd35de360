"""Code by strangers as tokens: of broken code as well, in a time proportional to its length."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_FORMS = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<text>[rbfuRBFU]{0,2}(?:
        \"{3}[\s\S]*?(?:\"{3}|\Z) | '{3}[\s\S]*?(?:'{3}|\Z)
      | \"(?:\\.|[^\"\\\n])*\"? | '(?:\\.|[^'\\\n])*'?))
  | (?P<name>[^\W\d]\w*)
  | (?P<number>\.?\d[\w.]*)
  | (?P<line>\n)
  | (?P<sign>[^\s\w])
    """,
    re.VERBOSE,
)
_OPENING, _CLOSING = set("([{"), set(")]}")


class Token(NamedTuple):
    """A piece of code."""

    kind: str
    """`comment`, `text` (a string), `name` (keywords too), `number`, `line` (its end), `sign`."""
    text: str
    start: int
    """Where in the code."""
    depth: int
    """Of brackets, outside which it stands where 0."""


SHORT = 2000
"""Characters of code whose tokens are remembered a while, since they are asked for again."""


def tokens(code: str) -> Iterable[Token]:
    """Return the tokens of a cell's code; an unclosed string or bracket lasts to its end.

    >>> [token.text for token in tokens("x = f(1)  # so")]
    ['x', '=', 'f', '(', '1', ')', '# so']
    """
    return _remembered(code) if len(code) <= SHORT else _found(code)


@functools.lru_cache(maxsize=256)
def _remembered(code: str) -> tuple[Token, ...]:
    return tuple(_found(code))


def _found(code: str) -> Iterator[Token]:
    depth = 0
    for match in _FORMS.finditer(code):
        text = match.group()
        if text in _CLOSING:
            depth = max(0, depth - 1)
        yield Token(match.lastgroup or "", text, match.start(), depth)
        if text in _OPENING:
            depth += 1
