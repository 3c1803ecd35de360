"""Questions that are answered by a function or by numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from perfcourse.bank.errors import require
from perfcourse.bank.files import DataFile, as_file
from perfcourse.bank.properties import Property
from perfcourse.bank.question import Draw, Inputs, Question, as_draw
from perfmodel.answers.mistakes import Misconception, Model, as_model


def function(
    id: str,
    title: str,
    *,
    reference: Model,
    inputs: Draw,
    points: float = 1,
    misconceptions: Sequence[Misconception] = (),
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
    return Question(
        id,
        title,
        "function",
        reference,
        inputs,
        points,
        tuple(misconceptions),
        answer or str(getattr(reference, "__name__", "")),
        tolerance,
        properties=tuple(properties),
        builds=(builds,) if isinstance(builds, str) else tuple(builds),
        cases=cases,
    )


def number(
    id: str,
    title: str,
    *,
    reference: Model | float,
    inputs: Inputs = None,
    points: float = 1,
    misconceptions: Sequence[Misconception] = (),
    answer: str = "",
    tolerance: float = 0.01,
    unit: str = "",
    file: DataFile | str | None = None,
) -> Question:
    """Ask for a number computed from parameters, from a data file, or simply for a number.

    `inputs` draws each student's parameters, or holds the same ones for all; `reference` is called
    with them, behind the path of the data file where there is one, or is the number itself.
    """
    return Question(
        id,
        title,
        "number",
        as_model(reference),
        as_draw(inputs),
        points,
        tuple(misconceptions),
        answer or id,
        tolerance,
        unit=unit,
        file=as_file(file),
    )


def array(
    id: str,
    title: str,
    *,
    reference: Any,
    inputs: Inputs = None,
    points: float = 1,
    misconceptions: Sequence[Misconception] = (),
    answer: str = "",
    tolerance: float = 0.01,
    unit: str = "",
    file: DataFile | str | None = None,
) -> Question:
    """Ask for an array, or for a table where the reference returns a dict of columns."""
    return Question(
        id,
        title,
        "array",
        as_model(reference),
        as_draw(inputs),
        points,
        tuple(misconceptions),
        answer or id,
        tolerance,
        unit=unit,
        file=as_file(file),
    )


def choice(
    id: str,
    title: str,
    *,
    choices: Sequence[str],
    reference: Any,
    inputs: Inputs = None,
    points: float = 1,
    misconceptions: Sequence[Misconception] = (),
    answer: str = "",
    tolerance: float = 0.01,
    unit: str = "",
    file: DataFile | str | None = None,
) -> Question:
    """Ask for a choice justified by a number: the reference returns `(choice, number)`."""
    require(len(set(choices)) > 1, "choices", choices, "two or more different texts")
    return Question(
        id,
        title,
        "choice",
        as_model(reference),
        as_draw(inputs),
        points,
        tuple(misconceptions),
        answer or id,
        tolerance,
        choices=tuple(choices),
        unit=unit,
        file=as_file(file),
    )


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
    misconceptions: Sequence[Misconception] = (),
    answer: str = "",
    tolerance: float = 0.02,
    unit: str = "",
) -> Question:
    """Ask for a model of the student's own measurements, handed in with them.

    `reference` is called with the measured `columns` (arrays) and returns the number that follows
    from them; `least` is how many it takes; `plausible` says what is wrong with data that can't be
    a measurement; `example` draws data of the right form, for the tests.
    """
    return Question(
        id,
        title,
        "measured",
        reference,
        example,
        points,
        tuple(misconceptions),
        answer or id,
        tolerance,
        columns=tuple(columns),
        least=least,
        plausible=plausible,
        unit=unit,
    )
