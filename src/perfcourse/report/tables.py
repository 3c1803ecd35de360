"""Grades as tables, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Sequence

from perfcourse.bank import Bank
from perfcourse.gradebook.grade import Grade
from perfcourse.intake.people.names import id_key
from perfcourse.isolation.untrusted import one_line
from perfcourse.judge.result import Graded
from perfcourse.judge.verdict import Verdict

_FORMULA = ("=", "+", "-", "@", "|", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def cell(value: str | float) -> str:
    r"""Return a value as the text of a table's cell: one line, and never a formula.

    >>> cell("=HYPERLINK(1)"), cell(2.50), cell("a\nb")
    ("'=HYPERLINK(1)", '2.5', 'a b')
    """
    if isinstance(value, int | float):
        return f"{round(value, 4):g}"
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def contested(results: Sequence[Graded | Grade]) -> set[str]:
    """Return the names of submissions whose student id, as schools read it, another one has."""
    owners: dict[str, list[str]] = defaultdict(list)
    for graded in results:
        owners[id_key(graded.student)].append(graded.name)
    return {name for names in owners.values() if len(names) > 1 for name in names}


def table(header: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """Return a table as CSV text."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell(value) for value in row] for row in rows)
    return stream.getvalue()


NOT_HANDED_IN = "not handed in"


def grades(results: Sequence[Grade], bank: Bank, absent: Sequence[str] = ()) -> str:
    """Return `grades.csv`: a line a submission, with its points and how they came about.

    `points` is `automatic` and `by_hand` less `late`. The columns of the questions hold what counts
    for each, with what was given by hand, before lateness. What the grader or the bank failed on
    has no points, not 0. Students who have not handed in follow, without points.
    """
    ids = [question.id for question in bank.questions]
    header = ["student", "submission", "points", "out_of", "automatic", "by_hand", "late"]
    header += [*ids, "comments", "reason"]
    empty = ["", *[""] * (len(header) - 3), NOT_HANDED_IN]
    return table(header, [*map(_line, results), *([student, *empty] for student in absent)])


def _line(grade: Grade) -> list[str | float]:
    sums = grade.automatic, grade.by_hand, grade.late
    return [
        grade.student,
        grade.name,
        grade.earned if grade.settled else "",
        grade.points,
        *(sums if grade.settled else ("", "", "")),
        *(_counted(grade, verdict) for verdict in grade.verdicts),
        "; ".join(f"{mark.question}: {mark.in_words}" for mark in grade.marks),
        reason(grade),
    ]


def _counted(grade: Grade, verdict: Verdict) -> str | float:
    """Return what counts for a question; nothing where it wasn't judged, but for points by hand."""
    mark = grade.mark(verdict.question)
    judged = not (grade.graded.broken or verdict.failed)
    return verdict.earned if judged or (mark and mark.points is not None) else ""


def reason(grade: Grade) -> str:
    """Return why not all points were earned: the problem, errors or what was wrong; lateness."""
    missed = grade.problem or errors(grade) or wrong(grade)
    return "; ".join(filter(None, (missed, grade.lateness.in_words)))


def wrong(grade: Grade) -> str:
    """Return each question that isn't right with what is said of it."""
    return " ".join(f"{v.question}: {v.message}" for v in grade.verdicts if not v.right)


def errors(grade: Grade) -> str:
    """Return which code cells raised what, the first five."""
    return "; ".join(f"cell {number}: {kind}" for number, kind, _ in grade.graded.errors[:5])
