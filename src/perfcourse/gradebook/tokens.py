"""Code by strangers as tokens: of broken code as well, in a time proportional to its length."""

from __future__ import annotations

import re
from collections.abc import Iterator
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


def tokens(code: str) -> Iterator[Token]:
    """Return the tokens of a cell's code; an unclosed string or bracket lasts to its end.

    >>> [token.text for token in tokens("x = f(1)  # so")]
    ['x', '=', 'f', '(', '1', ')', '# so']
    """
    depth = 0
    for match in _FORMS.finditer(code):
        text = match.group()
        if text in _CLOSING:
            depth = max(0, depth - 1)
        yield Token(match.lastgroup or "", text, match.start(), depth)
        if text in _OPENING:
            depth += 1
