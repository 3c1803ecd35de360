"""What the reader does: an ability from two shares, the weight of levels, the accuracy of a mix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import logit

from perfmodel.tasks import Mistake, Task

ability = Task(
    "An ability from two levels",
    reference=lambda low, at_low, high, at_high: (
        low + (high - low) * logit(at_low) / (logit(at_low) - logit(at_high))
    ),
    cases=[(3.0, 0.9, 5.0, 0.3), (2.0, 0.8, 4.0, 0.1)],
    mistakes=[
        Mistake(
            "straight line between shares",
            lambda low, at_low, high, at_high: (
                low + (high - low) * (at_low - 0.5) / (at_low - at_high)
            ),
            "That is a straight line through the shares. The curve is straight in the log odds.",
        ),
        Mistake(
            "odds without logarithm",
            lambda low, at_low, high, at_high: (
                low
                + (high - low)
                * (at_low / (1 - at_low) - 1)
                / (at_low / (1 - at_low) - at_high / (1 - at_high))
            ),
            "Odds fall by a factor from level to level; only their logarithm is a line.",
        ),
        Mistake(
            "logarithm of the share",
            lambda low, at_low, high, at_high: (
                low + (high - low) * np.log(at_low / 0.5) / np.log(at_low / at_high)
            ),
            "You took logarithms of the shares p. Take those of the odds p/(1 - p).",
        ),
        Mistake(
            "counted from the high level",
            lambda low, at_low, high, at_high: (
                high + (high - low) * logit(at_low) / (logit(at_low) - logit(at_high))
            ),
            "Begin at the low level: from there the log odds have that far to fall to 0.",
        ),
    ],
    hint="The log odds ln(p/(1 - p)) are a line in the level, and 0 at the ability.",
    right="Two levels are enough for a line. With five the fit decides whom to believe.",
)


def _of_mix(items: Sequence[float], solved: Sequence[float], copies: float) -> float:
    count, right = np.array(items, dtype=float), np.array(solved, dtype=float)
    count[-1] *= copies
    right[-1] *= copies
    return float(right.sum() / count.sum())


_MIXES = [
    ([57, 663, 2366, 699], [56, 631, 1488, 260], 500),
    ([10, 100, 50], [9, 60, 10], 4),
]

accuracy = Task(
    "The accuracy of a harder mix",
    reference=_of_mix,
    cases=_MIXES,
    mistakes=[
        Mistake(
            "mean of the shares",
            lambda items, solved, copies: float(np.mean(np.array(solved) / np.array(items))),
            "Every level counts the same there. An accuracy counts every question.",
        ),
        Mistake(
            "solved taken for shares",
            lambda items, solved, copies: _of_mix(items, np.multiply(items, solved), copies),
            "`solved` has numbers of questions, not shares: don't multiply by `items` once more.",
        ),
        Mistake(
            "copies never solved",
            lambda items, solved, copies: sum(solved) / (sum(items) + (copies - 1) * items[-1]),
            "You repeated the questions, but not the right answers to them.",
        ),
        Mistake(
            "added to the original",
            lambda items, solved, copies: _of_mix(items, solved, copies + 1),
            "There should be `copies` of each in all, the first one among them.",
        ),
        Mistake(
            "no copies",
            lambda items, solved, copies: sum(solved) / sum(items),
            "That is the accuracy of the mix as it was.",
        ),
        Mistake(
            "highest level alone",
            lambda items, solved, copies: solved[-1] / items[-1],
            "Near, but the other levels are still there.",
        ),
    ],
    hint="Multiply the last entry of both lists by `copies`, then divide sum by sum.",
    right="The model is the same, and so is each of its shares. Only the mix has changed.",
)


def _masses(items: Sequence[float]) -> list[float]:
    questions, most = sum(items), max(items)
    thin = sum(count for count in items if count < 100)
    together = sum(most for count in items if count >= 100)
    whole = together / (1 - thin / questions)
    return [float(most) if count >= 100 else count / questions * whole for count in items]


def _weighed(items: Sequence[float], of_thin: float) -> list[float]:
    """Return masses with `of_thin` for each question of a level below 100."""
    return [float(max(items)) if count >= 100 else of_thin * count for count in items]


def _large_sum(items: Sequence[float]) -> float:
    return max(items) * sum(count >= 100 for count in items)


masses = Task(
    "The weight of each level",
    reference=_masses,
    cases=[([57, 663, 2366, 699],), ([40, 150, 300, 20],)],
    mistakes=[
        Mistake(
            "questions alike",
            lambda items: [float(count) for count in items],
            "Those are the numbers of questions. From 100 on, all levels weigh the same.",
        ),
        Mistake(
            "thin levels alike",
            lambda items: [float(max(items))] * len(items),
            "A level of 57 questions has got as much as one of 2,366. Below 100, weigh by (3).",
        ),
        Mistake(
            "thin levels left out",
            lambda items: _weighed(items, 0.0),
            "Levels below 100 questions keep a weight: their share of all questions.",
        ),
        Mistake(
            "questions for weights",
            lambda items: _weighed(items, 1.0),
            "You took E for the number of questions in large levels. It is the sum of the weights "
            "that you have just given these levels.",
        ),
        Mistake(
            "share of the large levels' sum",
            lambda items: _weighed(items, _large_sum(items) / sum(items)),
            "Thin levels have their share of the *whole* weight, their own included: divide by 1 "
            "less the share of all thin levels.",
        ),
    ],
    hint="Large levels weigh max(items) each, E together. The whole is T = E/(1 - s/n), where s of "
    "n questions are in thin levels; a thin level of k questions weighs T k/n.",
    right="A benchmark's makers decide how many questions a level has; the curve shouldn't notice.",
)
