"""Two numbers a student, before and after: how far off, how often right, how sure for nothing."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from perfcourse.study.exports import PHASES, Answer, ExportError

CAP = 100.0
"""A prediction that is off by more than this factor counts as off by this factor."""


def log_error(prediction: float, truth: float, cap: float = CAP) -> float:
    """Return |ln(prediction / truth)|, at most ln(cap).

    Zero and a wrong sign are infinitely far off on a logarithmic scale: they count as `cap`, so
    that nobody drops out for the worst of answers.

    >>> log_error(20, 10) == log_error(5, 10) == math.log(2)
    True
    >>> log_error(0, 10) == math.log(100)
    True
    """
    if truth == 0:
        raise ValueError("truth must not be 0, for no ratio to it exists")
    if cap <= 1:
        raise ValueError(f"cap must be above 1, got {cap:g}")
    ratio = prediction / truth
    return min(abs(math.log(ratio)), math.log(cap)) if ratio > 0 else math.log(cap)


class Measure(NamedTuple):
    """What is averaged over a student's answers of a phase."""

    name: str
    words: str
    """What it is, for a reader."""
    of: Callable[[Answer, float], float | None]
    """Its value for an answer, None where it has none; takes the answer and the cap."""


def _log_error(answer: Answer, cap: float) -> float | None:
    if not answer.given or answer.prediction is None or not answer.truth:
        return None
    return log_error(answer.prediction, answer.truth, cap)


def _wrong(answer: Answer, cap: float) -> float | None:
    return None if answer.right is None else float(not answer.right)


def _overconfidence(answer: Answer, cap: float) -> float | None:
    if answer.right is None or answer.confidence is None:
        return None
    return answer.confidence - answer.right


MEASURES = (
    Measure("log error", "|ln(prediction / truth)|", _log_error),
    Measure("wrong", "share of answers outside the prompt's tolerance", _wrong),
    Measure("overconfidence", "stated confidence minus share right", _overconfidence),
)
"""The first is the outcome to judge by; all three should fall."""


@dataclass(frozen=True)
class Student:
    """A student's means of each measure, NaN where there is nothing to average."""

    name: str
    group: str
    """The folder of the student's files."""
    order: str
    """Which page was met before, where the class met them in different orders."""
    before: tuple[float, ...]
    """A value a measure, in the order of `MEASURES`."""
    after: tuple[float, ...]
    answers: tuple[int, int]
    """Answers given before and after."""

    def fall(self, measure: int) -> float:
        """Return by how much a measure fell; NaN where either phase is missing."""
        return self.before[measure] - self.after[measure]


def students(groups: Mapping[str, Sequence[Answer]], cap: float = CAP) -> list[Student]:
    """Return the students of each group, by group and name; no id may be in two groups."""
    owners: dict[str, str] = {}
    sheets: dict[str, list[Answer]] = defaultdict(list)
    for group, answers in groups.items():
        for answer in answers:
            if owners.setdefault(answer.student, group) != group:
                raise ExportError(
                    f"{answer.student!r} is in both {owners[answer.student]!r} and {group!r}: "
                    "a student belongs to one group"
                )
            sheets[answer.student].append(answer)
    crossed = crossed_pages(answer for sheet in sheets.values() for answer in sheet)
    return [
        _student(name, owners[name], _order(sheet, crossed), sheet, cap)
        for name, sheet in sorted(sheets.items(), key=lambda item: (owners[item[0]], item[0]))
    ]


def crossed_pages(answers: Iterable[Answer]) -> set[str]:
    """Return the pages that some students met before and others after."""
    phases: dict[str, set[str]] = defaultdict(set)
    for answer in answers:
        phases[answer.page].add(answer.phase)
    return {page for page, seen in phases.items() if len(seen) == len(PHASES)}


def _order(sheet: Sequence[Answer], crossed: set[str]) -> str:
    """Return the crossed page with most of a student's answers before, else of those not after."""
    first = Counter(a.page for a in sheet if a.phase == "before" and a.page in crossed)
    if first:
        return min(first, key=lambda page: (-first[page], page))
    last = {a.page for a in sheet if a.phase == "after"}
    return min(crossed - last, default="") if crossed & last else ""


def _student(name: str, group: str, order: str, sheet: Sequence[Answer], cap: float) -> Student:
    phases = [[answer for answer in sheet if answer.phase == phase] for phase in PHASES]
    before, after = (
        tuple(_mean(measure.of(answer, cap) for answer in phase) for measure in MEASURES)
        for phase in phases
    )
    counts = [sum(answer.given for answer in phase) for phase in phases]
    return Student(name, group, order, before, after, (counts[0], counts[1]))


def _mean(values: Iterable[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else math.nan
