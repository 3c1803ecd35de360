"""A question as a bank declares it; each kind of question is a class of its own, made from this."""

from __future__ import annotations

import copy
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from perfcourse.bank.errors import require, unique
from perfcourse.bank.files import DataFile
from perfcourse.kernel.plain import plain
from perfmodel.answers.mistakes import Mistake, Model

Draw = Callable[[np.random.Generator], dict[str, Any]]
Inputs = Draw | Mapping[str, Any] | None
"""Draws parameters; or the same ones for all; or, where it is None, there are none."""


@dataclass(frozen=True, eq=False)
class Fixed:
    """Draws the same parameters for everybody.

    >>> Fixed({"n": 8})(np.random.default_rng())
    {'n': 8}
    """

    values: Mapping[str, Any]

    def __call__(self, rng: np.random.Generator) -> dict[str, Any]:
        """Return a copy of them."""
        return copy.deepcopy(dict(self.values))


def as_draw(inputs: Inputs) -> Draw:
    """Return how a question's parameters are drawn."""
    return inputs if callable(inputs) else Fixed(inputs or {})


@dataclass(frozen=True)
class Question(ABC):
    """One question, made by `function`, `number`, `plot` and so on; a subclass for each kind.

    A subclass says how far an answer is from what a model returned, what a good teacher says to a
    wrong one, and what a released notebook may know of the right one's form.
    """

    kind: ClassVar[str]
    """Its name in released notebooks."""
    personal: ClassVar[bool] = True
    """Whether `check.parameters` gives it parameters, which may be the same for all."""
    is_choice: ClassVar[bool] = False
    """Whether a mistake is one only for whom another choice is right, and models may agree."""

    id: str
    title: str
    reference: Model
    inputs: Draw
    points: float
    mistakes: tuple[Mistake, ...]
    answer: str
    """The name in the notebook that holds the student's answer."""
    tolerance: float
    """Relative error still accepted."""
    unit: str = ""
    file: DataFile | None = None
    """A data file that comes with the assignment; models are called with its path first."""
    choices: tuple[str, ...] = ()
    parts: tuple[Question, ...] = ()
    """Of an answer of several parts: a question each, with points of its own."""
    builds: tuple[str, ...] = ()
    """What the package already offers and the student is to build: `perfmodel.scaling.amdahl`."""

    def __post_init__(self) -> None:
        """Refuse a question that could not be graded."""
        try:
            self._check()
        except ValueError as error:
            raise ValueError(f"question {self.id}: {error}") from None

    def _check(self) -> None:
        require(re.fullmatch(r"[a-z][a-z0-9_]*", self.id), "id", self.id, "like q1 or q2_speedup")
        require(self.answer.isidentifier(), "answer", self.answer, "a Python name")
        require(self.points > 0, "points", self.points, "above 0")
        require(0 < self.tolerance < 0.5, "tolerance", self.tolerance, "above 0 and below 0.5")
        unique("mistakes", [wrong.name for wrong in self.mistakes])
        unique("hints", [wrong.hint for wrong in self.mistakes])

    @property
    def fixed(self) -> bool:
        """Whether its parameters are the same for everybody."""
        return isinstance(self.inputs, Fixed)

    @property
    def numeric(self) -> bool:
        """Whether numbers decide it, so that the tolerance matters."""
        return not self.parts or any(part.numeric for part in self.parts)

    @property
    def asked(self) -> tuple[Question, ...]:
        """What is judged one by one: its parts, or itself."""
        return self.parts or (self,)

    def within(self, folder: Path) -> Self:
        """Return the question with its data file looked for in `folder`."""
        if self.file is None:
            return self
        parts = tuple(part.within(folder) for part in self.parts)
        return replace(self, file=replace(self.file, folder=folder), parts=parts)

    @abstractmethod
    def distance(self, answer: Any, expected: Any) -> float:
        """Return the largest relative error; infinite for another word, choice, or other columns.

        `answer` is plain data, `expected` what a model returned.
        """

    def same(self, answer: Any, expected: Any) -> bool:
        """Whether a plain answer equals what a model returned, within the tolerance."""
        return self.distance(answer, expected) <= self.tolerance * (1 + 1e-9)

    @abstractmethod
    def hint(self, answer: Any, expected: Any) -> str:
        """Return what to say to an answer that is neither right nor a known mistake's."""

    def handed_in(self, value: Any) -> Any:
        """Return the answer of a student who thinks that what a model returned is right."""
        return value

    def handed_in_with(self, drawn: Mapping[str, Any], value: Any) -> Any:
        """Return the same, as plain data, with what was `drawn` where that is handed in, too."""
        return self.handed_in(plain(value))

    def model_value(self, value: Any) -> Any:
        """Return what a model returned as the judge compares it, which is plain data."""
        return plain(value)

    def numbers_of(self, value: Any) -> Any:
        """Return the numbers of what a model returned in which slips are looked for, or None."""
        return value

    def form(self, expected: Any) -> dict[str, Any]:
        """Return what a released notebook may know of the right answer."""
        return {"kind": self.kind}

    @staticmethod
    @abstractmethod
    def wrong_form(form: Mapping[str, Any], answer: Any) -> str:
        """Return what is wrong with the form of a plain answer, or ''."""


def table_columns(answer: Any, expected: Any) -> Sequence[str] | None:
    """Return the columns of a table, None where the answer has others or is no table."""
    fits = isinstance(answer, dict) and isinstance(expected, dict) and set(answer) == set(expected)
    return list(expected) if fits else None
