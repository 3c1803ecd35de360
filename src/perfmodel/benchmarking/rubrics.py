"""Rubrics: grades that have an order and no distance, and what may be said about them.

A rubric is a list of rules, tried in their order; the first that fits gives the grade. Grades are
ordinal: "expert" is above "learner", and by how much nobody said. Whoever averages them has chosen
distances. `ordinal_comparison` says what holds whatever distances are chosen.

Source: E. L. Lehmann, "Ordered families of distributions", Annals of Mathematical Statistics 26,
1955, for stochastic dominance; the rest is our own derivation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, sample, whole

T = TypeVar("T")


@dataclass(frozen=True)
class Rule(Generic[T]):
    """A grade and what must hold for it."""

    grade: str
    holds: Callable[[T], bool]


@dataclass(frozen=True)
class Rubric(Generic[T]):
    """Grades from worst to best, and the rules that give them, tried in their own order.

    >>> tidy = Rubric(("fail", "pass"), (Rule("pass", lambda x: x >= 50),), otherwise="fail")
    >>> tidy.grade(60), tidy.grade(10), tidy.rank("pass")
    ('pass', 'fail', 1)
    """

    grades: tuple[str, ...]
    """From worst to best, each once."""
    rules: tuple[Rule[T], ...]
    """The first that holds gives the grade."""
    otherwise: str
    """The grade where no rule holds."""

    def __post_init__(self) -> None:
        """Refuse a rubric that names a grade twice, or gives one that it doesn't list."""
        if len(set(self.grades)) != len(self.grades):
            raise ValueError(f"grades must name each once, got {self.grades!r}")
        for given in (*(rule.grade for rule in self.rules), self.otherwise):
            if given not in self.grades:
                raise ValueError(f"rules must give grades among {self.grades!r}, got {given!r}")

    def grade(self, work: T) -> str:
        """Return the grade of a piece of work."""
        return next((rule.grade for rule in self.rules if rule.holds(work)), self.otherwise)

    def rank(self, grade: str) -> int:
        """Return the place of a grade, 0 for the worst."""
        if grade not in self.grades:
            raise ValueError(f"grade must be among {self.grades!r}, got {grade!r}")
        return self.grades.index(grade)


@dataclass(frozen=True)
class OrdinalComparison:
    """Two groups of grades, compared without distances between the grades."""

    superiority: float
    """Chance that a grade of the first is above one of the second, plus half that of a tie."""
    dominates: bool
    """Whether the first has the higher mean, or the same, whatever the distances."""
    dominated: bool
    """Whether the second has."""

    @property
    def depends_on_codes(self) -> bool:
        """Whether somebody can choose distances that put either ahead by its mean."""
        return not (self.dominates or self.dominated)


def ordinal_comparison(
    first: ArrayLike, second: ArrayLike, levels: int | None = None
) -> OrdinalComparison:
    """Compare two groups of grades by their order alone.

    The mean of the first is at least that of the second for all increasing codes exactly if, at
    each level, at least as large a share of the first is at that level or above (first-order
    stochastic dominance). Returns an `OrdinalComparison`.

    Parameters
    ----------
    first, second : array_like, shape (n,) and (m,)
        Ranks of grades: whole numbers, 0 for the worst.
    levels : int, optional
        Number of grades there are, above the highest rank; else as many as occur.

    Examples
    --------
    >>> ordinal_comparison([0, 4], [1, 2]).depends_on_codes
    True
    >>> ordinal_comparison([2, 4], [1, 2]).dominates
    True
    """
    one, two = _ranks("first", first), _ranks("second", second)
    count = int(max(one.max(), two.max())) + 1 if levels is None else whole("levels", levels, 1)
    for name, ranks in (("first", one), ("second", two)):
        if ranks.max() >= count:
            raise ValueError(f"{name} must hold ranks below {count}, got {ranks.max():g}")
    above = one[:, None] - two
    fraction = float((above > 0).mean() + (above == 0).mean() / 2)
    ahead = _at_or_above(one, count) - _at_or_above(two, count)
    slack = 1e-12
    return OrdinalComparison(fraction, bool((ahead >= -slack).all()), bool((ahead <= slack).all()))


def turning_codes(first: ArrayLike, second: ArrayLike, levels: int) -> tuple[Floats, Floats] | None:
    """Return codes that put the first group ahead by its mean, and codes that put the second.

    Codes of the `levels` grades go from 0 to 1, strictly rising; None where the order holds for all
    codes. `first` and `second` are ranks of grades: whole numbers, 0 for the worst.

    Examples
    --------
    >>> for codes in turning_codes([0, 4], [1, 2], 5):
    ...     print(codes[[0, 4]].mean() > codes[[1, 2]].mean())
    True
    False
    """
    if not ordinal_comparison(first, second, whole("levels", levels, 2)).depends_on_codes:
        return None
    ahead = _at_or_above(_ranks("first", first), levels) - _at_or_above(
        _ranks("second", second), levels
    )
    return _codes(int(ahead.argmax()), ahead, levels), _codes(int(ahead.argmin()), ahead, levels)


def _codes(jump: int, ahead: Floats, levels: int) -> Floats:
    """Return rising codes whose one large step lies between the levels `jump` and `jump` + 1."""
    others = np.delete(ahead, jump)
    against = float(np.abs(others).sum())
    small = min(0.5, abs(float(ahead[jump])) / (2 * against)) if against else 0.5
    steps = np.full(levels - 1, small)
    steps[jump] = 1.0
    codes = np.concatenate([[0.0], steps.cumsum()])
    return np.asarray(codes / codes[-1])


def _ranks(name: str, values: ArrayLike) -> Floats:
    ranks = sample(name, values)
    if (ranks < 0).any() or (finite(name, ranks) != np.floor(ranks)).any():
        raise ValueError(f"{name} must hold whole numbers, 0 or more, got {ranks.tolist()!r}")
    return ranks


def _at_or_above(ranks: Floats, levels: int) -> Floats:
    """Return the share at each level or above it, without the lowest, where it is 1."""
    return np.asarray((ranks[:, None] >= np.arange(1, levels)).mean(axis=0))
