"""A small task: a value or a function asked for, and what is said to each answer."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from perfmodel.answers.closeness import agrees, numbers
from perfmodel.answers.mistakes import Mistake
from perfmodel.answers.slips import slip
from perfmodel.tasks import record, source
from perfmodel.tasks.answers import complaint, short, unfilled
from perfmodel.tasks.box import Outcome, box
from perfmodel.tasks.relations import relation
from perfmodel.tasks.solution import shown
from perfmodel.tasks.source import Function
from perfmodel.tasks.variants import variants
from perfmodel.validation import positive

if TYPE_CHECKING:
    from perfmodel.live import Display

PATIENCE = 3.0
"""Seconds for which changes of the reference are tried on a wrong answer."""
DIGITS = 15
"""Of an argument: fewer may hide what a case is about."""
NOTHING = "Your function returns nothing: end it with `return`."


@dataclass(frozen=True, eq=False)
class Task:
    """A value or a function that the reader of a lab writes."""

    title: str
    reference: Function
    """The right one, written in the lab's module `tasks`: its source is shown as a way to do it."""
    cases: Sequence[tuple[Any, ...]] = ((),)
    """The arguments on which a function is tried; none, where a value is asked for."""
    mistakes: Sequence[Mistake] = ()
    hint: str = ""
    right: str = ""
    """What is said to the right answer: why it matters, in a sentence or two."""
    tolerance: float = 1e-6
    """Relative error up to which a number is right."""
    unit: str = ""
    """Of the numbers asked for."""

    def __post_init__(self) -> None:
        positive("tolerance", self.tolerance)
        if not self.title:
            raise ValueError("title must say what is asked for, got ''")
        if not self.cases or not all(isinstance(case, tuple) for case in self.cases):
            raise ValueError(f"cases must be tuples of arguments, got {self.cases!r}")

    @property
    def lab(self) -> str:
        """The lab that declares the task, as TOPIC/LAB; empty for one declared elsewhere."""
        return lab_of(self.reference)

    def check(self, answer: Any) -> Display:
        """Return what is to be said to a value or function, and record it unless it is open.

        What is wrong with it is said and never raised.
        """
        return answered(self, self.judge(answer), answer, "fill in the line")

    def judge(self, answer: Any) -> Outcome:
        """Return how `answer`, a value or a function, stands; nothing is recorded."""
        if unfilled(answer):
            return Outcome("open")
        if callable(answer) == self._asks_value:
            what = "the value itself, not a function" if self._asks_value else "a function"
            return Outcome("wrong", f"Give {what}; this is {short(answer)}.")
        if self._asks_value:
            return self._compared([answer])
        results = []
        for case in self.cases:
            try:
                results.append(answer(*separate(case)))
            except Exception as error:  # whatever a student's code raises is told to the student
                return self._raised(error, answer, case)
        if all(map(unfilled, results)):
            nothing = None in results and not source.is_stub(answer)
            return Outcome("open", NOTHING if nothing else "")
        return self._compared(results)

    def verify(self) -> None:
        """Check the task itself, as the tests do for all labs.

        The reference must be right on its own cases, and no mistake may give what it or another one
        does.
        """
        wanting = [name for name in ("hint", "right") if not getattr(self, name)]
        if wanting:
            raise ValueError(f"{wanting[0]} must say something, got ''")
        rights = self._results(self.reference)
        if self._compared(rights).state != "right":
            raise ValueError(f"reference must return the same finite values, got {rights!r}")
        named = [("the reference", rights)]
        named += [(mistake.name, self._results(mistake.model)) for mistake in self.mistakes]
        for (one, first), (other, second) in combinations(named, 2):
            if self._all_agree(first, second):
                raise ValueError(f"cases must tell {other!r} from {one!r}, got {self.cases!r}")

    @property
    def _asks_value(self) -> bool:
        return not any(self.cases)

    def _results(self, model: Function) -> list[Any]:
        with np.errstate(all="ignore"):
            return [model(*separate(case)) for case in self.cases]

    def _all_agree(self, answers: list[Any], rights: list[Any]) -> bool:
        pairs = zip(answers, rights, strict=True)
        return all(agrees(answer, right, self.tolerance) for answer, right in pairs)

    def _compared(self, answers: list[Any]) -> Outcome:
        rights = self._results(self.reference)
        if self._all_agree(answers, rights):
            return Outcome("right", self.right)
        for mistake in self.mistakes:
            if self._all_agree(answers, self._results(mistake.model)):
                return Outcome("wrong", mistake.hint)
        said = slip(answers, rights, self.tolerance, self.unit)
        said = said or self._by_column(answers, rights) or self._related(answers, rights)
        said = said or self._varied(answers)
        return Outcome("wrong", said or self._first(answers, rights))

    def _by_column(self, answers: list[Any], rights: list[Any]) -> str:
        """Return what is said to tables, or tuples, in which several things are wrong at once.

        Each column is compared with the same column of every known mistake: no single mistake gives
        a table with two mistakes in two columns.
        """
        given, right = _columns(answers), _columns(rights)
        if given is None or right is None or set(given) != set(right):
            return ""
        mistaken = [(m, _columns(self._results(m.model))) for m in self.mistakes]
        said: dict[str, list[str]] = {}
        for key in right:
            if self._all_agree(given[key], right[key]):
                continue
            hint = next(
                (
                    mistake.hint
                    for mistake, table in mistaken
                    if table is not None
                    and key in table
                    and self._all_agree(given[key], table[key])
                    and not self._all_agree(table[key], right[key])
                ),
                "",
            )
            hint = hint or slip(given[key], right[key], self.tolerance, self.unit)
            hint = hint or self._related(given[key], right[key])
            said.setdefault(hint, []).append(str(key))
        if set(said) == {""}:
            return ""
        rest = [f"Not right yet: {', '.join(said.pop(''))}."] if "" in said else []
        return " ".join([*(f"{', '.join(keys)}: {why}" for why, keys in said.items()), *rest])

    def _related(self, answers: list[Any], rights: list[Any]) -> str:
        """Return the one rule that leads from the right numbers to those given, or nothing."""
        names = list(inspect.signature(self.reference).parameters)
        cases = [dict(zip(names, case, strict=False)) for case in self.cases]
        return relation(answers, rights, cases, self.tolerance, self.unit)

    def _varied(self, answers: list[Any]) -> str:
        """Return the one change of the reference that leads to the answers, or nothing."""
        begun = time.monotonic()
        for change, model in variants(self.reference):
            if time.monotonic() - begun > PATIENCE:
                return ""
            try:
                found = self._results(model)
            except Exception:
                continue
            if self._all_agree(answers, found):
                return f"The right formula gives your numbers {change}: check that part."
        return ""

    def _first(self, answers: list[Any], rights: list[Any]) -> str:
        """Return which case differs first, with what went in and what came out."""
        triples = zip(self.cases, answers, rights, strict=True)
        case, answer, right = next(t for t in triples if not agrees(t[1], t[2], self.tolerance))
        value, why = f"{short(answer)} {self.unit}".strip(), complaint(answer, right)
        tail = f": {why}." if why else _direction(answer, right)
        if self._asks_value:
            return f"You gave {value}{tail}"
        some = sum(agrees(a, r, self.tolerance) for a, r in zip(answers, rights, strict=True))
        head = f"In {some} of {len(answers)} cases the right value comes out. " if some else ""
        return f"{head}For {self._inputs(case)} your function gives {value}{tail}"

    def _inputs(self, case: tuple[Any, ...]) -> str:
        names = list(inspect.signature(self.reference).parameters)
        return ", ".join(f"{n} = {short(a, DIGITS)}" for n, a in zip(names, case, strict=False))

    def _raised(self, error: Exception, function: Function, case: tuple[Any, ...]) -> Outcome:
        if isinstance(error, TypeError) and "ellipsis" in str(error):
            return Outcome("open")
        place = source.where(error, function)
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        if isinstance(error, ArithmeticError | LookupError):
            said += f" for {self._inputs(case)}"
        if any(isinstance(argument, np.ndarray) for argument in case):
            said += " (whole arrays come in)"
        return Outcome("wrong", f"{said}; {place}." if place else f"{said}.")


def separate(case: tuple[Any, ...]) -> list[Any]:
    """Return copies of a case's arguments, none of which shares its memory with another."""
    return [deepcopy(argument) for argument in case]


def _columns(values: Sequence[Any]) -> dict[Any, list[Any]] | None:
    """Return a list of tables, or of tuples of one length, as the list of values of each column."""
    if all(isinstance(value, Mapping) for value in values):
        rows = [dict(value) for value in values]
    elif all(isinstance(value, tuple) for value in values):
        rows = [dict(enumerate(value, 1)) for value in values]
    else:
        return None
    keys = list(rows[0])
    if any(set(row) != set(keys) for row in rows):
        return None
    return {key: [row[key] for row in rows] for key in keys}


def _direction(answer: Any, right: Any) -> str:
    """Return in which direction one number is off, without the right one."""
    mine, theirs = numbers(answer), numbers(right)
    if mine is None or theirs is None or mine.size != 1 or not np.isfinite(theirs).all():
        return "; another value is right."
    low = bool(mine.item() < theirs.item())
    far = theirs.item() and not 0.1 <= mine.item() / theirs.item() <= 10
    return f"; that is {'far ' * bool(far)}too {'low' if low else 'high'}."


def lab_of(function: Function) -> str:
    """Return the lab whose module holds a function, as TOPIC/LAB, or nothing."""
    found = re.match(r"perfmodel\.labs\.(\w+)\.(\w+)", function.__module__ or "")
    return "/".join(found.groups()) if found else ""


def answered(task: Any, outcome: Outcome, answer: Any, todo: str) -> Display:
    """Record an outcome of `task`, unless nothing is done yet, and return its box."""
    note = ""
    if task.lab and outcome.state != "open":
        note = record.keep(task.lab, task.title, outcome.state == "right", outcome.said)
    name = getattr(answer, "__name__", "")
    way = shown(task.reference, "" if name == "<lambda>" else name)
    return box(task.title, outcome, task.hint, way, todo, note)
