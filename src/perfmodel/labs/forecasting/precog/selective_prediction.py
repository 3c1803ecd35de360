"""Selective prediction: answering only where one is sure, and what that does to the error.

A predictor gives a forecast and a confidence. Answer the most confident share of the cases, the
*coverage*, and leave the rest to somebody else: the mean error of those answered is the *risk*. A
confidence is worth what it takes off the risk, and a forecast only what it takes off the error on
cases dated after everything that was learned from.

Source: R. El-Yaniv, Y. Wiener, "On the foundations of noise-free selective classification",
Journal of Machine Learning Research 11, 2010 (risk and coverage).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.prediction.arena.dataset import LeakError
from perfmodel.validation import Floats, non_negative, sample, whole

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class CoverageRisk:
    """The risk at every coverage, from the most confident case alone to all of them."""

    coverage: Floats
    """Shares of the cases that are answered, 1/n to 1, shape (n,)."""
    risk: Floats
    """Mean error of those answered, in the unit of the errors, shape (n,)."""
    best: Floats
    """The risk if cases were answered in the order of their errors: no confidence does better."""

    @property
    def area(self) -> float:
        """Mean risk over all coverages: the area under the curve."""
        return float(self.risk.mean())

    @property
    def full(self) -> float:
        """The risk of answering everything, which is also what confidence by lot gives."""
        return float(self.risk[-1])

    @property
    def gain(self) -> float:
        """What the confidence takes off the area, as a share of what a perfect one would.

        1 for a perfect order, 0 for one by lot, below 0 where the most confident cases are the
        worst; 0, too, where all errors are alike and no order can gain.
        """
        saved, most = self.full - self.area, self.full - float(self.best.mean())
        return saved / most if most > 0 and abs(saved) > 1e-12 * self.full else 0.0

    def at(self, coverage: float) -> float:
        """Return the risk of answering a share of the cases, above 0 and at most 1, or just more.

        >>> coverage_risk([4, 6, 10, 20, 30], [5, 4, 3, 2, 1]).at(0.4)
        5.0
        """
        if not 0 < coverage <= 1:
            raise ValueError(f"coverage must be above 0 and at most 1, got {coverage!r}")
        index = int(np.searchsorted(self.coverage, coverage - 1e-9))
        return float(self.risk[index])


def coverage_risk(errors: ArrayLike, confidence: ArrayLike) -> CoverageRisk:
    """Return how the mean error grows as less and less confident cases are answered.

    Cases of equal confidence are answered in a random order; the risk is its mean over all such
    orders, so that a confidence that is the same everywhere gives a flat line. Of the confidence
    only the order counts: of stated errors give the negative.

    >>> found = coverage_risk([4, 6, 10, 20, 30], [0.9, 0.8, 0.7, 0.4, 0.2])
    >>> print(found.risk.round(2), round(found.area, 3))
    [ 4.    5.    6.67 10.   14.  ] 7.933
    """
    lost = non_negative("errors", sample("errors", errors))
    sure = sample("confidence", confidence)
    if sure.shape != lost.shape:
        raise ValueError(f"confidence must have {lost.size} values as errors has, got {sure.size}")
    counts = np.arange(1, lost.size + 1)
    risk = np.cumsum(_in_order(lost, -sure)) / counts
    return CoverageRisk(counts / lost.size, risk, np.cumsum(np.sort(lost)) / counts)


def _in_order(values: Floats, keys: Floats) -> Floats:
    """Return values by ascending keys; those of equal keys are their mean."""
    _, group = np.unique(keys, return_inverse=True)
    shared = (np.bincount(group, values) / np.bincount(group))[group]
    return np.asarray(shared[np.argsort(group, kind="stable")])


def stated_and_found(
    stated: ArrayLike, errors: ArrayLike, groups: int = 4
) -> tuple[Floats, Floats]:
    """Return the mean error that was stated and the one that was found, by groups of confidence.

    The surest of the groups, which are as equal as can be, comes first. Cases of equal stated
    errors come in a random order; what was found is its mean over all such orders.

    >>> said, found = stated_and_found([1, 5, 2, 6], [2, 9, 4, 11], 2)
    >>> said.tolist(), found.tolist()
    ([1.5, 5.5], [3.0, 10.0])
    """
    said = non_negative("stated", sample("stated", stated))
    lost = non_negative("errors", sample("errors", errors))
    if said.shape != lost.shape:
        raise ValueError(f"stated must have {lost.size} values as errors has, got {said.size}")
    if whole("groups", groups, 1) > lost.size:
        raise ValueError(f"groups must be at most the {lost.size} cases, got {groups!r}")
    expected, result = (np.array_split(_in_order(x, said), groups) for x in (said, lost))
    return np.array([x.mean() for x in expected]), np.array([x.mean() for x in result])


def later_split(dates: ArrayLike, cut: float) -> tuple[Rows, Rows]:
    """Return the rows dated before a cut, to learn from, and those from it on, to be tested on.

    >>> [rows.tolist() for rows in later_split([2021, 2024, 2022, 2025], 2023)]
    [[0, 2], [1, 3]]
    """
    times = sample("dates", dates)
    if not times.min() < cut <= times.max():
        raise ValueError(
            f"cut must be above the first date {times.min():g} and at most the last "
            f"{times.max():g}, got {cut!r}"
        )
    return np.flatnonzero(times < cut), np.flatnonzero(times >= cut)


def check_dates(learned: ArrayLike, tested: ArrayLike) -> None:
    """Refuse, as a LeakError, a test on cases that aren't dated after all that was learned from.

    >>> check_dates([2021, 2024], [2023, 2025])
    Traceback (most recent call last):
        ...
    perfmodel.prediction.arena.dataset.LeakError: tested has 1 of 2 cases dated at or before 2024, \
the last date learned from
    """
    last = float(sample("learned", learned).max())
    dates = sample("tested", tested)
    early = int((dates <= last).sum())
    if early:
        raise LeakError(
            f"tested has {early} of {dates.size} cases dated at or before {last:g}, the last date "
            "learned from"
        )


ORDERS = {
    "its confidence": (3.0, 9.0, 5.0, 14.0, 8.0, 22.0, 12.0, 27.0),
    "a perfect one": (3.0, 5.0, 8.0, 9.0, 12.0, 14.0, 22.0, 27.0),
    "a wrong one": (22.0, 14.0, 27.0, 9.0, 12.0, 5.0, 8.0, 3.0),
}
"""Errors in points, the case answered first in front; the same eight in each order."""
CASES = 8
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 340.0, 34.0, 184.0


def answered_first(order: str, answered: int) -> Scene:
    """Draw eight errors as bars, those answered filled, with their mean as a line.

    >>> answered_first("its confidence", 2).values["risk (points)"]
    6.0
    """
    errors = np.array(ORDERS[order])
    curve = coverage_risk(errors, -np.arange(CASES))
    risk = curve.at(answered / CASES)
    across, up = Scale(0, CASES, _LEFT, _RIGHT), Scale(0, 30, _BOTTOM, _TOP)
    shapes: list[Shape] = [*up.beside(_LEFT - 6, "error (points)")]
    for index, error in enumerate(errors):
        inside = index < answered
        top = up(float(error))
        shapes.append(
            Box(across(index) + 5, top, across(1) - across(0) - 10, _BOTTOM - top, "",
                1 if inside else 0, "light" if inside else "none")
        )  # fmt: skip
        shapes.append(Text(str(index + 1), across(index + 0.5), _BOTTOM + 12))
    end = across(answered)
    shapes.append(Line([(_LEFT, up(risk)), (end, up(risk))], 2, "thick"))
    if answered < CASES:
        shapes.append(Line([(end, _TOP), (end, _BOTTOM)], style="dashed"))
    shapes.append(Text("surest first", (_LEFT + _RIGHT) / 2, _BOTTOM + 30))
    says = f"The risk is {risk:.2f} points at a coverage of {100 * answered / CASES:.4g} %."
    return Scene(_BOTTOM + 42, shapes, says, {"risk (points)": risk})
