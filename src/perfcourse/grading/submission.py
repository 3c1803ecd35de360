"""Grade one submission: run it behind the wall, ask for its answers, judge them on this side."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from perfcourse.bank import Bank
from perfcourse.bank.parameters import parameters
from perfcourse.grading.notebook_answers import Asking, zero
from perfcourse.intake.cells import UnreadableError, code_cells, not_run, other_topic
from perfcourse.intake.submissions import Handin
from perfcourse.isolation.notebook import CellError, Notebook
from perfcourse.isolation.session import Session
from perfcourse.judge import Verdict
from perfcourse.judge.functions import PACKAGE_ONLY
from perfcourse.judge.result import MOST_ERRORS, Graded

NOT_SHOWN = (
    "Some code cells raised an error or ended their process. This exercise is graded with data "
    "that you haven't seen, so this page doesn't say which cells. Run the notebook from top to "
    "bottom with the file that came with it."
)
"""Replaces all errors where data is hidden: even which cells raise says something about it."""
NewSession = Callable[[bool, float], AbstractContextManager[Session]]
"""Starts a student's process: whether to hide the package's source, and the seconds that the
submission has used already."""


def grade(handin: Handin, bank: Bank, secret: str, new_session: NewSession) -> Graded:
    """Grade one submission; whatever it does, the result is a `Graded`.

    `secret` is the seed of the hidden inputs. A `BrokenError` says that the machinery failed: the
    submission is not graded and can be tried again.
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
    return f"Answers in text cells are not run: {names}. Make each a code cell and hand in again."


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
    """Run the notebook without what it is to build; where it may have missed that, again with it.

    What is to be built must be right without the package's own functions, which are gone before
    the notebook runs, source and all. Every other question may use the whole package. So each
    question is decided by one run alone, and each run has the whole time: the first decides what
    is to be built, the second everything else.
    """
    built = {question.id for question in bank.questions if question.builds}
    names = sorted({name for question in bank.questions for name in question.builds})
    drawn = _all_parameters(bank, student)
    with Notebook(cells, drawn, names, partial(new_session, bool(names))) as notebook:
        strict = _attempt_once(bank, student, secret, notebook)
        if not names or not _missed(notebook):
            return strict
    with Notebook(cells, drawn, (), partial(new_session, False)) as notebook:
        free = _attempt_once(bank, student, secret, notebook)
    verdicts = tuple(
        _of_built(without, with_all) if without.question in built else with_all
        for without, with_all in zip(strict.verdicts, free.verdicts, strict=True)
    )
    return replace(free, verdicts=verdicts, problem=free.problem or strict.problem)


def _of_built(strict: Verdict, free: Verdict) -> Verdict:
    """Return the verdict on what was to be built: what the run without the package's own earned.

    Where that is nothing, the other run says why, since less is missing there.
    """
    if strict.earned or strict.failed:
        return strict
    if free.earned:
        return replace(free, earned=0.0, message=PACKAGE_ONLY, parts=())
    return free


def _attempt_once(bank: Bank, student: str, secret: str, notebook: Notebook) -> _Attempt:
    verdicts = Asking(notebook, bank, student, secret).verdicts()
    errors, problem = _raised(notebook), notebook.problem
    if bank.hides:
        problem = " ".join(filter(None, (NOT_SHOWN if errors else "", notebook.ended)))
        errors = ()
    failed = [verdict.question for verdict in verdicts if verdict.failed]
    unjudged = f"The bank failed, not the student: see {', '.join(failed)}." if failed else ""
    return _Attempt(f"{problem} {unjudged}".strip(), verdicts, errors)


def _raised(notebook: Notebook) -> tuple[CellError, ...]:
    """Return the cells that raised or were left out, but not those that wait for an answer."""
    return tuple(error for error in notebook.errors if not _stub(error[1]))


def _missed(notebook: Notebook) -> bool:
    """Whether the notebook missed something that it was run without, or may have."""
    return bool(_raised(notebook) or notebook.problem) or notebook.touched()


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
