"""Properties of a student's function, each worth points of its own.

A property asks the function through `ask(*arguments)`, which returns plain data or raises
`AnswerError`, and returns whether it holds. Properties count only for a function whose values
agree with the reference, so that no points come from a function that always raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from perfmodel.answers.closeness import close, numbers


class AnswerError(Exception):
    """The student's function raised: the type's name and the message, both plain text."""

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(f"{kind}: {message}" if message else kind)
        self.kind = kind
        self.message = message


class Ask:
    """A student's function: called with plain data, it returns such or raises `AnswerError`.

    >>> Ask(lambda x: 2 * x)(3)
    6
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        """Return what one call returns."""
        (found,) = self.each([arguments])
        if isinstance(found, AnswerError):
            raise found
        return found

    def each(self, calls: Iterable[Iterable[Any]]) -> list[Any]:
        """Return what each of several calls returns, or the AnswerError that it raises."""
        return [self._outcome(arguments) for arguments in calls]

    def _outcome(self, arguments: Iterable[Any]) -> Any:
        try:
            return self._function(*arguments)
        except AnswerError as error:
            return error


@dataclass(frozen=True)
class Property:
    """A named check worth `points`; `hint` is what the student reads where it fails."""

    name: str
    holds: Callable[[Ask, Callable[..., Any]], bool]
    """Called with the student's function and the reference."""
    points: float
    hint: str

    def __post_init__(self) -> None:
        """Refuse a property that is worth nothing or says nothing."""
        if not self.points > 0:
            raise ValueError(f"points of a property must be above 0, got {self.points!r}")
        if not self.hint.strip():
            raise ValueError(f"hint of property {self.name!r} must not be empty")


def limit(name: str, arguments: Sequence[Any], points: float, hint: str) -> Property:
    """Hold where the function agrees with the reference at an edge, such as one processor."""

    def holds(ask: Ask, reference: Callable[..., Any]) -> bool:
        return close(ask(*arguments), reference(*arguments), 1e-6)

    return Property(name, holds, points, hint)


def vectorised(arguments: Sequence[Any], points: float, hint: str = "") -> Property:
    """Hold where arrays among the arguments give an array of the reference's values."""
    hint = hint or "Let NumPy do the loop: the function should take an array and return an array."

    def holds(ask: Ask, reference: Callable[..., Any]) -> bool:
        expected = np.asarray(reference(*arguments))
        return close(ask(*arguments), expected, 1e-6)

    return Property("takes arrays", holds, points, hint)


def refuses(
    arguments: Sequence[Any], points: float, hint: str, name: str = "refuses bad input"
) -> Property:
    """Hold where the function raises a ValueError for arguments that make no sense."""

    def holds(ask: Ask, reference: Callable[..., Any]) -> bool:
        try:
            ask(*arguments)
        except AnswerError as error:
            return error.kind == "ValueError"
        return False

    return Property(name, holds, points, hint)


def monotone(
    name: str,
    argument: int,
    values: Sequence[float],
    others: Sequence[Any],
    points: float,
    hint: str,
    rises: bool = True,
) -> Property:
    """Hold where the result rises (or falls) as one argument runs through `values`.

    `others` are all the arguments; the one at index `argument` is replaced by each value in turn.
    """

    def holds(ask: Ask, reference: Callable[..., Any]) -> bool:
        results = [
            numbers(ask(*others[:argument], value, *others[argument + 1 :])) for value in values
        ]
        if any(result is None or result.size != 1 for result in results):
            return False
        steps = np.diff([float(result.reshape(())) for result in results if result is not None])
        return bool((steps > 0).all() if rises else (steps < 0).all())

    return Property(name, holds, points, hint)
