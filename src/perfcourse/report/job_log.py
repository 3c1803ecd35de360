"""The log of a job: lines that fold, and notes at files, where the system that shows it has them.

What students wrote stands in these lines, and a line of theirs must not become a command to that
system: see `perfcourse.isolation.untrusted.logged`.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from perfcourse.isolation.untrusted import logged
from perfcourse.report.autograde_outcome import Marked, Outcome

MOST_NOTES = 10
"""Notes of one level that GitHub shows for a step."""
_SECTIONS = itertools.count(1)
_CLEAR = "\x1b[0K"


def runner() -> str:
    """Return whose job this process is part of: `github`, `gitlab`, or '' for neither's."""
    if os.environ.get("GITHUB_ACTIONS") == "true":
        return "github"
    return "gitlab" if os.environ.get("GITLAB_CI") == "true" else ""


def show(outcome: Outcome) -> None:
    """Print each notebook's questions, folded, then notes at the files, then the sum."""
    for marked in outcome.marked:
        graded = marked.graded
        with group(f"{marked.file}: {graded.earned:g} of {graded.points:g} points"):
            for text in _lines(marked):
                click.echo(f"  {logged(text)}")
    _annotate(outcome)
    click.echo(f"{outcome.earned:g} of {outcome.points:g} points: {outcome.status.words}")


def _lines(marked: Marked) -> Iterator[str]:
    if marked.graded.problem:
        yield marked.graded.problem
    for number, kind, text in marked.graded.errors[:5]:
        yield f"cell {number} raised {kind}: {text[:200]}"
    for verdict in marked.graded.verdicts:
        sign = "✔" if verdict.right else "✘"
        said = "" if verdict.right else f": {verdict.message}"
        yield f"{sign} {verdict.question}: {verdict.earned:g} of {verdict.points:g}{said}"


@contextmanager
def group(title: str) -> Iterator[None]:
    """Fold the lines printed inside the block under a title, where the log can fold."""
    begin, end = _marks(logged(title))
    click.echo(begin, color=True)  # else it takes GitLab's marks off where there is no terminal
    yield
    if end:
        click.echo(end, color=True)


def _marks(title: str) -> tuple[str, str]:
    if runner() == "github":
        return f"::group::{_data(title)}", "::endgroup::"
    if runner() == "gitlab":
        name, now = f"perfcourse_{next(_SECTIONS)}", int(time.time())
        begin = f"{_CLEAR}section_start:{now}:{name}[collapsed=true]\r{_CLEAR}{title}"
        return begin, f"{_CLEAR}section_end:{now}:{name}\r{_CLEAR}"
    return title, ""


def _annotate(outcome: Outcome) -> None:
    """Pin what is wrong to the files, on GitHub: an error for a fault, a warning for an answer."""
    if runner() != "github":
        return
    for marked in outcome.marked:
        if marked.fault is not None:
            _note("error", marked.file, marked.fault.words, marked.graded.problem)
    wrong = (
        (marked.file, verdict)
        for marked in outcome.marked
        if marked.fault is None
        for verdict in marked.graded.verdicts
        if not verdict.right
    )
    for file, verdict in itertools.islice(wrong, MOST_NOTES):
        title = f"{verdict.question}: {verdict.earned:g} of {verdict.points:g}"
        _note("warning", file, title, verdict.message)


def _note(level: str, file: str, title: str, text: str) -> None:
    where = f"file={_property(file)},title={_property(title)}"
    click.echo(f"::{level} {where}::{_data(logged(text))}")


def _data(text: str) -> str:
    return text.replace("%", "%25")


def _property(text: str) -> str:
    return _data(logged(text)).replace(":", "%3A").replace(",", "%2C")
