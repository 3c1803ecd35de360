"""Grade one submission: run it behind the wall, ask for its answers, judge them on this side."""

from __future__ import annotations

import builtins
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from perfcourse.asking import Asking, zero
from perfcourse.bank import Bank
from perfcourse.draws import parameters
from perfcourse.hints import PACKAGE_ONLY
from perfcourse.intake.cells import UnreadableError, code_cells, not_run, other_topic
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.notebook import STOPPED, CellError, Notebook
from perfcourse.isolation.session import Session
from perfcourse.judge import Part, Verdict

FEW = 5
"""So many cells' errors are told where data is hidden, since even which cells raise says something
of it."""
NewSession = Callable[[bool, float], AbstractContextManager[Session]]
"""Starts a student's process: whether to hide the package's source, and the seconds that the
submission has used already."""


@dataclass(frozen=True)
class Graded:
    """What became of one submission; plain data, so it travels and is stored as JSON."""

    name: str
    student: str
    digest: str
    """SHA-256 of the file, empty where there was none to read."""
    problem: str
    """Why nothing, or not everything, could be graded; empty where all went well."""
    verdicts: tuple[Verdict, ...]
    errors: tuple[CellError, ...] = ()
    """Code cells that raised: number (from 1), type of the error, message."""
    seconds: float = 0.0
    broken: bool = False
    """Whether the grader's own machinery failed; such a result is never kept."""
    readable: bool = True
    """Whether there was a notebook to grade."""

    @property
    def earned(self) -> float:
        """Points earned."""
        return float(sum(verdict.earned for verdict in self.verdicts))

    @property
    def decided(self) -> bool:
        """Whether the points are a grade: there was a notebook, and every question was judged."""
        judged = not any(verdict.failed for verdict in self.verdicts)
        return self.readable and not self.broken and judged

    @property
    def points(self) -> float:
        """Points that could be earned."""
        return float(sum(verdict.points for verdict in self.verdicts))


def as_record(graded: Graded) -> dict[str, Any]:
    """Return the result as JSON-ready data; not by `asdict`, which copies every text of it."""
    verdicts = [
        {**vars(verdict), "parts": [{**vars(part)} for part in verdict.parts]}
        for verdict in graded.verdicts
    ]
    return {**vars(graded), "verdicts": verdicts, "errors": list(graded.errors)}


def from_record(record: dict[str, Any]) -> Graded:
    """Rebuild a result from `as_record`."""
    verdicts = tuple(
        Verdict(**{**verdict, "parts": tuple(Part(**part) for part in verdict["parts"])})
        for verdict in record["verdicts"]
    )
    errors = tuple((int(n), str(kind), str(text)) for n, kind, text in record["errors"])
    return Graded(**{**record, "verdicts": verdicts, "errors": errors})


MOST_ERRORS = 50
"""So many cells' errors are kept; a notebook may have any number of cells."""


def grade(handin: Handin, bank: Bank, secret: str, new_session: NewSession) -> Graded:
    """Grade one submission; whatever it does, the result is a `Graded`.

    Parameters
    ----------
    handin : Handin
        What was handed in.
    bank : Bank
        The questions, which never leave this process.
    secret : str
        Seed of the hidden inputs.
    new_session : callable
        Starts a student's process behind the wall.

    Raises
    ------
    perfcourse.isolation.session.BrokenError
        The machinery failed; the submission is not graded and can be tried again.
    """
    started = time.monotonic()
    who = handin.name, handin.student, handin.digest
    try:
        if handin.problem:
            raise UnreadableError(handin.problem)
        cells = code_cells(handin.data, handin.file_name)
        if other := other_topic(cells, bank.topic):
            raise UnreadableError(f"This is the exercise on {other}, not the one on {bank.topic}.")
    except UnreadableError as error:
        return Graded(*who, str(error), _zeros(bank), readable=False)
    attempt = _attempt(bank, cells, handin.student, secret, new_session)
    if text := not_run(handin.data, [question.answer for question in bank.questions]):
        attempt = replace(attempt, problem=f"{attempt.problem} {_in_text(text)}".strip())
    seconds = round(time.monotonic() - started, 3)
    errors = attempt.errors[:MOST_ERRORS]
    return Graded(*who, attempt.problem, attempt.verdicts, errors, seconds)


def _in_text(answers: Mapping[str, str]) -> str:
    """Return what to do about answers in cells of text."""
    names = ", ".join(f"{name} ({kind})" for name, kind in answers.items())
    return f"In a cell of text, so not run: {names}. Make it a code cell and hand in again."


def failed(handin: Handin, bank: Bank, why: str) -> Graded:
    """Return the result of a submission on which the grader itself failed; it is not stored."""
    problem = f"The grader failed, not the student; grade again. ({why[:200]})"
    who = handin.name, handin.student, handin.digest
    return Graded(*who, problem, _zeros(bank), broken=True)


@dataclass(frozen=True)
class _Attempt:
    """What came of running a notebook once."""

    problem: str
    verdicts: tuple[Verdict, ...]
    errors: tuple[CellError, ...]


def _attempt(
    bank: Bank, cells: list[str], student: str, secret: str, new_session: NewSession
) -> _Attempt:
    """Run the notebook without what it is to build; where it calls that, once more with it.

    What is to be built must be right without the package's own functions, which are gone before
    the notebook runs, source and all. Every other question may use the whole package. Both runs
    together have the time of one.
    """
    started = time.monotonic()
    built = {question.id for question in bank.questions if question.builds}
    names = sorted({name for question in bank.questions for name in question.builds})
    drawn = _all_parameters(bank, student)
    with Notebook(cells, drawn, names, partial(new_session, bool(names))) as notebook:
        strict = _attempt_once(bank, student, secret, notebook)
        if not names or not _touched(notebook):
            return strict
    spent = time.monotonic() - started

    def start(more: float) -> AbstractContextManager[Session]:
        return new_session(False, spent + more)

    with Notebook(cells, drawn, (), start, notebook.left_out) as notebook:
        free = _attempt_once(bank, student, secret, notebook)
    verdicts = tuple(
        max(_only(with_all, built), own, key=lambda verdict: verdict.earned)
        for own, with_all in zip(strict.verdicts, free.verdicts, strict=True)
    )
    return replace(free, verdicts=verdicts, problem=free.problem or strict.problem)


def _only(verdict: Verdict, built: set[str]) -> Verdict:
    """Give nothing for what is right only with the package's own function."""
    if verdict.question not in built or not verdict.earned:
        return verdict
    return replace(verdict, earned=0.0, message=PACKAGE_ONLY, parts=())


def _attempt_once(bank: Bank, student: str, secret: str, notebook: Notebook) -> _Attempt:
    verdicts = Asking(notebook, bank, student, secret).verdicts()
    errors = tuple(error for error in notebook.errors if not _stub(error[1]))
    errors = tuple(map(_discreet, errors[:FEW])) if bank.hides else errors
    failed = [verdict.question for verdict in verdicts if verdict.failed]
    unjudged = f"The bank failed, not the student: see {', '.join(failed)}." if failed else ""
    return _Attempt(f"{notebook.problem} {unjudged}".strip(), verdicts, errors)


def _discreet(error: CellError) -> CellError:
    """Return a cell's error without what it could tell of data that the student doesn't know."""
    number, kind, text = error
    known = isinstance(getattr(builtins, kind, None), type) or kind == STOPPED
    return number, kind if known else "Exception", text if kind == STOPPED else ""


def _touched(notebook: Notebook) -> bool:
    """Whether the notebook missed something that it was run without, or may have."""
    return any(kind in _MISSED for _, kind, _ in notebook.errors) or notebook.touched()


_MISSED = {"OSError", "FileNotFoundError", "ImportError", "ModuleNotFoundError"}


def _stub(kind: str) -> bool:
    return kind == "NotImplementedError"


def _all_parameters(bank: Bank, student: str) -> dict[str, Any]:
    return {
        question.id: parameters(bank.topic, question, student)
        for question in bank.questions
        if question.personal
    }


def _zeros(bank: Bank) -> tuple[Verdict, ...]:
    return tuple(zero(question, "Not graded.") for question in bank.questions)
