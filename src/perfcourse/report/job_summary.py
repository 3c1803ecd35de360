"""The result as tables in Markdown, for the page of a job."""

from __future__ import annotations

import re
import string

from perfcourse.isolation.untrusted import one_line
from perfcourse.report.autograde_outcome import Marked, Outcome

LONGEST = 500
"""Characters of one message; GitHub shows no summary above 1 MiB."""
_HARMLESS = ".,?'\"%()/"
_ENTITIES = {ord(sign): f"&#{ord(sign)};" for sign in string.punctuation if sign not in _HARMLESS}
_LINKED = re.compile(r"[@#]|:(?=//)|(?<=www)(?=\.)", re.IGNORECASE)


def escaped(text: str) -> str:
    """Return a text as Markdown that shows it and does nothing else.

    Every sign that Markdown could take for one of its own behind a word of ours becomes an entity;
    what systems link by themselves (mentions, issues, addresses) is broken by a space of no width.

    >>> escaped("<b>|")
    '&#60;b&#62;&#124;'
    """
    return _LINKED.sub("\\g<0>\u200b", one_line(text)[:LONGEST]).translate(_ENTITIES)


def markdown(outcome: Outcome) -> str:
    """Return a heading and a table of its questions for each notebook, and the sum."""
    needed = "" if outcome.fail_under is None else f"; {outcome.fail_under:g} % are needed"
    points = (
        f"**{outcome.earned:g} of {outcome.points:g} points** ({outcome.percent:.1f} %{needed})"
    )
    tables = [_section(marked) for marked in outcome.marked]
    return "\n".join([*tables, f"{points}: {outcome.status.words}.", ""])


def _section(marked: Marked) -> str:
    graded = marked.graded
    lines = [f"### {escaped(marked.file)}: {graded.earned:g} of {graded.points:g}", ""]
    lines += [f"Note: {escaped(graded.problem)}", ""] if graded.problem else []
    lines += ["| question | points | |", "| --- | ---: | --- |"]
    for question, verdict in zip(marked.bank.questions, graded.verdicts, strict=True):
        points = f"{verdict.earned:g} of {verdict.points:g}"
        said = "" if verdict.right else escaped(verdict.message)
        lines.append(f"| {escaped(f'{question.id}. {question.title}')} | {points} | {said} |")
    return "\n".join([*lines, ""])
