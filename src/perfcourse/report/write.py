"""Write every report of a run into its folder, and tell what changed since the last one."""

from __future__ import annotations

import json
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from perfcourse.bank import Bank
from perfcourse.gradebook.answers import Passage
from perfcourse.gradebook.changes import Standing, changes, standing
from perfcourse.gradebook.grade import Grade
from perfcourse.gradebook.notes import notes
from perfcourse.gradebook.similarity import Pair
from perfcourse.grading import as_record
from perfcourse.intake.collection import NOTHING, Collected
from perfcourse.intake.submissions import opened
from perfcourse.report import analysis, schools
from perfcourse.report.alike import alike, alike_page, answers_shared
from perfcourse.report.code import own_code
from perfcourse.report.files import write, write_bytes
from perfcourse.report.gradebooks import gradebooks
from perfcourse.report.junit import junit
from perfcourse.report.pages import feedback, page, page_name
from perfcourse.report.regrading import changes_table, write_messages
from perfcourse.report.returns import returns
from perfcourse.report.tables import grades


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
    stub : collection of str
        Code cells of the notebook that was handed out.
    """
    last, now = _standings(out / "results.json"), [standing(grade) for grade in results]
    moved = changes(last, now)
    in_words = tuple(change.in_words for change in moved)
    books = gradebooks(results, bank, collected, column)
    absent = [student.id for student in collected.absent]
    write(out / "grades.csv", grades(results, bank, absent))
    write(out / "junit.xml", junit([(grade, bank) for grade in results]))
    code = _code(results, bank, collected, stub)
    pairs = alike(_by_work(code, collected), stub)
    write(out / "similar.html", alike_page(pairs, code, bank))
    write(out / "class.html", class_page(results, bank, protections, in_words, collected, pairs))
    write(out / "changes.csv", changes_table(moved))
    write_messages(out, bank.title, last, now, _emails(collected))
    pages = {
        grade.name: feedback(grade, bank, protections, code.get(grade.name)) for grade in results
    }
    archive, left_out = returns(results, pages, bank.topic, collected)
    _replace_platforms(out, {book.file: book.text.encode(book.encoding) for book in books}, archive)
    _write_pages(out, bank, results, pages)
    _delete_withdrawn(out, last, results)
    write(out / "results.json", _results(results, now))
    return Written(in_words, (*(remark for book in books for remark in book.remarks), *left_out))


def _code(
    results: Sequence[Grade], bank: Bank, collected: Collected, stub: Collection[str]
) -> dict[str, dict[str, list[Passage]]]:
    """Return what each student wrote, by submission and answer, as far as the file is there."""
    submissions = {submission.name: submission for submission in collected.submissions}
    return {
        grade.name: own_code(opened(submissions[grade.name]), grade.graded.digest, bank, stub)
        for grade in results
        if grade.name in submissions
    }


def _by_work(
    code: Mapping[str, dict[str, list[Passage]]], collected: Collected
) -> dict[str, dict[str, list[Passage]]]:
    """Return the code of each hand-in once: the members of a group share theirs by right."""
    works = {each.name: each.work or each.name for each in collected.submissions}
    names: dict[str, str] = {}
    for name in code:
        names.setdefault(works.get(name, name), name)
    return {name: code[name] for name in names.values()}


def _emails(collected: Collected) -> dict[str, str]:
    """Return the e-mail addresses that the roster has, by student."""
    students = collected.roster.students if collected.roster else ()
    return {student.id: student.email for student in students if student.email}


FEEDBACK_ZIP = "feedback-to-upload.zip"
BOOKS = ("canvas.csv", "moodle.csv", "blackboard.xls", "blackboard.csv", "brightspace.csv")


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


def _write_pages(out: Path, bank: Bank, results: Sequence[Grade], pages: Mapping[str, str]) -> None:
    for grade in results:
        page, gradescope, autolab = _files(grade)
        write(out / page, pages[grade.name])
        write(out / gradescope, schools.gradescope(grade, bank))
        write(out / autolab, schools.autolab(grade) + "\n")


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
    """Return the class report: distribution, questions, misconceptions, help, similar code."""
    strays = {each.name for each in collected.submissions if not each.listed}
    counted = [grade for grade in results if grade.name not in strays]
    shares = analysis.shares(counted) or [0.0]
    found = analysis.items(counted, bank)
    named = [(item.id, *wrong) for item in found for wrong in item.misconceptions]
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
        items=found,
        misconceptions=sorted(named, key=lambda row: (-row[2], row[0], row[1])),
        help=analysis.need_help(counted),
        similar=[(pair, answers_shared(pair, bank)) for pair in pairs],
        notes=notes(results),
        changes=changed,
        protections=protections,
    )


def _results(results: Sequence[Grade], now: Sequence[Standing]) -> str:
    """Return every verdict, and with each submission what its points came to."""
    records = [
        {**as_record(grade.graded), "final": asdict(kept)}
        for grade, kept in zip(results, now, strict=True)
    ]
    return json.dumps(records) + "\n"


def _standings(path: Path) -> list[Standing]:
    """Return the standings of the last run; none where its file isn't there or is another's."""
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
        return [Standing(**record["final"]) for record in records]
    except (OSError, ValueError, KeyError, TypeError):
        return []
