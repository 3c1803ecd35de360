"""Write every report of a run into its folder, and tell what changed since the last one."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.grading import Graded, as_record, from_record
from perfcourse.intake.collection import NOTHING, Collected
from perfcourse.report import analysis, schools
from perfcourse.report.gradebooks import gradebooks
from perfcourse.report.junit import junit
from perfcourse.report.pages import feedback, page, page_name
from perfcourse.report.returns import returns
from perfcourse.report.tables import grades, table


@dataclass(frozen=True)
class Written:
    """What there is to say of the reports that were written."""

    changed: tuple[str, ...]
    """What differs from the last time, a line each."""
    remarks: tuple[str, ...] = ()
    """What to know before a platform gets them."""


def write_reports(
    out: Path,
    bank: Bank,
    results: Sequence[Graded],
    protections: Sequence[str],
    collected: Collected = NOTHING,
    *,
    column: str = "",
) -> Written:
    """Write the tables and pages, and delete those that it wrote of submissions now withdrawn.

    The folder's other files stay as they are.

    Parameters
    ----------
    out : Path
        The folder.
    bank, results, protections
        The assignment, what came of each submission, and what it was graded with.
    collected : Collected
        Where the submissions came from, and what there isn't.
    column : str
        The assignment's column in the gradebook that the platform exported.
    """
    last = _last(out / "results.json")
    changed = changes(last, results)
    in_words = tuple(line[-1] for line in changed)
    books = gradebooks(results, bank, collected, column)
    absent = [student.id for student in collected.absent]
    write(out / "grades.csv", grades(results, bank, absent))
    write(out / "junit.xml", junit([(graded, bank) for graded in results]))
    write(out / "class.html", class_page(results, bank, protections, in_words, collected))
    header = ["student", "submission", "before", "after", "what changed"]
    write(out / "changes.csv", table(header, changed))
    pages = {graded.name: feedback(graded, bank, protections) for graded in results}
    archive, left_out = returns(results, pages, bank.topic, collected)
    _replace_platforms(out, {book.file: book.text.encode() for book in books}, archive)
    _write_pages(out, bank, results, pages)
    _delete_withdrawn(out, last, results)
    write(out / "results.json", json.dumps([as_record(graded) for graded in results]) + "\n")
    return Written(in_words, (*(said for book in books for said in book.remarks), *left_out))


FEEDBACK_ZIP = "feedback-to-upload.zip"


def _replace_platforms(out: Path, books: Mapping[str, bytes], archive: bytes) -> None:
    """Write what goes back to a platform; what an earlier run wrote for another one goes."""
    files = {**books, **({FEEDBACK_ZIP: archive} if archive else {})}
    for name in ("canvas.csv", "moodle.csv", FEEDBACK_ZIP):
        if name in files:
            write_bytes(out / name, files[name])
        else:
            (out / name).unlink(missing_ok=True)


def _files(graded: Graded) -> tuple[str, str, str]:
    """Return the files that are one submission's, within the folder of reports."""
    page = page_name(graded)
    other = f"{Path(page).stem}.json"
    return f"feedback/{page}", f"gradescope/{other}", f"autolab/{other}"


def _write_pages(
    out: Path, bank: Bank, results: Sequence[Graded], pages: Mapping[str, str]
) -> None:
    for graded in results:
        page, gradescope, autolab = _files(graded)
        write(out / page, pages[graded.name])
        write(out / gradescope, schools.gradescope(graded, bank))
        write(out / autolab, schools.autolab(graded) + "\n")


def _delete_withdrawn(out: Path, before: Sequence[Graded], after: Sequence[Graded]) -> None:
    """Delete the files of submissions that are no more."""
    kept = {name for graded in after for name in _files(graded)}
    for graded in before:
        for name in _files(graded):
            if name not in kept:
                (out / name).unlink(missing_ok=True)


def class_page(
    results: Sequence[Graded],
    bank: Bank,
    protections: Sequence[str],
    changed: Sequence[str] = (),
    collected: Collected = NOTHING,
) -> str:
    """Return the class report: distribution, questions, misconceptions, help, similar code."""
    shares = analysis.shares(results) or [0.0]
    found = analysis.items(results, bank)
    named = [(item.id, *wrong) for item in found for wrong in item.misconceptions]
    bins = analysis.distribution(results)
    return page(
        "class.html",
        bank=bank,
        results=results,
        collected=collected,
        median=statistics.median(shares),
        mean=statistics.fmean(shares),
        problems=[graded for graded in results if graded.problem],
        bins=bins,
        largest=max(*bins, 1),
        items=found,
        misconceptions=sorted(named, key=lambda row: (-row[2], row[0], row[1])),
        help=analysis.need_help(results),
        similar=analysis.similar(results),
        changes=changed,
        protections=protections,
    )


def changes(
    before: Sequence[Graded], after: Sequence[Graded]
) -> list[tuple[str, str, float, float, str]]:
    """Return who has other points than before: student, submission, before, after, in words."""
    old = {graded.name: graded for graded in before}
    return [
        (new.student, new.name, old[new.name].earned, new.earned, _in_words(old[new.name], new))
        for new in after
        if new.name in old and _points(old[new.name]) != _points(new)
    ]


def _points(graded: Graded) -> list[tuple[str, float]]:
    return [(verdict.question, verdict.earned) for verdict in graded.verdicts]


def _in_words(old: Graded, new: Graded) -> str:
    was = dict(_points(old))
    moved = [
        f"{name} {was[name]:g} to {earned:g}" if name in was else f"{name} new, {earned:g}"
        for name, earned in _points(new)
        if was.get(name) != earned
    ]
    why = "another file was handed in" if old.digest != new.digest else "the same file"
    return f"{new.student}: {old.earned:g} to {new.earned:g} points ({', '.join(moved)}; {why})"


def _last(path: Path) -> list[Graded]:
    try:
        return [from_record(record) for record in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def write(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    write_bytes(path, text.encode("utf-8", "replace"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    os.replace(part, path)
