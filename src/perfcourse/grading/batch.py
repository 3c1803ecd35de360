"""A grading run: submissions in, journal and reports out; stopped and resumed at will."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.bank.loader import load
from perfcourse.gradebook.grade import Grade, grade_of
from perfcourse.gradebook.lateness import Deadline
from perfcourse.gradebook.marks import COLUMNS, NAME as MARKS, Mark, read_marks
from perfcourse.gradebook.notes import notes
from perfcourse.grading.cache_key import fingerprint
from perfcourse.grading.engine import Settings
from perfcourse.grading.interrupts import deferred
from perfcourse.grading.journal import Journal
from perfcourse.grading.lock import held
from perfcourse.grading.preload import imported, wanted
from perfcourse.intake.collection import BY_NAME, NOTHING, Collected, Sources, collect
from perfcourse.intake.submissions import Handin, Submission, opened
from perfcourse.isolation.libraries import versions
from perfcourse.judge.result import Graded
from perfcourse.release.assignment import handed_out
from perfcourse.release.secret import kept_secret
from perfcourse.report.files import write
from perfcourse.report.gradebooks import gradebooks
from perfcourse.report.tables import contested, table
from perfcourse.report.write import write_reports

Engine = Callable[[Iterable[Handin], Settings], Iterator[Graded]]


@dataclass(frozen=True)
class Batch:
    """What a run did: every result in the order of the submissions, and how many were new."""

    results: tuple[Grade, ...]
    graded_now: int
    changed: tuple[str, ...]
    """What differs from the last run's results, a line each."""
    collected: Collected = NOTHING
    """What the results are of, and what isn't there."""
    remarks: tuple[str, ...] = ()
    """What to know before the gradebook and the feedback go back to the platform."""
    notes: tuple[str, ...] = ()
    """On lateness and points by hand, a sentence each."""


def run(
    folder: Path,
    out: Path,
    settings: Settings,
    engine: Engine,
    *,
    sources: Sources = BY_NAME,
    column: str = "",
    deadline: Deadline | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Batch:
    """Grade what is in `folder` and not yet in the journal of `out`; write all reports to `out`.

    Points by hand in `OUT/by-hand.csv` are checked first; where there is none, it is made, empty.
    `sources` says whose a file is and when it was handed in; `column` is the assignment's in the
    platform's gradebook, by default the one of its name. `progress` is told how many are done, of
    how many. What can't be taken as it is, is refused before grading; after KeyboardInterrupt the
    journal has what was graded until then.
    """
    with held(out):
        bank = load(Path(settings.bank), try_models=True)
        collected = collect(folder, bank.topic, sources.beside(out))
        gradebooks((), bank, collected, column)  # what it refuses, it refuses before the grading
        marks = _marks(out, bank, collected)
        collected = _with_marked(collected, marks)
        results, graded_now = _results(collected.submissions, out, settings, engine, progress)
        grades = _grades(results, collected.submissions, marks, deadline)
        protections = settings.sandbox().protections
        stub = handed_out(Path(settings.bank), bank)
        written = write_reports(out, bank, grades, protections, collected, column=column, stub=stub)
        _write_files(out, grades, collected)
        remarks = tuple(notes(grades, deadline.extensions if deadline else ()))
        return Batch(grades, graded_now, written.changed, collected, written.remarks, remarks)


def _grades(
    results: Sequence[Graded],
    submissions: Sequence[Submission],
    marks: Sequence[Mark],
    deadline: Deadline | None,
) -> tuple[Grade, ...]:
    return tuple(
        grade_of(graded, marks, deadline, submission.handed_in)
        for graded, submission in zip(results, submissions, strict=True)
    )


def _marks(out: Path, bank: Bank, collected: Collected) -> tuple[Mark, ...]:
    """Return what was given by hand; where there is no table for that yet, make one."""
    path = out / MARKS
    if not path.exists():
        write(path, table(COLUMNS, []))
    students = {submission.student for submission in collected.submissions}
    return read_marks(path, bank, students | {student.id for student in collected.absent})


def _results(
    submissions: Sequence[Submission],
    out: Path,
    settings: Settings,
    engine: Engine,
    progress: Callable[[int, int], None],
) -> tuple[tuple[Graded, ...], int]:
    """Return every submission's result, in their order, and how many were graded now."""
    settings = replace(settings, secret=settings.secret or kept_secret(out))
    limits = settings.times, settings.limits, settings.unsafe
    journal = Journal(out, fingerprint(Path(settings.bank), settings.secret, *limits))
    try:
        works = {_work(submission): submission for submission in submissions}
        results, missing, made_with, names = _sorted_out(works.values(), journal)
        settings = replace(settings, preload=wanted(names, settings.preload))
        progress(len(results), len(works))
        if missing:
            with deferred():
                for graded in engine(map(opened, missing), settings):
                    if not graded.broken:
                        journal.add(graded, made_with[graded.name])
                    results[graded.name] = graded
                    progress(len(results), len(works))
    finally:
        journal.close()
    of_each = [
        replace(results[_work(submission)], name=submission.name, student=submission.student)
        for submission in submissions
    ]
    return _marked(of_each, submissions), len(missing)


def _work(submission: Submission) -> str:
    """Return the name of what is graded, which the members of a group share."""
    return submission.work or submission.name


FILES = "files.csv"


def _write_files(out: Path, grades: Sequence[Grade], collected: Collected) -> None:
    """Write the outcome of every file that came in."""
    outcomes = {
        each.name: "graded" if each.settled and each.graded.readable else each.problem
        for each in grades
    }
    handed_in = [
        (each.file, each.student, outcomes[each.name])
        for each in collected.submissions
        if each.file
    ]
    left_out = [(file.name, file.student, file.why) for file in collected.left_out]
    write(out / FILES, table(("file", "student", "outcome"), [*handed_in, *left_out]))


NO_FILE = "Nothing was handed in."


def _with_marked(collected: Collected, marks: Sequence[Mark]) -> Collected:
    """Let those who have points by hand and no file have a grade."""
    marked = {mark.student for mark in marks}
    absent = [student for student in collected.absent if student.id in marked]
    more = [Submission(f"{student.id} (no file)", student.id, None, NO_FILE) for student in absent]
    return replace(
        collected,
        submissions=(*collected.submissions, *more),
        absent=tuple(student for student in collected.absent if student not in absent),
    )


TWICE = (
    "There is more than one submission for this student id, so none of them is in a gradebook "
    "file. Keep one and grade again."
)


def _marked(results: Sequence[Graded], submissions: Sequence[Submission]) -> tuple[Graded, ...]:
    """Say so where two submissions claim one student, or it isn't clear whose one is."""
    unclear = contested(results)
    problems = (
        " ".join(filter(None, (TWICE * (graded.name in unclear), graded.problem, submission.note)))
        for graded, submission in zip(results, submissions, strict=True)
    )
    return tuple(
        replace(graded, problem=problem) for graded, problem in zip(results, problems, strict=True)
    )


def _sorted_out(
    submissions: Iterable[Submission], journal: Journal
) -> tuple[dict[str, Graded], list[Submission], dict[str, dict[str, str]], set[str]]:
    """Return the results that are known; and of the others all, each one's libraries, all imports.

    Libraries come with their versions, and are what that submission imports.
    """
    results: dict[str, Graded] = {}
    missing: list[Submission] = []
    made_with: dict[str, dict[str, str]] = {}
    names: set[str] = set()
    versions_of = functools.cache(versions)
    for submission in submissions:
        handin = opened(submission)
        imports = frozenset(imported(handin.data))
        libraries = versions_of(imports)
        known = journal.known(handin.name, handin.digest, libraries)
        if known is not None and known.student == handin.student:
            results[handin.name] = known
        else:
            missing.append(submission)
            made_with[handin.name] = libraries
            names |= imports
    return results, missing, made_with, names
