"""Grades in the forms that schools' systems load: Canvas, Moodle, Gradescope, Autolab."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from perfcourse.bank import Bank
from perfcourse.grading import Graded
from perfcourse.report.tables import contested, table, wrong


def canvas(results: Sequence[Graded], bank: Bank, numbers: Mapping[str, str] | None = None) -> str:
    """Return a gradebook for Canvas; students are matched by login id, or its own where known.

    Where there is no grade yet, the cell is empty, which leaves what Canvas has as it is.
    """
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", bank.title]
    possible: list[str | float] = ["Points Possible", "", "", "", "", bank.points]
    rows: list[list[str | float]] = [
        [
            graded.student,
            (numbers or {}).get(graded.name, ""),
            "",
            graded.student,
            "",
            points(graded),
        ]
        for graded in _clear(results)
    ]
    return table(header, [possible, *rows])


def moodle(results: Sequence[Graded], bank: Bank) -> str:
    """Return a grade table for Moodle's CSV import; students are matched by username.

    Where there is no grade yet, the cell is empty.
    """
    header = ["username", bank.title, "feedback"]
    return table(header, ([g.student, points(g), feedback_text(g)] for g in _clear(results)))


def points(graded: Graded) -> str | float:
    """Return the points, or nothing where an unreadable file or a failure stands for them."""
    return graded.earned if graded.decided else ""


def _clear(results: Sequence[Graded]) -> list[Graded]:
    """Leave out students with more than one submission: which one counts is not ours to say."""
    unclear = contested(results)
    return [graded for graded in results if graded.name not in unclear]


def feedback_text(graded: Graded) -> str:
    """Return the feedback as one line of text."""
    if not graded.readable or graded.broken:
        return graded.problem
    return " ".join(filter(None, (graded.problem, wrong(graded)))) or "All right."


def gradescope(graded: Graded, bank: Bank) -> str:
    """Return `results.json` for Gradescope."""
    tests = [
        {
            "name": f"{question.id}. {question.title}",
            "score": verdict.earned,
            "max_score": verdict.points,
            "status": "passed" if verdict.right else "failed",
            "output": _clean(verdict.message),
            "output_format": "text",
            "visibility": "visible",
        }
        for question, verdict in zip(bank.questions, graded.verdicts, strict=True)
    ]
    whole: dict[str, Any] = {
        "score": graded.earned,
        "output": _clean(graded.problem),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    return json.dumps(whole, indent=1) + "\n"


def autolab(graded: Graded) -> str:
    """Return the line that Autolab reads from the end of an autograder's output.

    >>> autolab(Graded("a", "a", "", "", ()))
    '{"scores": {}}'
    """
    return json.dumps({"scores": {verdict.question: verdict.earned for verdict in graded.verdicts}})


def _clean(text: str) -> str:
    """Return text without control characters."""
    return "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text)
