"""What the results of a class say about its students and about its questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perfcourse.bank import Bank
from perfcourse.gradebook.grade import Grade

FEWEST = 10
"""Fewer submissions than this have no discrimination worth printing."""
HELP_BELOW = 0.5


@dataclass(frozen=True)
class Item:
    """How a question did: `difficulty` is the mean share of its points that was earned.

    `discrimination` is the correlation of a student's points here with their points on all other
    questions: near 0 or below, the question doesn't tell who knows the subject.
    """

    id: str
    title: str
    difficulty: float
    discrimination: float | None
    unanswered: int
    mistakes: tuple[tuple[str, int, str], ...]
    """Name, count, hint; the most common first."""


def shares(results: Sequence[Grade]) -> list[float]:
    """Return each submission's share of the points."""
    return [grade.earned / grade.points if grade.points else 0.0 for grade in results]


def distribution(results: Sequence[Grade], bins: int = 10) -> list[int]:
    """Return how many submissions fall in each of equal ranges from 0 to all points."""
    counts, _ = np.histogram(shares(results), bins=bins, range=(0, 1))
    return [int(count) for count in counts]


def items(results: Sequence[Grade], bank: Bank) -> list[Item]:
    """Return difficulty, discrimination and mistakes of each question."""
    rated = [grade for grade in results if not grade.problem or grade.earned]
    scores = np.array([[v.earned / v.points for v in grade.verdicts] for grade in rated])
    points = np.array([question.points for question in bank.questions], dtype=float)
    return [_item(index, bank, rated, scores, points) for index in range(len(bank.questions))]


def _item(
    place: int,
    bank: Bank,
    rated: Sequence[Grade],
    scores: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    points: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> Item:
    question = bank.questions[place]
    verdicts = [grade.verdicts[place] for grade in rated]
    named = Counter(verdict.misconception for verdict in verdicts if verdict.misconception)
    hints = {wrong.name: wrong.hint for wrong in question.mistakes}
    return Item(
        question.id,
        question.title,
        float(scores[:, place].mean()) if rated else 0.0,
        _discrimination(place, scores, points) if len(rated) >= FEWEST else None,
        sum(not verdict.answered for verdict in verdicts),
        tuple((name, count, hints.get(name, "")) for name, count in named.most_common()),
    )


def _discrimination(
    place: int,
    scores: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    points: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> float | None:
    here, rest = scores[:, place], np.delete(scores, place, 1) @ np.delete(points, place)
    if np.ptp(here) < 1e-12 or rest.size == 0 or np.ptp(rest) < 1e-12:
        return None
    return float(np.corrcoef(here, rest)[0, 1])


def need_help(results: Sequence[Grade]) -> list[Grade]:
    """Return who earned less than half of the points or could not be grade, lowest first."""
    low = [grade for grade in results if grade.earned < HELP_BELOW * grade.points]
    return sorted(low, key=lambda grade: (grade.earned, grade.student))
