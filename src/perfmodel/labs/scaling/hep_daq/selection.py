"""How well a trigger selects: scores of two normal classes, a threshold, and what passes it.

The authors fit their classifiers to measured turn-on curves. This model replaces them, and has the
form of the authors' last trigger.
"""

from __future__ import annotations

from typing import NamedTuple

from scipy.optimize import brentq
from scipy.special import ndtr

from perfmodel.validation import at_least, finite, positive


class Passed(NamedTuple):
    """Events/s after a filter."""

    wanted: float
    unwanted: float
    threshold: float
    """Lowest score of an event that passes, in standard deviations of the unwanted events."""

    @property
    def precision(self) -> float:
        """Fraction of the passed events that are wanted."""
        return self.wanted / (self.wanted + self.unwanted)


class Quality(NamedTuple):
    """Precision and recall of a filter, as fractions."""

    precision: float
    recall: float
    f1: float


def passed(wanted: float, unwanted: float, ratio: float, skill: float, width: float = 1) -> Passed:
    """Return what passes a filter whose threshold lets one event in `ratio` through.

    `wanted` and `unwanted` are events/s that come in; `skill` is the distance between the mean
    scores of the two classes (0 is luck) and `width` the deviation of the scores of the wanted,
    both in deviations of the unwanted.

    >>> found = passed(10, 990, 100, 0.0)
    >>> round(found.wanted, 3), round(found.wanted + found.unwanted, 3)
    (0.1, 10.0)
    """
    good, bad = float(positive("wanted", wanted)), float(positive("unwanted", unwanted))
    through = (good + bad) / float(at_least("ratio", ratio, 1))
    distance, deviation = float(finite("skill", skill)), float(positive("width", width))

    def over(threshold: float) -> float:
        return (
            float(good * ndtr((distance - threshold) / deviation) + bad * ndtr(-threshold))
            - through
        )

    reach = 40 * max(1.0, deviation) + abs(distance)
    threshold = brentq(over, -reach, reach, xtol=1e-12)
    return Passed(
        float(good * ndtr((distance - threshold) / deviation)),
        float(bad * ndtr(-threshold)),
        threshold,
    )


def two_stages(
    rate: float, first_ratio: float, last_ratio: float, first_skill: float, last_skill: float
) -> Quality:
    """Return the quality of two filters one behind the other.

    Of `rate` events/s as many are wanted as both filters let through.
    """
    ratio = float(at_least("first_ratio", first_ratio, 1) * at_least("last_ratio", last_ratio, 1))
    if ratio == 1:
        raise ValueError("first_ratio x last_ratio must be above 1, got 1: nothing is unwanted")
    wanted = float(positive("rate", rate)) / ratio
    first = passed(wanted, rate - wanted, first_ratio, first_skill)
    last = passed(first.wanted, first.unwanted, last_ratio, last_skill)
    recall = last.wanted / wanted
    return Quality(last.precision, recall, 2 * last.precision * recall / (last.precision + recall))
