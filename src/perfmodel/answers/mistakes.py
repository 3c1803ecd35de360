"""Named wrong models: the mistakes that a teacher knows, declared next to the right model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

Model = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Constant:
    """A model that answers the same whatever it is given.

    >>> Constant(3)(n=8)
    3
    """

    value: Any

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Return the value."""
        return self.value


def as_model(given: Any) -> Model:
    """Return a model: itself, or one that answers with a value that was given in its place."""
    return given if callable(given) else Constant(given)


@dataclass(frozen=True)
class Mistake:
    """A named wrong model: a mistake that a good teacher recognises, and what they'd say.

    `model` has the reference's parameters, or is the wrong answer itself. `hint` says what went
    wrong without the right answer.
    """

    name: str
    model: Any
    hint: str

    def __post_init__(self) -> None:
        """Refuse a mistake without a name or a hint."""
        object.__setattr__(self, "model", as_model(self.model))
        for field in ("name", "hint"):
            if not getattr(self, field).strip():
                raise ValueError(f"{field} of a mistake must not be empty")


def by_place(model: Model) -> Model:
    """Return a model whose arguments are told by their order, however they are named.

    >>> by_place(lambda a, b: a - b)(total=5, part=3)
    2
    """
    return lambda *given, **named: model(*given, *named.values())


def mistakes(*pairs: Any) -> list[Mistake]:
    """Return mistakes from pairs of a model and a text "name: hint".

    The models take their arguments by place, as in `by_place`.

    >>> mistakes(lambda a, b: a + b, "wrong sign: You added what should be taken away.")[0].name
    'wrong sign'
    """
    texts = [text.split(": ", 1) for text in pairs[1::2]]
    return [
        Mistake(name, by_place(model), hint)
        for model, (name, hint) in zip(pairs[::2], texts, strict=True)
    ]


def rounded(model: Model) -> list[Mistake]:
    """Return the mistakes of rounding a model's number, where a question says not to.

    >>> [wrong.model(x=7) for wrong in rounded(lambda x: ("few", x / 2))]
    [('few', 3.0), ('few', 4.0)]
    """

    def whole(rounding: Callable[[Any], Any], *given: Any, **named: Any) -> Any:
        value = model(*given, **named)
        if isinstance(value, tuple):
            return value[0], float(rounding(value[1]))
        return float(rounding(value))

    return [
        Mistake(
            f"rounded {way}",
            partial(whole, rounding),
            f"You rounded {way} to a whole number. Give the number as it comes out of the formula.",
        )
        for way, rounding in (("down", np.floor), ("up", np.ceil))
    ]
