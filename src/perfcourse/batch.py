"""A grading run: submissions in, journal and reports out; stopped and resumed at will."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.engine import Settings
from perfcourse.grading import Graded
from perfcourse.intake.grounds import fingerprint
from perfcourse.intake.imports import imported, wanted
from perfcourse.intake.journal import Journal, kept_secret
from perfcourse.intake.libraries import versions
from perfcourse.intake.lock import held
from perfcourse.intake.submissions import Handin, Submission, find, opened
from perfcourse.loading import load
from perfcourse.report.tables import contested
from perfcourse.report.write import write_reports

Engine = Callable[[Iterable[Handin], Settings], Iterator[Graded]]


@dataclass(frozen=True)
class Batch:
    """What a run did: every result in the order of the submissions, and how many were new."""

    results: tuple[Graded, ...]
    graded_now: int
    changed: tuple[str, ...]
    """What differs from the last run's results, a line each."""


def run(
    folder: Path,
    out: Path,
    settings: Settings,
    engine: Engine,
    *,
    students: dict[str, str] | None = None,
    aside: Collection[Path] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Batch:
    """Grade what is in `folder` and not yet in the journal of `out`; write all reports to `out`.

    What is put `aside` lies in the folder and is nobody's submission.

    Raises
    ------
    perfcourse.intake.lock.HeldError
        Another run writes to `out`.
    """
    with held(out):
        bank = load(Path(settings.bank))
        submissions = find(folder, bank.topic, students, [out, *aside])
        return _run(submissions, bank, out, settings, engine, progress)


def _run(
    submissions: list[Submission],
    bank: Bank,
    out: Path,
    settings: Settings,
    engine: Engine,
    progress: Callable[[int, int], None],
) -> Batch:
    settings = replace(settings, secret=settings.secret or kept_secret(out))
    limits = settings.times, settings.limits, settings.unsafe
    journal = Journal(out, fingerprint(Path(settings.bank), settings.secret, *limits))
    try:
        results, missing, made_with, names = _sorted_out(submissions, journal)
        settings = replace(settings, preload=wanted(names, settings.preload))
        progress(len(results), len(submissions))
        if missing:
            for graded in engine(map(opened, missing), settings):
                if not graded.broken:
                    journal.add(graded, made_with[graded.name])
                results[graded.name] = graded
                progress(len(results), len(submissions))
    finally:
        journal.close()
    ordered = _marked([results[submission.name] for submission in submissions])
    changed = write_reports(out, bank, ordered, settings.sandbox().protections)
    return Batch(ordered, len(missing), tuple(changed))


TWICE = (
    "There is more than one submission for this student id, so none of them is in the tables for "
    "Canvas and Moodle. Keep one and grade again."
)


def _marked(results: Sequence[Graded]) -> tuple[Graded, ...]:
    """Say so where two submissions claim one student."""
    unclear = contested(results)
    return tuple(
        replace(graded, problem=f"{TWICE} {graded.problem}".strip())
        if graded.name in unclear
        else graded
        for graded in results
    )


def _sorted_out(
    submissions: list[Submission], journal: Journal
) -> tuple[dict[str, Graded], list[Submission], dict[str, dict[str, str]], set[str]]:
    """Return the results that are known; and of the others all, each one's libraries, all imports.

    Libraries come with their versions, and are what that submission imports.
    """
    results: dict[str, Graded] = {}
    missing: list[Submission] = []
    made_with: dict[str, dict[str, str]] = {}
    names: set[str] = set()
    for submission in submissions:
        handin = opened(submission)
        imports = imported(handin.data)
        libraries = versions(imports)
        known = journal.known(submission.name, handin.digest, libraries)
        if known is not None and known.student == submission.student:
            results[submission.name] = known
        else:
            missing.append(submission)
            made_with[submission.name] = libraries
            names |= imports
    return results, missing, made_with, names


def read_students(path: Path) -> dict[str, str]:
    """Read a table of two columns, file or folder name and student id, with a header.

    Raises
    ------
    ValueError
        A line without two columns, or an id given twice.
    """
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = [row for row in csv.reader(file) if row][1:]
    if any(len(row) < 2 for row in rows):
        raise ValueError(f"students must be a table of two columns (file, student), got {path}")
    table = {row[0].strip(): row[1].strip() for row in rows}
    if len(set(table.values())) < len(table):
        raise ValueError(f"students must give each student once, got an id twice in {path}")
    return table
