"""One question as a bank declares it, whatever its kind."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from perfcourse.bank.errors import require, unique
from perfcourse.bank.files import DataFile
from perfcourse.bank.properties import Property
from perfmodel.answers.mistakes import Misconception, Model

Kind = Literal[
    "function", "number", "array", "choice", "measured", "text", "option", "plot", "parts"
]
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
class Question:
    """One question; build it with `function`, `number`, `plot` and so on."""

    id: str
    title: str
    kind: Kind
    reference: Model
    inputs: Draw
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
    parts: tuple[Question, ...] = ()
    """Of an answer of several parts: a question each, with points of its own."""
    file: DataFile | None = None
    """A data file that comes with the assignment; models are called with its path first."""

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
        require(self.cases >= 1, "cases", self.cases, "1 or more")
        of_parts = sum(part.points for part in self.properties)
        require(of_parts < self.points, "properties", of_parts, "worth less than the question")
        unique("misconceptions", [wrong.name for wrong in self.misconceptions])
        unique("hints", [wrong.hint for wrong in self.misconceptions])
        unique("properties", [part.name for part in self.properties])
        unique("parts", [part.id for part in self.parts])

    @property
    def personal(self) -> bool:
        """Whether `check.parameters` gives it parameters, which may be the same for all."""
        return self.kind not in ("function", "measured")

    @property
    def fixed(self) -> bool:
        """Whether its parameters are the same for everybody."""
        return isinstance(self.inputs, Fixed)

    @property
    def numeric(self) -> bool:
        """Whether numbers decide it, so that the tolerance matters."""
        return any(part.kind not in ("text", "option") for part in self.asked)

    @property
    def asked(self) -> tuple[Question, ...]:
        """What is judged one by one: its parts, or itself."""
        return self.parts or (self,)

    def within(self, folder: Path) -> Question:
        """Return the question with its data file looked for in `folder`."""
        if self.file is None:
            return self
        parts = tuple(part.within(folder) for part in self.parts)
        return replace(self, file=replace(self.file, folder=folder), parts=parts)
