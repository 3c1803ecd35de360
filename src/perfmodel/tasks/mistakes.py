"""Mistakes in the compact form: a wrong model, and its name with what is said to it."""

from __future__ import annotations

from typing import Any

from perfmodel.tasks.task import Mistake


def mistakes(*pairs: Any) -> list[Mistake]:
    """Return mistakes from pairs of a wrong model and a text "name: hint".

    >>> mistakes(lambda a, b: a + b, "wrong sign: You added what should be taken away.")[0].name
    'wrong sign'
    """
    texts = (text.split(": ", 1) for text in pairs[1::2])
    named = zip(pairs[::2], texts, strict=True)
    return [Mistake(name, model, hint) for model, (name, hint) in named]
