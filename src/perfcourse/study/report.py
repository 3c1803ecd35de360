"""The report of a study: a page, two tables of results, and all answers in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from perfcourse.report.files import write
from perfcourse.report.pages import page
from perfcourse.report.tables import table
from perfcourse.study import exports, sentences
from perfcourse.study.exports import Answer
from perfcourse.study.findings import Findings, Line
from perfcourse.study.scores import MEASURES
from perfcourse.study.simulation import MARK

HEADER = (
    "group",
    "measure",
    "before",
    "after",
    "fall",
    "t_low",
    "t_high",
    "bootstrap_low",
    "bootstrap_high",
    "degrees_of_freedom",
    "students",
)
SIDE, EDGE = 320, 44
"""Of the figure, in its own units: the square, and the room for its words."""


def is_simulated(found: Findings) -> bool:
    """Return whether any student was drawn by `simulation`."""
    return any(row.name.startswith(MARK) for row in found.students)


def write_reports(
    out: Path, found: Findings, groups: Mapping[str, Sequence[Answer]], smallest: float
) -> None:
    """Write study.html, effects.csv, students.csv and answers.csv into a folder.

    `smallest` is the fall of the mean log error that would matter, for the size of the next class.
    """
    write(out / "study.html", study_page(found, smallest))
    write(out / "effects.csv", effects(found))
    write(out / "students.csv", by_student(found))
    write(out / "answers.csv", exports.table(chain.from_iterable(groups.values())))


def study_page(found: Findings, smallest: float) -> str:
    """Return the report as one HTML page without scripts, every value escaped."""
    firsts = [line for line in found.lines if line.measure == 0]
    return page(
        "study.html",
        found=found,
        measures=MEASURES,
        simulated=is_simulated(found),
        verdicts=[sentences.verdict(line) for line in firsts],
        size=sentences.next_class(firsts[-1], smallest),
        cautions=sentences.cautions(found),
        dots=_dots(found),
        side=SIDE,
        edge=EDGE,
    )


def effects(found: Findings) -> str:
    """Return a line an effect, as CSV."""
    return table(HEADER, (_effect(line) for line in found.lines))


def _effect(line: Line) -> list[str | float]:
    effect = line.effect
    return [
        line.group,
        MEASURES[line.measure].name,
        line.before,
        line.after,
        effect.estimate,
        *effect.interval,
        *effect.bootstrap,
        effect.degrees,
        effect.students,
    ]


def by_student(found: Findings) -> str:
    """Return a line a student, as CSV; empty where there is nothing to average."""
    names = [f"{m.name} {phase}" for phase in exports.PHASES for m in MEASURES]
    header = ["student", "group", "order", "answers before", "answers after", *names]
    rows = (
        [row.name, row.group, row.order, *row.answers, *map(_known, (*row.before, *row.after))]
        for row in found.students
    )
    return table(header, rows)


def _known(value: float) -> str | float:
    return value if np.isfinite(value) else ""


def _dots(found: Findings) -> list[tuple[float, float, bool]]:
    """Return where each student with both phases stands, and whether in the first group."""
    paired = [row for row in found.students if np.isfinite(row.fall(0))]
    most = max(max(row.before[0], row.after[0]) for row in paired) or 1.0
    return [
        (
            round(EDGE + SIDE * row.before[0] / most, 1),
            round(SIDE * (1 - row.after[0] / most) + 10, 1),
            row.group == found.lines[0].group,
        )
        for row in paired
    ]
