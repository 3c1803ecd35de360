"""Question banks: every question of a topic, declared once.

From one declaration come the check in the notebook, the hidden grading, the feedback and the
tests. A bank is the value `bank` of `solutions/TOPIC.py`. A question in ten lines:

>>> from perfcourse.bank import Bank, Misconception, function
>>> question = function(
...     "q1", "Speedup by Amdahl's law", answer="speedup", points=4,
...     reference=lambda serial, n: 1 / (serial + (1 - serial) / n),
...     inputs=lambda rng: {"serial": rng.uniform(0.01, 0.9), "n": int(rng.integers(2, 64))},
...     misconceptions=[Misconception(
...         "scaled problem", lambda serial, n: n + (1 - n) * serial,
...         "That is Gustafson's law: there the problem grows with the machine.")],
... )
>>> Bank("demo", "A demonstration", [question]).points
4.0

- `function(...)`: the student writes a function; it is called with the drawn inputs by position.
- `number(...)`, `array(...)`: the student computes a number, or an array or table (a dict of
  columns, or a pandas DataFrame), from personal parameters: `check.parameters("q2")`.
- `choice(...)`: the student gives `("choice", number)`; both must be right.
- `measured(...)`: the student gives `{"column": measured values, ..., "answer": number}`; the
  reference is called with the student's own columns, so no machine's seconds are graded.

`inputs` draws from a seeded NumPy generator. For questions with parameters the draw is repeated
until every misconception's answer differs from the reference's and from every other's by three
times the tolerance: each mistake then has its own hint for every student.
Properties (`perfcourse.properties`) give a function's points in parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from perfcourse.misconceptions import (
    Accepted,
    Misconception,
    Model,
    by_place,
    mistakes,
    rounded,
)
from perfcourse.properties import Property

__all__ = [
    "Accepted",
    "Bank",
    "Misconception",
    "Model",
    "Question",
    "array",
    "by_place",
    "choice",
    "function",
    "measured",
    "mistakes",
    "number",
    "rounded",
]

Kind = Literal["function", "number", "array", "choice", "measured"]
Inputs = Callable[[np.random.Generator], dict[str, Any]]


@dataclass(frozen=True)
class Question:
    """One question; build it with `function`, `number`, `array`, `choice` or `measured`."""

    id: str
    title: str
    kind: Kind
    reference: Model
    inputs: Inputs
    points: float
    misconceptions: tuple[Misconception, ...]
    answer: str
    """The name in the notebook that holds the student's answer."""
    tolerance: float
    """Relative error still accepted."""
    properties: tuple[Property, ...] = ()
    choices: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()
    """What the package already offers and the student is to build: `perfmodel.scaling.amdahl`."""
    columns: tuple[str, ...] = ()
    least: int = 1
    """For measured data: so many measurements at least."""
    plausible: Callable[..., str] | None = None
    """For measured data: called with the columns, returns what is wrong with them or ''."""
    cases: int = 12
    unit: str = ""

    def __post_init__(self) -> None:
        """Refuse a question that could not be graded."""
        _require(re.fullmatch(r"[a-z][a-z0-9_]*", self.id), "id", self.id, "like q1 or q2_speedup")
        _require(self.answer.isidentifier(), "answer", self.answer, "a Python name")
        _require(self.points > 0, "points", self.points, "above 0")
        _require(0 < self.tolerance < 0.5, "tolerance", self.tolerance, "above 0 and below 0.5")
        _require(self.cases >= 1, "cases", self.cases, "1 or more")
        of_parts = sum(part.points for part in self.properties)
        _require(of_parts < self.points, "properties", of_parts, "worth less than the question")
        _unique(f"misconceptions of {self.id}", [wrong.name for wrong in self.misconceptions])
        _unique(f"hints of {self.id}", [wrong.hint for wrong in self.misconceptions])
        _unique(f"properties of {self.id}", [part.name for part in self.properties])


def function(
    id: str,
    title: str,
    *,
    reference: Model,
    inputs: Inputs,
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
    reference: Model,
    inputs: Inputs,
    points: float = 1,
    misconceptions: Sequence[Misconception] = (),
    answer: str = "",
    tolerance: float = 0.01,
    unit: str = "",
) -> Question:
    """Ask for a number computed from the student's own parameters, which `inputs` draws."""
    wrong, name = tuple(misconceptions), answer or id
    return Question(
        id, title, "number", reference, inputs, points, wrong, name, tolerance, unit=unit
    )


def array(
    id: str,
    title: str,
    *,
    reference: Model,
    inputs: Inputs,
    points: float = 1,
    misconceptions: Sequence[Misconception] = (),
    answer: str = "",
    tolerance: float = 0.01,
    unit: str = "",
) -> Question:
    """Ask for an array, or for a table where the reference returns a dict of columns."""
    wrong, name = tuple(misconceptions), answer or id
    return Question(
        id, title, "array", reference, inputs, points, wrong, name, tolerance, unit=unit
    )


def choice(
    id: str,
    title: str,
    *,
    choices: Sequence[str],
    reference: Model,
    inputs: Inputs,
    points: float = 1,
    misconceptions: Sequence[Misconception] = (),
    answer: str = "",
    tolerance: float = 0.01,
    unit: str = "",
) -> Question:
    """Ask for a choice justified by a number: the reference returns `(choice, number)`."""
    _require(len(set(choices)) > 1, "choices", choices, "two or more different texts")
    return Question(
        id,
        title,
        "choice",
        reference,
        inputs,
        points,
        tuple(misconceptions),
        answer or id,
        tolerance,
        choices=tuple(choices),
        unit=unit,
    )


def measured(
    id: str,
    title: str,
    *,
    columns: Sequence[str],
    reference: Model,
    example: Inputs,
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


@dataclass(frozen=True)
class Bank:
    """The questions of one topic, in the order in which they are asked."""

    topic: str
    title: str
    questions: Sequence[Question]
    accepted: Sequence[Accepted] = ()

    def __post_init__(self) -> None:
        """Refuse two questions that share an id or a name in the notebook."""
        _require(len(self.questions) > 0, "questions", [], "one or more")
        _unique("question ids", [question.id for question in self.questions])
        _unique("answer names", [question.answer for question in self.questions])

    def reason(self, question: str, first: str, second: str) -> str:
        """Return why two mistakes of a question may coincide, or ''."""
        pair = {first, second}
        reasons = (
            known.reason
            for known in self.accepted
            if known.question == question and {known.first, known.second} == pair
        )
        return next(reasons, "")

    @property
    def points(self) -> float:
        """The points that a perfect submission earns."""
        return float(sum(question.points for question in self.questions))

    def question(self, id: str) -> Question:
        """Return the question called `id`; a ValueError lists the ids there are."""
        for question in self.questions:
            if question.id == id:
                return question
        known = ", ".join(question.id for question in self.questions)
        raise ValueError(f"question must be one of {known}, got {id!r}")


def _require(fine: Any, name: str, value: Any, allowed: str) -> None:
    if not fine:
        raise ValueError(f"{name} must be {allowed}, got {value!r}")


def _unique(what: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{what} must differ from each other, got {twice[0]!r} twice")
