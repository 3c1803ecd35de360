"""Write every report of a run into its folder, and tell what changed since the last one."""

from __future__ import annotations

import json
import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.gradebook.changes import (
    Standing,
    as_record as standing_record,
    changes,
    from_record,
    standings,
)
from perfcourse.gradebook.grade import Grade
from perfcourse.gradebook.notes import notes
from perfcourse.gradebook.similarity import Pair
from perfcourse.intake.collection import NOTHING, Collected
from perfcourse.judge.result import as_record
from perfcourse.report import analysis, grade_exports
from perfcourse.report.code import OwnCode
from perfcourse.report.files import write, write_bytes
from perfcourse.report.gradebooks import gradebooks
from perfcourse.report.junit import junit
from perfcourse.report.pages import feedback, page, page_name
from perfcourse.report.regrading import changes_table, write_messages
from perfcourse.report.returns import returns
from perfcourse.report.similarity_page import ClassSimilarity, answers_shared, similarity_page_of
from perfcourse.report.tables import grades

RESULTS = "results.json"


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
    results: Sequence[Grade],
    protections: Sequence[str],
    collected: Collected = NOTHING,
    *,
    column: str = "",
    stub: Collection[str] = (),
) -> Written:
    """Write the tables and pages, and delete those that it wrote of submissions now withdrawn.

    The folder's other files stay as they are. `column` is the assignment's in the gradebook that
    the platform exported; `stub` are the code cells that were handed out.
    """
    last = _standings(out / RESULTS)
    now = standings(results, last)
    moved = changes(last, now)
    in_words = tuple(change.in_words for change in moved)
    books = gradebooks(results, bank, collected, column)
    absent = [student.id for student in collected.absent]
    write(out / "grades.csv", grades(results, bank, absent))
    write(out / "junit.xml", junit((grade, bank) for grade in results))
    code = OwnCode((grade.graded for grade in results), collected.submissions, bank, stub)
    first = _first_of_each_work(collected)
    everybody = ClassSimilarity(stub)
    for grade in results:
        own = code.get(grade.name, {})
        if first.get(grade.name, True):
            everybody.add(grade.name, own)
        _write_pages(out, bank, grade, feedback(grade, bank, protections, own))
    pairs = everybody.pairs()
    write(out / "similar.html", similarity_page_of(pairs, code, bank))
    write(out / "class.html", class_page(results, bank, protections, in_words, collected, pairs))
    write(out / "changes.csv", changes_table(moved))
    write_messages(out, bank.title, last, now, _emails(collected))
    archive, left_out = returns(results, _Pages(out, results), bank.topic, collected, books)
    _replace_platforms(out, {book.file: book.text.encode(book.encoding) for book in books}, archive)
    _delete_withdrawn(out, last, results)
    write(out / RESULTS, _results(results, now))
    return Written(in_words, (*(remark for book in books for remark in book.remarks), *left_out))


class _Pages(Mapping[str, str]):
    """The feedback pages by submission, read from where they were written."""

    def __init__(self, out: Path, results: Sequence[Grade]) -> None:
        self._paths = {grade.name: out / _files(grade)[0] for grade in results}

    def __getitem__(self, name: str) -> str:
        return self._paths[name].read_text(encoding="utf-8")

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def _first_of_each_work(collected: Collected) -> dict[str, bool]:
    """Return of each submission whether it is the first of what its group handed in together.

    The members of a group share their code by right, so that it is compared only once.
    """
    first: dict[str, str] = {}
    return {
        each.name: first.setdefault(each.work or each.name, each.name) == each.name
        for each in collected.submissions
    }


def _emails(collected: Collected) -> dict[str, str]:
    """Return the e-mail addresses that the roster has, by student."""
    students = collected.roster.students if collected.roster else ()
    return {student.id: student.email for student in students if student.email}


FEEDBACK_ZIP = "feedback-to-upload.zip"
BOOKS = (
    "canvas.csv",
    "moodle.csv",
    "blackboard.xls",
    "blackboard.csv",
    "brightspace.csv",
    "sakai.csv",
)


def _replace_platforms(out: Path, books: Mapping[str, bytes], archive: bytes) -> None:
    """Write what goes back to a platform; what an earlier run wrote for another one goes."""
    files = {**books, **({FEEDBACK_ZIP: archive} if archive else {})}
    for name in (*BOOKS, FEEDBACK_ZIP):
        if name in files:
            write_bytes(out / name, files[name])
        else:
            (out / name).unlink(missing_ok=True)


def _files(of: Grade | Standing) -> tuple[str, str, str]:
    """Return the files that are one submission's, within the folder of reports."""
    page = page_name(of)
    other = f"{Path(page).stem}.json"
    return f"feedback/{page}", f"gradescope/{other}", f"autolab/{other}"


def _write_pages(out: Path, bank: Bank, grade: Grade, text: str) -> None:
    page, gradescope, autolab = _files(grade)
    write(out / page, text)
    if grade.settled:
        write(out / gradescope, grade_exports.gradescope(grade, bank))
        write(out / autolab, grade_exports.autolab(grade) + "\n")
    else:  # these tools take whatever is there for a grade
        (out / gradescope).unlink(missing_ok=True)
        (out / autolab).unlink(missing_ok=True)


def _delete_withdrawn(out: Path, before: Sequence[Standing], after: Sequence[Grade]) -> None:
    """Delete the files of submissions that are no more."""
    kept = {name for grade in after for name in _files(grade)}
    for gone in before:
        for name in _files(gone):
            if name not in kept:
                (out / name).unlink(missing_ok=True)


def class_page(
    results: Sequence[Grade],
    bank: Bank,
    protections: Sequence[str],
    changed: Sequence[str] = (),
    collected: Collected = NOTHING,
    pairs: Sequence[Pair] = (),
) -> str:
    """Return the class report: distribution, questions, mistakes, help, similar code."""
    strays = {each.name for each in collected.submissions if not each.listed}
    counted = [grade for grade in results if grade.name not in strays]
    shares = analysis.shares(counted) or [0.0]
    items = analysis.items(counted, bank)
    named = [(item.id, *wrong) for item in items for wrong in item.mistakes]
    bins = analysis.distribution(counted)
    return page(
        "class.html",
        bank=bank,
        results=results,
        strays=len(strays),
        collected=collected,
        median=statistics.median(shares),
        mean=statistics.fmean(shares),
        problems=[grade for grade in results if grade.problem],
        bins=bins,
        largest=max(*bins, 1),
        items=items,
        misconceptions=sorted(named, key=lambda row: (-row[2], row[0], row[1])),
        help=analysis.need_help(counted),
        similar=[(pair, answers_shared(pair, bank)) for pair in pairs],
        notes=notes(results),
        changes=changed,
        protections=protections,
    )


def _results(results: Sequence[Grade], now: Sequence[Standing]) -> Iterator[str]:
    """Return every verdict, a submission a line, and with each what its points came to."""
    before = "[\n"
    for grade, kept in zip(results, now, strict=True):
        record = {**as_record(grade.graded), "final": standing_record(kept)}
        yield f"{before}{json.dumps(record)}"
        before = ",\n"
    yield "\n]\n" if results else "[]\n"


def _standings(path: Path) -> list[Standing]:
    """Return the standings of the last run, as far as its file has them as they were written."""
    standings: list[Standing] = []
    with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            with suppress(ValueError, KeyError, TypeError, RecursionError):
                kept = from_record(json.loads(line.rstrip().rstrip(","))["final"])
                standings += [kept] if kept else []
    return standings
