"""New numbers for a question: its texts are templates, filled in for parameters drawn once.

The first value of each parameter makes the question that is asked first. Eight more sets of values
are drawn with a fixed seed, their answers computed, and all written into the page, where a reader
asks for them.
"""

from __future__ import annotations

import inspect
import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from perfmodel.units import number

COUNT = 8
"""Sets of new numbers that each such question gets."""
Variants = Mapping[str, Sequence[Any] | Callable[..., Any]]
"""By name, the values of a parameter, or a function that computes one from those named before."""
Values = dict[str, Any]


def drawn(variants: Variants, seed: str) -> list[Values]:
    """Return the sets of values: the one asked first, then the others in a drawn order.

    >>> drawn({"n": [2, 3], "square": lambda n: n * n}, "seed")
    [{'n': 2, 'square': 4}, {'n': 3, 'square': 9}]
    """
    given = {name: list(values) for name, values in variants.items() if not callable(values)}
    first, *others = itertools.product(*given.values())
    random.Random(seed).shuffle(others)
    return [_computed(dict(zip(given, one, strict=True)), variants) for one in [first, *others]]


def _computed(values: Values, variants: Variants) -> Values:
    for name, model in variants.items():
        if callable(model):
            values[name] = called(model, values)
    return values


def called(model: Any, values: Values) -> Any:
    """Return a model's result, called with the values that its parameters name, or a constant.

    >>> called(lambda n: n + 1, {"n": 2, "m": 5}), called(7, {})
    (3, 7)
    """
    if not callable(model):
        return model
    return model(**{name: values[name] for name in inspect.signature(model).parameters})


def _pieces(template: str) -> list[tuple[str, tuple[str, str] | None]]:
    """Return the words of a template, each with the name and the format of the field behind it."""
    return [
        (words, None if name is None else (name, spec or ""))
        for words, name, spec, _ in Formatter().parse(template)
    ]


def _written(values: Values, name: str, spec: str) -> str:
    value = values[name]
    return str(value) if isinstance(value, str) else format(value, spec) if spec else number(value)


def filled(template: str, values: Values) -> str:
    """Return a template with its fields filled in; without a format, numbers as in tables.

    >>> filled("{n} of {m:.1f} {what}", {"n": 1024, "m": 2, "what": "jobs"})
    '1,024 of 2.0 jobs'
    """
    return "".join(
        words + (_written(values, *found) if found else "") for words, found in _pieces(template)
    )


@dataclass
class Marked:
    """Templates with numbers for their fields, which the script fills in: each text goes once."""

    fields: dict[tuple[str, str], int] = field(default_factory=dict)

    def text(self, template: str) -> str:
        """Return a template with its fields numbered.

        >>> Marked().text("{n} of {m:.1f}, {n} in all")
        '{0} of {1}, {0} in all'
        """
        return "".join(
            words + (f"{{{self.fields.setdefault(found, len(self.fields))}}}" if found else "")
            for words, found in _pieces(template)
        )

    def given(self, values: Values) -> list[str]:
        """Return what stands in the fields, by their numbers."""
        return [_written(values, *found) for found in self.fields]


def near(guess: float, answer: float, tolerance: float) -> bool:
    """Return whether a guess counts as right, as the page's script decides it."""
    return abs(guess - answer) <= tolerance * (1 + 1e-9) * (abs(answer) or 1)


def prefix_slip(guess: float, answer: float, tolerance: float) -> str:
    """Return what is said, as on the page, to a guess that is wrong by a prefix of its unit.

    >>> prefix_slip(1500, 1.5, 0.1), prefix_slip(3, 1.5, 0.1)
    (" Check the unit's prefix.", '')
    """
    powers = (1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9)
    slipped = any(near(guess, by * answer, tolerance) for by in powers)
    return " Check the unit's prefix." if slipped else ""


def rounded(value: float) -> float:
    """Return a number to six digits, which are the same on any processor."""
    if not math.isfinite(value):
        raise ValueError(f"answer of a variant must be finite, got {value}")
    return float(f"{value:.6g}")
