"""What a study shows: means, effects, what is missing, and sentences that say so."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from perfcourse.study.effect import FEWEST, Effect, weighted
from perfcourse.study.exports import Answer, ExportError
from perfcourse.study.scores import CAP, MEASURES, Student, crossed_pages, log_error, students
from perfmodel.validation import Floats

SMALL = 10
"""With fewer students than this the intervals lean on the normal distribution, and it is said."""


class Line(NamedTuple):
    """One effect of a group, or the difference between two groups."""

    group: str
    measure: int
    """Its place in `MEASURES`."""
    before: float
    """Mean of the cells' means; of two groups the difference."""
    after: float
    effect: Effect


class Bin(NamedTuple):
    """Answers whose confidence was about the same."""

    phase: str
    stated: float
    """Mean confidence."""
    right: float
    """Share of them that were right."""
    answers: int


class Missing(NamedTuple):
    """What couldn't be counted."""

    only_before: tuple[str, ...]
    """Students without an answer after."""
    only_after: tuple[str, ...]
    skipped: int
    """Prompts whose answer was looked at without predicting."""
    choices: int
    """Answers that have no log error: a choice, or a computed answer of 0."""
    capped: int
    """Answers that count as off by the cap."""
    repeated: int
    """Pairs of answers to one prompt by one student, before and after."""


@dataclass(frozen=True)
class Findings:
    """A study's results."""

    students: tuple[Student, ...]
    lines: tuple[Line, ...]
    bins: tuple[Bin, ...]
    missing: Missing
    orders: tuple[str, ...]
    """The pages that were met first by some and last by others; none if all met the same first."""
    alone: tuple[str, ...]
    """Students left out since no second one of their group has their order of pages."""
    cap: float

    def line(self, measure: int, group: str | None = None) -> Line | None:
        """Return the line of a measure, of the last group (the comparison) if none is named."""
        lines = [x for x in self.lines if x.measure == measure and group in (None, x.group)]
        return lines[-1] if lines else None


def findings(
    groups: Mapping[str, Sequence[Answer]],
    cap: float = CAP,
    confidence: float = 0.95,
    seed: int = 0,
) -> Findings:
    """Return what one group, or two, show: the class, and the comparison group if there is one.

    Each needs two students who answered both before and after in the same order. `cap` is above 1,
    see `log_error`; `confidence` is that of all intervals.
    """
    if not 1 <= len(groups) <= 2:
        raise ExportError(f"groups must be one or two, got {len(groups)}: {', '.join(groups)}")
    rows = students(groups, cap)
    lines: list[Line] = []
    left_out: list[str] = []
    for place in range(len(MEASURES)):
        cells = {group: _cells(rows, group, place) for group in groups}
        usable = {g: [cell for cell in some if len(cell) >= FEWEST] for g, some in cells.items()}
        if place == 0:
            small = [cell for some in cells.values() for cell in some if len(cell) < FEWEST]
            left_out = [row.name for cell in small for row in cell]
            for group, some in usable.items():
                if not some:
                    raise ExportError(_no_pairs(rows, group))
        if all(usable.values()):
            lines += _lines(usable, place, confidence, seed)
    answers = [answer for some in groups.values() for answer in some]
    return Findings(
        tuple(rows),
        tuple(lines),
        tuple(_bins(answers)),
        _missing(rows, answers, cap),
        tuple(sorted(crossed_pages(answers))) if len({row.order for row in rows}) > 1 else (),
        tuple(left_out),
        cap,
    )


def _cells(rows: Sequence[Student], group: str, place: int) -> list[list[Student]]:
    """Return a group's students with both phases, by the order in which they met the pages."""
    paired = [row for row in rows if row.group == group and not math.isnan(row.fall(place))]
    orders = sorted({row.order for row in paired})
    return [[row for row in paired if row.order == order] for order in orders]


def _no_pairs(rows: Sequence[Student], group: str) -> str:
    known = [row for row in rows if row.group == group]
    before = sum(not math.isnan(row.before[0]) for row in known)
    after = sum(not math.isnan(row.after[0]) for row in known)
    both = sum(not math.isnan(row.fall(0)) for row in known)
    return (
        f"{group}: no pairs to compare. {before} students answered with numbers before, "
        f"{after} after, {both} both; two or more must have both, under one id"
    )


def _lines(
    cells: Mapping[str, Sequence[Sequence[Student]]], place: int, confidence: float, seed: int
) -> list[Line]:
    made = []
    for name, by_order in cells.items():
        falls = [_falls(cell, place) for cell in by_order]
        shares = [1 / len(falls)] * len(falls)
        before, after = _mean(by_order, place)
        made.append(Line(name, place, before, after, weighted(falls, shares, confidence, seed)))
    if len(made) == 2:
        both = [_falls(cell, place) for by_order in cells.values() for cell in by_order]
        signs = zip((1, -1), cells.values(), strict=True)
        shares = [sign / len(by_order) for sign, by_order in signs for _ in by_order]
        one, other = made
        effect = weighted(both, shares, confidence, seed)
        name = f"{one.group} against {other.group}"
        made.append(Line(name, place, one.before - other.before, one.after - other.after, effect))
    return made


def _falls(cell: Sequence[Student], place: int) -> Floats:
    return np.array([row.fall(place) for row in cell])


def _mean(cells: Sequence[Sequence[Student]], place: int) -> tuple[float, float]:
    before = np.mean([np.mean([row.before[place] for row in cell]) for cell in cells])
    after = np.mean([np.mean([row.after[place] for row in cell]) for cell in cells])
    return float(before), float(after)


def _bins(answers: Sequence[Answer]) -> list[Bin]:
    """Return the answers that came with a confidence, by phase and tenth of it."""
    bins = []
    for phase in ("before", "after"):
        told = [
            (a.confidence, a.right) for a in answers if a.phase == phase and a.right is not None
        ]
        sure = [(c, float(r)) for c, r in told if c is not None]
        for tenth in range(11):
            some = [pair for pair in sure if round(10 * pair[0]) == tenth]
            if some:
                stated, right = np.mean(some, axis=0)
                bins.append(Bin(phase, float(stated), float(right), len(some)))
    return bins


def _missing(rows: Sequence[Student], answers: Sequence[Answer], cap: float) -> Missing:
    given = [answer for answer in answers if answer.given]
    numbers = [(a.prediction, a.truth) for a in given if a.truth and a.prediction is not None]
    errors = [log_error(p, t, cap) for p, t in numbers if p is not None and t is not None]
    times = {(a.student, a.box, a.phase) for a in given}
    return Missing(
        tuple(row.name for row in rows if row.answers[0] and not row.answers[1]),
        tuple(row.name for row in rows if row.answers[1] and not row.answers[0]),
        len(answers) - len(given),
        len(given) - len(numbers),
        sum(error == math.log(cap) for error in errors),
        sum((s, b, "before") in times and p == "after" for s, b, p in times),
    )
