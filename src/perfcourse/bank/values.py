"""Questions that are answered by a function or by numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from perfcourse.bank.earlier_names import takes_misconceptions
from perfcourse.bank.errors import require, unique
from perfcourse.bank.files import DataFile, as_file
from perfcourse.bank.hints import (
    BOTH,
    missing,
    number_hint,
    table_hint,
    wrong_shape,
)
from perfcourse.bank.properties import Property
from perfcourse.bank.question import Draw, Inputs, Question, as_draw, table_columns
from perfmodel.answers.closeness import close, numbers, off
from perfmodel.answers.mistakes import Mistake, Model, as_model
from perfmodel.answers.words import pair, word

MAX_MEASUREMENTS = 1000


class NumberQuestion(Question):
    """Asks for a number."""

    kind = "number"

    def distance(self, answer: Any, expected: Any) -> float:
        """Return the largest relative error, of a table over its columns."""
        columns = table_columns(answer, expected)
        if columns is None:
            return math.inf if isinstance(expected, dict) else off(answer, expected)
        return max(off(answer[name], expected[name]) for name in columns)

    def hint(self, answer: Any, expected: Any) -> str:
        """Return what is wrong with the number, or with a table's first wrong column."""
        if isinstance(expected, dict):
            return table_hint(answer, expected, self.tolerance)
        return number_hint(answer, expected, self.tolerance)

    @staticmethod
    def wrong_form(form: Mapping[str, Any], answer: Any) -> str:
        """Return what keeps an answer from being one finite number, or ''."""
        return wrong_shape([], answer)


class ArrayQuestion(NumberQuestion):
    """Asks for an array, or a table of columns."""

    kind = "array"

    def form(self, expected: Any) -> dict[str, Any]:
        """Return the shape, of a table that of each column."""
        return {"kind": self.kind, "shape": _shape(expected)}

    @staticmethod
    def wrong_form(form: Mapping[str, Any], answer: Any) -> str:
        """Return where the shape is another one, or ''."""
        shape = form["shape"]
        if not isinstance(shape, dict):
            return wrong_shape(shape, answer)
        if not isinstance(answer, dict) or set(answer) != set(shape):
            return f"Give a dict with the keys {', '.join(shape)}."
        complaints = {name: wrong_shape(shape[name], answer[name]) for name in shape}
        return next((f"Column {name}: {said}" for name, said in complaints.items() if said), "")


def _shape(expected: Any) -> Any:
    """Return the shape of an array, or of each column of a table by its name."""
    if isinstance(expected, dict):
        return {name: _shape(part) for name, part in expected.items()}
    return list(np.shape(expected))


class ChoiceQuestion(Question):
    """Asks for a choice and the number that argues for it."""

    kind = "choice"

    def distance(self, answer: Any, expected: Any) -> float:
        """Return the relative error of the number; infinite for another choice."""
        chosen = pair(answer)
        if chosen is None or word(chosen[0]) != word(expected[0]):
            return math.inf
        return off(chosen[1], expected[1])

    def hint(self, answer: Any, expected: Any) -> str:
        """Return what is wrong with the pair, or with its number."""
        given = pair(answer)
        if complaint := self._wrong_choice(self.choices, given):
            return complaint
        assert given is not None
        if close(given[1], expected[1], self.tolerance):
            return "Your number is right, but it argues for another choice."
        return "First the number. " + number_hint(given[1], expected[1], self.tolerance)

    def numbers_of(self, value: Any) -> Any:
        """Return the number that argues for the choice."""
        return value[1]

    def mistake_of_number(self, answer: Any, known: Sequence[Any]) -> Mistake | None:
        """Return the one mistake that explains the number, whatever was chosen by it.

        `known` are the right answer and those of the mistakes, in order.
        """
        given = pair(answer)
        if given is None or self._wrong_choice(self.choices, given):
            return None
        explaining = [
            index
            for index, (_, number) in enumerate(known)
            if close(given[1], number, self.tolerance)
        ]
        single = len(explaining) == 1 and explaining[0]
        return self.mistakes[explaining[0] - 1] if single else None

    def form(self, expected: Any) -> dict[str, Any]:
        """Return the choices."""
        return {"kind": self.kind, "choices": list(self.choices)}

    @staticmethod
    def _wrong_choice(choices: Sequence[str], given: tuple[Any, Any] | None) -> str:
        if given is None:
            return BOTH
        if word(given[0]) not in {word(option) for option in choices}:
            return f"Choose one of: {', '.join(choices)}."
        return ""

    @staticmethod
    def wrong_form(form: Mapping[str, Any], answer: Any) -> str:
        """Return what keeps an answer from being a choice and a number, or ''."""
        given = pair(answer)
        complaint = ChoiceQuestion._wrong_choice(form["choices"], given)
        return complaint or (wrong_shape([], given[1]) if given else "")


@dataclass(frozen=True)
class FunctionQuestion(NumberQuestion):
    """Asks for a function, which is called with drawn inputs."""

    kind: ClassVar[str] = "function"
    personal: ClassVar[bool] = False
    properties: tuple[Property, ...] = ()
    cases: int = 12

    def _check(self) -> None:
        super()._check()
        require(self.cases >= 1, "cases", self.cases, "1 or more")
        claimed = sum(part.points for part in self.properties)
        require(claimed < self.points, "properties", claimed, "worth less than the question")
        unique("properties", [part.name for part in self.properties])


@dataclass(frozen=True)
class MeasuredQuestion(NumberQuestion):
    """Asks for what follows from the student's own measurements, handed in with them."""

    kind: ClassVar[str] = "measured"
    personal: ClassVar[bool] = False
    columns: tuple[str, ...] = ()
    least: int = 1
    """Measurements that it takes."""
    plausible: Callable[..., str] | None = None
    """Called with the columns, returns what is wrong with them or ''."""

    def handed_in_with(self, drawn: Mapping[str, Any], value: Any) -> Any:
        """Return the measurements with the answer that follows from them."""
        return {**drawn, "answer": super().handed_in_with(drawn, value)}

    def form(self, expected: Any) -> dict[str, Any]:
        """Return the columns, and how many measurements it takes."""
        return {"kind": self.kind, "columns": list(self.columns), "least": self.least}

    @staticmethod
    def wrong_form(form: Mapping[str, Any], answer: Any) -> str:
        """Return what is wrong with the table or its answer, or ''."""
        if complaint := wrong_table(form["columns"], form["least"], answer):
            return complaint
        complaint = wrong_shape([], answer["answer"])
        return f"answer: {complaint}" if complaint else ""


def wrong_table(columns: Sequence[str], least: int, answer: Any) -> str:
    """Return what is wrong with the form of measurements handed in, or ''."""
    wanted = [*columns, "answer"]
    have = answer if isinstance(answer, dict) else {}
    absent = [name for name in wanted if missing(have.get(name))]
    if absent:
        return f"Hand in a dict with {', '.join(wanted)}; not found: {absent[0]}."
    sizes = set()
    for name in columns:
        column = numbers(have[name])
        if column is not None and column.size > MAX_MEASUREMENTS:
            return f"Hand in {MAX_MEASUREMENTS} measurements at most."
        if column is None or column.ndim != 1 or not np.isfinite(column).all():
            return f"{name} must be a list of measured, finite numbers."
        sizes.add(column.size)
    if len(sizes) > 1:
        return "Every column must have the same number of measurements."
    if min(sizes) < least:
        return f"Measure {least} or more; these are {min(sizes)}."
    return ""


@takes_misconceptions
def function(
    id: str,
    title: str,
    *,
    reference: Model,
    inputs: Draw,
    points: float = 1,
    mistakes: Sequence[Mistake] = (),
    properties: Sequence[Property] = (),
    answer: str = "",
    tolerance: float = 1e-6,
    builds: str | Sequence[str] = (),
    cases: int = 12,
) -> Question:
    """Ask for a function; it must agree with `reference` on `cases` drawn inputs.

    `answer` is the function's name in the notebook (the reference's name where left out).
    `inputs` returns the arguments in order. The points that `properties` don't claim are earned
    by agreement on the drawn inputs, and no property counts without it.
    """
    name = answer or str(getattr(reference, "__name__", ""))
    built = (builds,) if isinstance(builds, str) else tuple(builds)
    return FunctionQuestion(
        *(id, title, reference, inputs, points, tuple(mistakes), name, tolerance),
        builds=built,
        properties=tuple(properties),
        cases=cases,
    )


@takes_misconceptions
def number(
    id: str,
    title: str,
    *,
    reference: Model | float,
    inputs: Inputs = None,
    points: float = 1,
    mistakes: Sequence[Mistake] = (),
    answer: str = "",
    tolerance: float = 0.01,
    unit: str = "",
    file: DataFile | str | None = None,
) -> Question:
    """Ask for a number computed from parameters, from a data file, or simply for a number.

    `inputs` draws each student's parameters, or holds the same ones for all; `reference` is called
    with them, behind the path of the data file where there is one, or is the number itself.
    """
    model, draw, wrong = as_model(reference), as_draw(inputs), tuple(mistakes)
    common = id, title, model, draw, points, wrong, answer or id, tolerance, unit, as_file(file)
    return NumberQuestion(*common)


@takes_misconceptions
def array(
    id: str,
    title: str,
    *,
    reference: Any,
    inputs: Inputs = None,
    points: float = 1,
    mistakes: Sequence[Mistake] = (),
    answer: str = "",
    tolerance: float = 0.01,
    unit: str = "",
    file: DataFile | str | None = None,
) -> Question:
    """Ask for an array, or for a table where the reference returns a dict of columns."""
    model, draw, wrong = as_model(reference), as_draw(inputs), tuple(mistakes)
    common = id, title, model, draw, points, wrong, answer or id, tolerance, unit, as_file(file)
    return ArrayQuestion(*common)


@takes_misconceptions
def choice(
    id: str,
    title: str,
    *,
    choices: Sequence[str],
    reference: Any,
    inputs: Inputs = None,
    points: float = 1,
    mistakes: Sequence[Mistake] = (),
    answer: str = "",
    tolerance: float = 0.01,
    unit: str = "",
    file: DataFile | str | None = None,
) -> Question:
    """Ask for a choice justified by a number: the reference returns `(choice, number)`."""
    require(len(set(choices)) > 1, "choices", choices, "two or more different texts")
    model, draw, wrong = as_model(reference), as_draw(inputs), tuple(mistakes)
    common = id, title, model, draw, points, wrong, answer or id, tolerance, unit, as_file(file)
    return ChoiceQuestion(*common, choices=tuple(choices))


@takes_misconceptions
def measured(
    id: str,
    title: str,
    *,
    columns: Sequence[str],
    reference: Model,
    example: Draw,
    least: int = 1,
    plausible: Callable[..., str] | None = None,
    points: float = 1,
    mistakes: Sequence[Mistake] = (),
    answer: str = "",
    tolerance: float = 0.02,
    unit: str = "",
) -> Question:
    """Ask for a model of the student's own measurements, handed in with them.

    `reference` is called with the measured `columns` (arrays) and returns the number that follows
    from them; `least` is how many it takes; `plausible` says what is wrong with data that can't be
    a measurement; `example` draws data of the right form, for the tests.
    """
    wrong = tuple(mistakes)
    return MeasuredQuestion(
        *(id, title, reference, example, points, wrong, answer or id, tolerance, unit),
        columns=tuple(columns),
        least=least,
        plausible=plausible,
    )
