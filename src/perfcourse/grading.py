"""Grade one submission: run it behind the wall, ask for its answers, judge them on this side."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from typing import Any

from perfcourse.alone import ANYONE
from perfcourse.bank import Bank, Question
from perfcourse.draws import parameters, shown
from perfcourse.hints import PACKAGE_ONLY
from perfcourse.intake.fingerprints import fingerprints
from perfcourse.intake.submissions import Handin, UnreadableError, code_cells
from perfcourse.isolation.warm import BrokenError, Session, StoppedError
from perfcourse.judge import Part, Verdict, judge
from perfcourse.properties import AnswerError, Ask

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
    errors: tuple[tuple[int, str, str], ...] = ()
    """Code cells that raised: number (from 1), type of the error, message."""
    prints: tuple[str, ...] = ()
    """A fingerprint of each code cell, for similarity."""
    seconds: float = 0.0
    broken: bool = False
    """Whether the grader's own machinery failed; such a result is never kept."""

    @property
    def earned(self) -> float:
        """Points earned."""
        return float(sum(verdict.earned for verdict in self.verdicts))

    @property
    def points(self) -> float:
        """Points that could be earned."""
        return float(sum(verdict.points for verdict in self.verdicts))


def as_record(graded: Graded) -> dict[str, Any]:
    """Return the result as JSON-ready data."""
    return asdict(graded)


def from_record(record: dict[str, Any]) -> Graded:
    """Rebuild a result from `as_record`."""
    verdicts = tuple(
        Verdict(**{**verdict, "parts": tuple(Part(**part) for part in verdict["parts"])})
        for verdict in record["verdicts"]
    )
    errors = tuple((int(n), str(kind), str(text)) for n, kind, text in record["errors"])
    return Graded(
        **{**record, "verdicts": verdicts, "errors": errors, "prints": tuple(record["prints"])}
    )


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
    perfcourse.isolation.warm.BrokenError
        The machinery failed; the submission is not graded and can be tried again.
    """
    started = time.monotonic()
    who = handin.name, handin.student, handin.digest
    try:
        if handin.problem:
            raise UnreadableError(handin.problem)
        cells = code_cells(handin.data, handin.file_name)
    except UnreadableError as error:
        return Graded(*who, str(error), _zeros(bank))
    attempt = _attempt(bank, cells, handin.student, secret, new_session)
    prints = fingerprints(cells)
    seconds = round(time.monotonic() - started, 3)
    return Graded(*who, attempt.problem, attempt.verdicts, attempt.errors, prints, seconds)


def failed(handin: Handin, bank: Bank, why: str) -> Graded:
    """Return the result of a submission on which the grader itself failed; it is not stored."""
    problem = f"The grader failed, not the student; grade again. ({why[:200]})"
    return Graded(handin.name, handin.student, "", problem, _zeros(bank), broken=True)


@dataclass(frozen=True)
class _Attempt:
    """What came of running a notebook once."""

    problem: str
    verdicts: tuple[Verdict, ...]
    errors: tuple[tuple[int, str, str], ...]
    touched: bool = False
    """Whether it used what is to be built, or may have."""


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
    with new_session(bool(names), 0.0) as session:
        strict = _attempt_once(bank, cells, student, secret, session, names)
    if not strict.touched:
        return strict
    with new_session(False, time.monotonic() - started) as session:
        free = _attempt_once(bank, cells, student, secret, session, ())
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


def _attempt_once(
    bank: Bank,
    cells: list[str],
    student: str,
    secret: str,
    session: Session,
    withheld: Sequence[str],
) -> _Attempt:
    """Run the notebook and judge its answers.

    Values are asked for before any function is called, so that no function can put its hidden
    inputs where the feedback on another answer would show them.
    """
    problem, errors = _run(session, cells, _all_parameters(bank, student), withheld)
    judged = {
        question.id: _verdict(session, bank.topic, question, student, secret)
        for question in sorted(bank.questions, key=lambda question: question.kind == "function")
    }
    verdicts = tuple(judged[question.id] for question in bank.questions)
    touched = bool(withheld) and _touched(session, errors)
    return _Attempt(problem or session.stopped, verdicts, errors, touched)


def _touched(session: Session, errors: tuple[tuple[int, str, str], ...]) -> bool:
    """Whether the notebook missed something that it was run without."""
    try:
        return any(kind in _MISSED for _, kind, _ in errors) or session.touched()
    except StoppedError:
        return False


_MISSED = {"OSError", "FileNotFoundError", "ImportError", "ModuleNotFoundError"}


def _run(
    session: Session, cells: list[str], drawn: dict[str, Any], withheld: Sequence[str] = ()
) -> tuple[str, tuple[tuple[int, str, str], ...]]:
    try:
        results = session.run(cells, drawn, withheld)
    except StoppedError as stopped:
        return str(stopped), ()
    errors = ((place + 1, *error) for place, error in enumerate(results) if error is not None)
    return "", tuple((n, kind, text) for n, kind, text in errors if not _stub(kind))


def _stub(kind: str) -> bool:
    return kind == "NotImplementedError"


def _all_parameters(bank: Bank, student: str) -> dict[str, Any]:
    return {
        question.id: shown(parameters(bank.topic, question, student))
        for question in bank.questions
        if question.kind in ("number", "array", "choice")
    }


def _verdict(
    session: Session, topic: str, question: Question, student: str, secret: str
) -> Verdict:
    try:
        found = session.get(question.answer)
        if found.get("missing"):
            return _zero(question, f"Nothing called {question.answer} was found in the notebook.")
        if question.kind == "function":
            if found.get("callable") is not True:
                return _zero(question, f"{question.answer} is not a function.")
            return judge(topic, question, _ask(session, question), student, secret)
        if "error" in found:
            return _zero(question, f"{question.answer} can't be read as plain numbers.")
        verdict = judge(topic, question, found.get("value"), student, secret)
        return (
            verdict if verdict.earned else _told_whose(session, topic, question, student, verdict)
        )
    except StoppedError as stopped:
        return _zero(question, str(stopped))
    except BrokenError:
        raise
    except Exception as error:
        return _zero(question, f"This answer could not be judged ({type(error).__name__}).")


def _ask(session: Session, question: Question) -> Ask:
    late: list[AnswerError] = []

    def ask(*arguments: Any) -> Any:
        if late:
            raise late[0]
        reply = session.call(question.answer, arguments)
        if "value" in reply:
            return reply["value"]
        error = reply.get("error")
        if not isinstance(error, list) or len(error) != 2:
            raise AnswerError("TypeError", "no answer")
        found = AnswerError(str(error[0]), str(error[1]))
        late.extend([found] if found.kind == "OutOfTimeError" else [])
        raise found

    return ask


def _told_whose(
    session: Session, topic: str, question: Question, student: str, verdict: Verdict
) -> Verdict:
    """Say so where a wrong number is right for practice, or for the id that the notebook names."""
    claimed = session.get("STUDENT").get("value")
    answer = session.get(question.answer).get("value")
    for whose in (claimed, ANYONE):
        if not isinstance(whose, str) or whose == student:
            continue
        if judge(topic, question, answer, whose).earned:
            return _zero(
                question,
                f"This answer is for the parameters of {whose[:80]!r}, but was handed in by "
                f"{student[:80]!r}. Set STUDENT to your own id, and compute the answer from "
                "check.parameters(...) instead of typing it.",
            )
    return verdict


def _zero(question: Question, message: str) -> Verdict:
    return Verdict(question.id, 0.0, float(question.points), message, answered=False)


def _zeros(bank: Bank) -> tuple[Verdict, ...]:
    return tuple(_zero(question, "Not graded.") for question in bank.questions)
