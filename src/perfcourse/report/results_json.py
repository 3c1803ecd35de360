"""The result for programs: our own JSON, and the one that GitHub Classroom's reporter reads."""

from __future__ import annotations

import json
from typing import Any

from perfcourse.isolation.untrusted import logged
from perfcourse.judge import Verdict
from perfcourse.report.autograde_outcome import Marked, Outcome, Status

VERSION = 1
"""Of the JSON; goes up when a program that reads the older one would misread the newer."""


def as_json(outcome: Outcome) -> str:
    """Return the result as JSON, in the form that `results.schema.json` beside this lays down."""
    whole = {
        "version": VERSION,
        "status": outcome.status.name.lower(),
        "exit": int(outcome.status),
        **_points(outcome),
        "fail_under": outcome.fail_under,
        "notebooks": [_notebook(marked, outcome) for marked in outcome.marked],
    }
    return _printable(whole, indent=1)


def _printable(whole: dict[str, Any], indent: int | None = None) -> str:
    """Return JSON that a job's log may show, too: see `perfcourse.isolation.untrusted.logged`."""
    return json.dumps(whole, indent=indent).replace("##[", "\\u0023#[") + "\n"


def _points(outcome: Outcome) -> dict[str, float]:
    return {
        "earned": outcome.earned,
        "points": outcome.points,
        "percent": round(outcome.percent, 4),
    }


def _notebook(marked: Marked, outcome: Outcome) -> dict[str, Any]:
    graded = marked.graded
    return {
        "file": marked.file,
        "topic": marked.bank.topic,
        "student": graded.student,
        "status": outcome.of(marked).name.lower(),
        **_points(Outcome((marked,))),
        "problem": graded.problem,
        "seconds": graded.seconds,
        "errors": [
            {"cell": number, "type": kind, "message": text} for number, kind, text in graded.errors
        ],
        "questions": [
            {
                "id": question.id,
                "title": question.title,
                "status": _status(verdict),
                "earned": verdict.earned,
                "points": verdict.points,
                "message": verdict.message,
                "misconception": verdict.misconception,
            }
            for question, verdict in zip(marked.bank.questions, graded.verdicts, strict=True)
        ],
    }


def _status(verdict: Verdict) -> str:
    if verdict.failed:
        return "unjudged"
    if verdict.right:
        return "right"
    return "partly right" if verdict.earned else "wrong"


def for_classroom(outcome: Outcome) -> str:
    """Return what `classroom-resources/autograding-grading-reporter` reads, before base64.

    The reporter prints the messages into its own log, where GitHub looks for commands.
    """
    tests = [
        {
            "name": f"{question.id}. {question.title}",
            "status": "pass" if verdict.right else "fail",
            "score": verdict.earned,
            "message": logged(f"{marked.graded.problem} {verdict.message}"),
            "test_code": "",
            "filename": logged(marked.file),
            "line_no": 0,
            "duration": 0,
        }
        for marked in outcome.marked
        for question, verdict in zip(marked.bank.questions, marked.graded.verdicts, strict=True)
    ]
    status = "pass" if outcome.status is Status.PASSED else "fail"
    whole = {"version": 1, "status": status, "max_score": outcome.points, "tests": tests}
    return _printable(whole)
