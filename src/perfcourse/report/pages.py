"""HTML pages, each one file with everything in it, every value escaped."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from perfcourse.bank import Bank
from perfcourse.gradebook.answers import Passage
from perfcourse.gradebook.changes import Standing
from perfcourse.gradebook.grade import Grade
from perfcourse.intake.submissions import Submission
from perfcourse.judge.result import MOST_ERRORS
from perfcourse.report.code import as_markup, excerpts, visible
from perfcourse.report.tables import errors


@functools.cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("perfcourse.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["errors"] = errors
    return made


def _shown(value: Any) -> Any:
    """Return a value as a page may show it, with a sign for each character that is none."""
    plain = isinstance(value, str) and not isinstance(value, Markup)
    return as_markup(visible(value)) if plain else value


def page(template: str, **values: Any) -> str:
    """Return a template filled in."""
    return _environment().get_template(template).render(**values)


def feedback(
    grade: Grade,
    bank: Bank,
    protections: Sequence[str] = (),
    code: Mapping[str, Sequence[Passage]] | None = None,
) -> str:
    """Return a student's feedback page: each question, its points, what went wrong, their code.

    `code` is what the student wrote, by the name of the answer.
    """
    own = code or {}
    rows = [
        (
            question,
            automatic,
            verdict,
            grade.mark(question.id),
            excerpts(own.get(question.answer, ())),
        )
        for question, automatic, verdict in zip(
            bank.questions, grade.graded.verdicts, grade.verdicts, strict=True
        )
    ]
    return page(
        "feedback.html",
        grade=grade,
        bank=bank,
        rows=rows,
        protections=protections,
        most_errors=MOST_ERRORS,
    )


def page_name(submission: Submission | Grade | Standing) -> str:
    """Return the file name of a student's page: readable, safe, and never the same for two.

    >>> page_name(Submission("../<b>.ipynb", "../<b>", None))
    'b-7d349dde69c19f17.html'
    """
    name = Submission(submission.name, submission.student, None)
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", name.student).strip("-")[:60]
    return f"{readable or 'student'}-{name.key}.html"
