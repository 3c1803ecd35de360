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
from typing import NamedTuple

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
ROWS = 128
"""Sets, or submissions, that are compared with all others at a time."""
_BYTES = np.dtype(np.int64).itemsize


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


class Similarity:
    """The fingerprints of a class, taken up one submission at a time, and what they share.

    A set of fingerprints that several submissions have is kept and compared once. What is kept
    grows with the number of different sets; the tables of who shares what are made for `ROWS` sets
    or submissions at a time, and kept as one bit for each two sets.
    """

    def __init__(self) -> None:
        self._names: list[str] = []
        self._sets: dict[bytes, int] = {}
        self._answers: dict[str, list[_Answer]] = {}

    def add(self, name: str, prints: Mapping[str, Print]) -> None:
        """Take up the fingerprints of a submission's answers; one without any doesn't count."""
        if not prints:
            return
        for label, own in prints.items():
            pieces = tuple(map(self._number, own.pieces))
            answer = _Answer(len(self._names), pieces, self._number(own.whole), own.left_out)
            self._answers.setdefault(label, []).append(answer)
        self._names.append(name)

    def _number(self, marks: frozenset[int]) -> int:
        """Return the number of a set of fingerprints, the same for equal sets."""
        key = np.sort(np.fromiter(marks, np.int64, len(marks))).tobytes()
        return self._sets.setdefault(key, len(self._sets))

    def pairs(self) -> list[Pair]:
        """Return the pairs that share more than chance explains, the most surprising first."""
        count = len(self._names)
        if count < FEWEST:
            return []
        sets = list(self._sets)
        labels = {label: _Label(self._answers[label], sets) for label in sorted(self._answers)}
        surprises: dict[tuple[int, int], tuple[float, int, int]] = {}
        for start in range(0, count, ROWS):
            rows = range(start, min(start + ROWS, count))
            total = np.zeros((len(rows), count))
            for label in labels.values():
                total += label.surprise(rows, count)
            surprising = count * (count - 1) * np.exp(-total) < EXPECTED
            for row, other in np.argwhere(surprising):
                first, second = start + int(row), int(other)
                key = min(first, second), max(first, second)
                new = float(total[row, other]), -first, second
                surprises[key] = max(surprises.get(key, new), new)
        pairs = [
            self._pair(-first, second, float(count * (count - 1) * np.exp(-total)), labels)
            for total, first, second in surprises.values()
        ]
        return sorted(pairs, key=lambda pair: (pair.expected, pair.first, pair.second))

    def _pair(self, first: int, second: int, expected: float, labels: Mapping[str, _Label]) -> Pair:
        shared = {
            label: value for label, of in labels.items() if (value := of.shared(first, second)) > 0
        }
        order = sorted(shared, key=lambda label: (-shared[label], label == REST, label))
        left_out = sum(labels[label].left_out(first) for label in order)
        return Pair(self._names[first], self._names[second], tuple(order), expected, left_out)


class _Answer(NamedTuple):
    """A submission's fingerprints for one answer, as numbers of sets."""

    owner: int
    pieces: tuple[int, ...]
    whole: int
    left_out: int


class _Label:
    """One answer of all who have it: which piece is in whose code, and how surprising that is.

    In units of e: the logarithm of one over the share of the others who have such an answer.
    """

    def __init__(self, answers: Sequence[_Answer], sets: Sequence[bytes]) -> None:
        self._of = {answer.owner: answer for answer in answers}
        pieces = sorted({piece for answer in answers for piece in answer.pieces})
        wholes, column, counts = np.unique(
            [answer.whole for answer in answers], return_inverse=True, return_counts=True
        )
        self._row = {piece: row for row, piece in enumerate(pieces)}
        self._owners = np.array([answer.owner for answer in answers])
        self._columns = column
        self._column = dict(zip(self._owners.tolist(), column.tolist(), strict=True))
        self._width = len(wholes)
        self._bits = np.empty((len(pieces), -(-self._width // 8)), np.uint8)
        self._surprise = np.zeros(len(pieces))
        others = len(answers) - 1
        columns: dict[int, int] = {}
        marks = _matrix([sets[number] for number in pieces], columns)
        whole = _matrix([sets[number] for number in wholes], columns).T.tocsr()
        marks.resize(len(pieces), whole.shape[0])
        sizes = np.array([len(sets[number]) // _BYTES for number in pieces])
        for start in range(0, len(pieces), ROWS):
            rows = slice(start, start + ROWS)
            shared = (marks[rows] @ whole).toarray() >= SHARED * sizes[rows, None]
            self._bits[rows] = np.packbits(shared, axis=1)
            having = shared @ counts - 1  # without the one whose piece it is
            surprising = (having > 0) & (others > 0)
            self._surprise[rows][surprising] = [
                math.log(others / int(having)) for having in having[surprising]
            ]

    def surprise(self, rows: range, count: int) -> NDArray[np.float64]:
        """Return how surprising it is that these submissions' answers are in each other one's."""
        surprise = np.zeros((len(rows), count))
        for row in rows:
            for piece in self._of[row].pieces if row in self._of else ():
                number = self._row[piece]
                if self._surprise[number]:
                    inside = self._inside(number)[self._columns]
                    surprise[row - rows.start, self._owners[inside]] += self._surprise[number]
        surprise[np.arange(len(rows)), np.arange(rows.start, rows.stop)] = 0.0
        return surprise

    def _inside(self, number: int) -> NDArray[np.bool_]:
        """Return which of the different codes hold a piece."""
        return np.unpackbits(self._bits[number], count=self._width).astype(bool)

    def shared(self, first: int, second: int) -> float:
        """Return how surprising it is that one submission's answer is in another's."""
        if first not in self._of or second not in self._of:
            return 0.0
        numbers = [self._row[piece] for piece in self._of[first].pieces]
        column = self._column[second]
        return sum(
            float(self._surprise[number]) for number in numbers if self._inside(number)[column]
        )

    def left_out(self, owner: int) -> int:
        """Return how many fingerprints of a submission's answer the stub has, too."""
        return self._of[owner].left_out


def similar(prints: Mapping[str, Mapping[str, Print]]) -> list[Pair]:
    """Return the pairs that share more than chance explains, the most surprising first.

    `prints` holds the fingerprints of each submission's answers, by its name.
    """
    everybody = Similarity()
    for name, answers in prints.items():
        everybody.add(name, answers)
    return everybody.pairs()


def _matrix(sets: Sequence[bytes], columns: dict[int, int]) -> csr_array:
    """Return sets as rows of ones, a column a fingerprint; new ones are added to the columns."""
    marks = [np.frombuffer(marks, np.int64) for marks in sets]
    places = [columns.setdefault(mark, len(columns)) for own in marks for mark in own.tolist()]
    ends = np.cumsum([0, *map(len, marks)])
    ones = np.ones(len(places), np.int32)
    return csr_array((ones, np.array(places, np.int32), ends), shape=(len(marks), len(columns)))
