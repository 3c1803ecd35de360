"""Worked examples that fade: one solved line by line, one with a gap, and one for the reader alone.

The three are one function of their numbers, so that the package computes every value. An answer can
be tried as often as the reader likes; nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import combinations
from typing import Any

from perfmodel.live.display import Display, packed
from perfmodel.live.prompt import ASLEEP, checked_key
from perfmodel.units import number
from perfmodel.validation import finite, within

TOLERANCE = 0.02
"""The relative error up to which an answer is right: values in between may be rounded."""


@dataclass(frozen=True)
class SolutionLine:
    """One line of a solution: a rule, the numbers put into it, and what comes out.

    >>> line = SolutionLine("Utilization ρ = λ E[S]", "0.3/s × 1 s", 0.3)
    >>> line.shown
    '0.3'
    """

    rule: str
    """What is computed, in words and symbols."""
    numbers: str
    """The right side with its numbers and units; shown in a solution alone."""
    value: float
    unit: str = ""
    mistakes: Mapping[str, float] = field(default_factory=dict)
    """The usual wrong values, by the feedback for each."""

    @property
    def shown(self) -> str:
        """The value with its unit."""
        return f"{number(float(self.value))} {self.unit}".strip()

    def html(self) -> str:
        """Return the whole line."""
        sides = f"{escape(self.rule)} = {escape(self.numbers)}"
        return f"<li>{sides} = <strong>{escape(self.shown)}</strong></li>"


@dataclass(frozen=True)
class Problem:
    """A problem with its solution; the last line is the answer."""

    text: str
    """Plain text that ends with the question and names the unit of the answer."""
    lines: Sequence[SolutionLine]


@dataclass(frozen=True)
class WorkedExample:
    """A kind of problem, and the numbers of three of them."""

    key: str
    """A stable name, unique in the book: lower-case letters, digits and hyphens."""
    solve: Callable[..., Problem]
    """Takes the numbers by keyword and returns the problem with its solution."""
    gap: int
    """Which line the second problem asks for, counted from 0."""
    solved: Mapping[str, Any]
    with_gap: Mapping[str, Any]
    alone: Mapping[str, Any]

    def problems(self) -> tuple[Problem, Problem, Problem]:
        """Return the three problems.

        Raises
        ------
        ValueError
            If a wrong value can't be told from the right one, or from another, by its size.
        """
        solved, gap, alone = (
            self.solve(**numbers) for numbers in (self.solved, self.with_gap, self.alone)
        )
        within("gap", self.gap, 0, len(gap.lines) - 1)
        for line in (gap.lines[self.gap], alone.lines[-1]):
            _told_apart(self.key, line)
        return solved, gap, alone


def _told_apart(key: str, line: SolutionLine) -> None:
    values: list[float] = [float(line.value), *map(float, line.mistakes.values())]
    finite("value", values[0])
    if not line.mistakes:
        raise ValueError(f"mistakes of {line.rule!r} in {key} must be one or more, got none")
    for one, other in combinations(values, 2):
        if abs(one - other) <= 2 * TOLERANCE * max(abs(one), abs(other)):
            raise ValueError(
                f"mistakes of {line.rule!r} in {key} must differ by more than "
                f"{2 * TOLERANCE:.0%}, got {one:g} and {other:g}"
            )


def worked(example: WorkedExample) -> Display:
    """Show an example: solved, then with a gap, then to be solved alone, each with its reply.

    >>> def half(whole):
    ...     twice = {"That is twice.": 2 * whole}
    ...     line = SolutionLine("Half", f"{whole} s / 2", whole / 2, "s", twice)
    ...     return Problem(f"What is half of {whole} s?", [line])
    >>> worked(WorkedExample("half", half, 0, {"whole": 2}, {"whole": 6}, {"whole": 5})).text
    'Worked example: What is half of 2 s?'
    """
    solved, gap, alone = example.problems()
    key = checked_key(example.key)
    first, rest = solved.lines[0], solved.lines[1:]
    more = ""
    if rest:
        count = "The other line" if len(rest) == 1 else f"The other {len(rest)} lines"
        more = f"<details><summary>{count}</summary>{_listed(rest, 2)}</details>"
    asked = gap.lines[example.gap]
    known = _listed(gap.lines[: example.gap]) if example.gap else ""
    known += f"<p>{escape(asked.rule)} = ?</p>"
    parts = (
        ("Fill the gap, with other numbers", "The gap", gap, known, asked, f"{key}-gap"),
        ("Once more, alone", "Alone", alone, "", alone.lines[-1], f"{key}-alone"),
    )
    tries = "".join(
        f"<details><summary>{summary}</summary>"
        f'<div class="live-try"><p class="live-question"><strong>{lead}.</strong> '
        f"{escape(problem.text)}</p>{given}{_tried(name, line, problem)}</div></details>"
        for summary, lead, problem, given, line, name in parts
    )
    html = (
        f'<section class="live live-worked" id="worked-{key}" data-live="worked"'
        f' aria-label="Worked example">'
        f'<p class="live-question"><strong>Worked example.</strong> {escape(solved.text)}</p>'
        f"{_listed([first])}{more}{tries}</section>"
    )
    return Display(html, f"Worked example: {solved.text}")


def _listed(lines: Sequence[SolutionLine], start: int = 1) -> str:
    first = f' start="{start}"' if start > 1 else ""
    return f'<ol class="live-lines"{first}>{"".join(line.html() for line in lines)}</ol>'


def _tried(name: str, line: SolutionLine, problem: Problem) -> str:
    """Return the entry of one answer, made by the script, and the solution folded below it."""
    unit = f" ({escape(line.unit)})" if line.unit else ""
    form = (
        f'<label for="try-{name}">Your answer{unit}</label>'
        f'<input id="try-{name}" type="text" inputmode="decimal" autocomplete="off">'
        '<button type="submit">Check</button>'
    )
    data = {
        "form": form,
        "answer": float(line.value),
        "shown": line.shown,
        "unit": line.unit,
        "tolerance": TOLERANCE,
        "rule": line.rule,
        "mistakes": [[float(value), reply] for reply, value in line.mistakes.items()],
    }
    return (
        f'<form></form><p class="live-score" role="status">{ASLEEP}</p>'
        f"<details><summary>All lines</summary>{_listed(problem.lines)}</details>"
        f'<script type="application/json">{packed(data)}</script>'
    )
