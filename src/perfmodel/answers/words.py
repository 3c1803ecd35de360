"""Comparison of words: what students write in their own way is brought to one form first."""

from __future__ import annotations

import re
import unicodedata
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

MAX_WORDS = 300
"""Characters of an answer in words."""
_APOSTROPHES = str.maketrans(dict.fromkeys("‘’ʼ´`", "'"))
_SHORT_NOT = re.compile(r"\b(do|does|did|is|are|was|were|could|would|should|will|has|have)n'?t\b")


def pair(answer: Any) -> tuple[Any, Any] | None:
    """Return a choice and its number, or None where the answer isn't such a pair."""
    if isinstance(answer, list | tuple) and len(answer) == 2 and isinstance(answer[0], str):
        return answer[0], answer[1]
    return None


def word(text: str) -> str:
    """Return a choice as it is compared: spaces, case, apostrophes and short forms don't count.

    >>> word(" Can\u2019t  TELL") == word("cannot tell"), word("doesn't fit")
    (True, 'does not fit')
    """
    plain = " ".join(text.translate(_APOSTROPHES).split()).casefold().strip("'\". ")
    return _SHORT_NOT.sub(r"\1 not", re.sub(r"\b(cannot|can'?t)\b", "can not", plain))


def option(answer: Any) -> str | None:
    """Return a choice, or a truth value as one; None where the answer is neither.

    >>> option(True), option(" False. "), option(1)
    ('true', 'false', None)
    """
    if isinstance(answer, bool | np.bool_):
        return str(bool(answer)).casefold()
    return word(answer) if isinstance(answer, str) and len(answer) <= MAX_WORDS else None


def phrase(text: str) -> str:
    """Return a text as it is compared: in lower case, with one space for all that is no word.

    An article before it doesn't count either.

    >>> phrase("  Memory-bound!"), phrase("The cache CAN'T"), phrase("*bound")
    ('memory bound', 'cache can not', '*bound')
    """
    plain = word(unicodedata.normalize("NFKC", text))
    spaced = " ".join(re.sub(r"[^\w*]+", " ", plain).split())
    return re.sub(r" ?\* ?", "*", re.sub(r"^(the|an?) (?=\w)", "", spaced))


def texts(expected: Any) -> list[str]:
    """Return the texts that will do: one, or each of several."""
    return [expected] if isinstance(expected, str) else list(expected)


def says(answer: Any, expected: Any) -> bool:
    """Whether an answer is one of the texts expected, in which a `*` stands for anything.

    >>> says("Memory bound.", ["memory-bound", "limited by*memory"]), says("memory", "*")
    (True, True)
    """
    if not isinstance(answer, str) or len(answer) > MAX_WORDS:
        return False
    said = phrase(answer.replace("*", " "))
    return bool(said) and any(fnmatchcase(said, phrase(text)) for text in texts(expected))
