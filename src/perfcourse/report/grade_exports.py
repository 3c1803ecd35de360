"""Grades in the forms that schools' systems load: Canvas, Moodle, Gradescope, Autolab."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from perfcourse.bank import Bank
from perfcourse.gradebook.grade import Grade
from perfcourse.isolation.untrusted import no_formulas, one_line
from perfcourse.report.tables import contested, table, wrong


def canvas(results: Sequence[Grade], bank: Bank, numbers: Mapping[str, str] | None = None) -> str:
    """Return a gradebook for Canvas; students are matched by login id, or its own where known.

    Where there is no grade yet, the cell is empty, which leaves what Canvas has as it is.
    """
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", bank.title]
    possible: list[str | float] = ["Points Possible", "", "", "", "", bank.points]
    rows: list[list[str | float]] = [
        [
            grade.student,
            (numbers or {}).get(grade.name, ""),
            "",
            grade.student,
            "",
            points(grade),
        ]
        for grade in _clear(results)
    ]
    return table(header, [possible, *rows])


def moodle(results: Sequence[Grade], bank: Bank) -> str:
    """Return a grade table for Moodle's CSV import; students are matched by username.

    Where there is no grade yet, the cell is empty.
    """
    header = ["username", bank.title, "feedback"]
    return table(header, ([g.student, points(g), feedback_text(g)] for g in _clear(results)))


def points(grade: Grade) -> str | float:
    """Return the points, or nothing where an unreadable file or a failure stands for them."""
    return grade.earned if grade.decided else ""


def _clear(results: Sequence[Grade]) -> list[Grade]:
    """Leave out students with more than one submission: which one counts is not ours to say."""
    unclear = contested(results)
    return [grade for grade in results if grade.name not in unclear]


def feedback_text(grade: Grade) -> str:
    """Return the feedback as one line of HTML, for which Moodle takes it; none of it is markup."""
    parts = [grade.problem]
    if grade.graded.readable and not grade.graded.broken:
        parts += [wrong(grade) or "All right.", grade.in_words]
    return no_formulas(escape(one_line(" ".join(filter(None, parts))), quote=False))


def gradescope(grade: Grade, bank: Bank) -> str:
    """Return `results.json` for Gradescope."""
    tests = [
        {
            "name": f"{question.id}. {question.title}",
            "score": verdict.earned,
            "max_score": verdict.points,
            "status": "passed" if verdict.right else "failed",
            "output": one_line(verdict.message),
            "output_format": "text",
            "visibility": "visible",
        }
        for question, verdict in zip(bank.questions, grade.verdicts, strict=True)
    ]
    whole: dict[str, Any] = {
        "score": grade.earned,
        "output": one_line(grade.problem),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    return json.dumps(whole, indent=1) + "\n"


def autolab(grade: Grade) -> str:
    """Return the line that Autolab reads from the end of an autograder's output.

    >>> from perfcourse.gradebook.grade import grade_of
    >>> from perfcourse.judge.result import Graded
    >>> autolab(grade_of(Graded("a", "a", "", "", ())))
    '{"scores": {}}'
    """
    return json.dumps({"scores": {verdict.question: verdict.earned for verdict in grade.verdicts}})
