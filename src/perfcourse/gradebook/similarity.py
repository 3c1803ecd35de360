"""Pairs of submissions that share more than chance explains; for a human to judge.

An answer of one student is shared by another if nearly all of its fingerprints are in the other's,
too. How surprising that is depends on the class: the share of all others who have such an answer is
taken as the chance of having it independently. Over the answers these chances are multiplied, and
times the number of pairs they say how many pairs as alike as this one are to be expected in a class
in which everybody worked alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from perfcourse.gradebook.answers import REST
from perfcourse.gradebook.fingerprints import Print

SHARED = 0.8
"""So much of an answer's fingerprints must be in the other's."""
EXPECTED = 0.001
"""Pairs are listed of which fewer than this are to be expected by chance."""
FEWEST = 8
"""A smaller class can't say what is usual."""


@dataclass(frozen=True)
class Pair:
    """Two submissions that share more than chance explains."""

    first: str
    """Whose answers are in the other's."""
    second: str
    answers: tuple[str, ...]
    """Which they share, the most unusual first; `REST` for code that sets no answer."""
    expected: float
    """How many pairs as alike are to be expected in a class of people who work alone."""
    left_out: int
    """Fingerprints of the first one's answers that the notebook handed out has, too."""


def similar(prints: Mapping[str, Mapping[str, Print]]) -> list[Pair]:
    """Return the pairs that share more than chance explains, the most surprising first.

    Parameters
    ----------
    prints : mapping
        Of each submission, by name, the fingerprints of its answers.
    """
    names = [name for name, answers in prints.items() if answers]
    if len(names) < FEWEST:
        return []
    labels = sorted({label for name in names for label in prints[name]})
    surprises = {label: _surprise([prints[name].get(label) for name in names]) for label in labels}
    total = np.sum(list(surprises.values()), axis=0)
    expected = len(names) * (len(names) - 1) * np.exp(-np.maximum(total, total.T))
    pairs = []
    for low, high in np.argwhere(np.triu(expected < EXPECTED, 1)):
        place = (low, high) if total[low, high] >= total[high, low] else (high, low)
        answers = {label: float(surprise[place]) for label, surprise in surprises.items()}
        first, second = (names[number] for number in place)
        pairs.append(_pair(first, second, answers, float(expected[place]), prints[first]))
    return sorted(pairs, key=lambda pair: (pair.expected, pair.first, pair.second))


def _pair(
    first: str,
    second: str,
    answers: Mapping[str, float],
    expected: float,
    prints: Mapping[str, Print],
) -> Pair:
    """Return a pair from how surprising it is, answer by answer, and the prints of the first."""
    shared = [label for label, surprise in answers.items() if surprise > 0]
    shared.sort(key=lambda label: (-answers[label], label == REST, label))
    left_out = sum(prints[label].left_out for label in shared)
    return Pair(first, second, tuple(shared), expected, left_out)


def _surprise(answers: Sequence[Print | None]) -> NDArray[np.float64]:
    """Return how surprising it is that a student's answer (row) is in another's (column).

    In units of e: the logarithm of one over the share of the others who have such an answer, summed
    over its pieces.
    """
    count = len(answers)
    surprise = np.zeros((count, count))
    pieces = [(owner, piece) for owner, own in enumerate(answers) if own for piece in own.pieces]
    others = sum(own is not None for own in answers) - 1
    if others < 1:
        return surprise
    columns: dict[int, int] = {}
    whole = [own.whole if own else frozenset() for own in answers]
    marks = _matrix([piece for _, piece in pieces], columns)
    held = (marks @ _matrix(whole, columns, len(columns)).T).toarray()
    sizes = np.array([len(piece) for _, piece in pieces])
    shared = held >= SHARED * sizes[:, None]
    for (owner, _), row in zip(pieces, shared, strict=True):
        row[owner] = False
        if having := int(row.sum()):
            surprise[owner, row] += math.log(others / having)
    return surprise


def _matrix(sets: Sequence[frozenset[int]], columns: dict[int, int], width: int = 0) -> csr_array:
    """Return sets as rows of ones, a column a fingerprint; with a width no column is added."""
    rows, places = [], []
    for row, marks in enumerate(sets):
        for mark in marks:
            place = columns.get(mark, -1) if width else columns.setdefault(mark, len(columns))
            if place >= 0:
                rows.append(row)
                places.append(place)
    shape = (len(sets), width or len(columns))
    return csr_array((np.ones(len(rows)), (rows, places)), shape=shape)
