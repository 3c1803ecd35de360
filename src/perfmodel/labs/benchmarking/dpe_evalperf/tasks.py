"""What the reader does: place a program, compare two models, and count what was left out."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task
from perfmodel.validation import Floats

_NAN = np.nan
_COSTS = np.array([100.0, 60.0, 30.0, 10.0])
_SHARES = np.array([20.0, 50.0, 70.0, 100.0])
_A = np.array([100.0, 80.0, _NAN, 60.0, 90.0, 40.0])
_B = np.array([90.0, 80.0, 20.0, _NAN, 95.0, 10.0])


def _place(cost: float, slowest: Floats, shares: Floats) -> float:
    reached = shares[cost <= slowest]
    return float(reached[-1]) if reached.size else 0.0


def _fastest_member(cost: float, slowest: Floats, shares: Floats) -> float:
    return _place(cost, np.append(slowest[1:], 0.0), shares)


place = Task(
    "The score of a new program",
    reference=_place,
    cases=[
        (59.0, _COSTS, _SHARES),
        (9.0, _COSTS, _SHARES),
        (60.0, _COSTS, _SHARES),
        (150.0, _COSTS, _SHARES),
        (31.0, np.array([40.0, 30.0]), np.array([25.0, 100.0])),
    ],
    mistakes=mistakes(
        _fastest_member,
        "next cluster: A program belongs to a cluster from its slowest member's cost on, and you "
        "held it to the next faster cluster.",
        lambda cost, slowest, shares: next(
            (s for c, s in zip(slowest, shares, strict=True) if cost <= c), 0.0
        ),
        "first that fits: You stop at the slowest cluster that it keeps up with. Look for the "
        "fastest.",
        lambda cost, slowest, shares: 100 - _place(cost, slowest, shares),
        "share that is faster: That is the share of solutions that are faster than its cluster. "
        "Count from the slow end.",
        lambda cost, slowest, shares: 100 * np.mean(cost <= slowest),
        "share of clusters: That is the normalised score, which counts clusters. The score counts "
        "solutions.",
    ),
    hint="`shares[cost <= slowest]` are the shares of all clusters that it keeps up with; the last "
    "of them is the answer, and 0 if there is none.",
    right="As fast as a cluster's slowest member is fast enough. So noise within a cluster changes "
    "nothing.",
    unit="%",
)


def _rate(a: Floats, b: Floats) -> float:
    both = np.isfinite(a) & np.isfinite(b)
    return float(np.mean((a > b)[both] + 0.5 * (a == b)[both]))


win_rate = Task(
    "How often the first beats the second",
    reference=_rate,
    cases=[(_A, _B), (_B, _A), (np.array([1.0, 2.0]), np.array([1.0, 1.0]))],
    mistakes=mistakes(
        lambda a, b: np.mean((a > b)[np.isfinite(a) & np.isfinite(b)]),
        "ties lost: A tie is half a win for both: otherwise the rates of A against B and of B "
        "against A don't add up to 1.",
        lambda a, b: np.mean((a > b)[np.isfinite(a) & np.isfinite(b) & (a != b)]),
        "ties left out: You left the ties out of the rounds. They count as half.",
        lambda a, b: np.mean(a > b),
        "wins over all tasks: Two things are missing: a tie is half a win, and a task that only "
        "one of them is scored on is no round.",
        lambda a, b: np.mean((a > b) + 0.5 * (a == b)),
        "all tasks are rounds: A task that only one of them is scored on is no round.",
        lambda a, b: _rate(np.nan_to_num(a), np.nan_to_num(b)),
        "unscored is zero: You let a task that isn't scored count as 0, and so be lost. Here it is "
        "no round.",
    ),
    hint="`both = np.isfinite(a) & np.isfinite(b)`; then the mean of `(a > b) + 0.5 * (a == b)` "
    "over these tasks.",
    right="Only tasks that both solve count, so a model is never asked about what it can't do.",
)

zero_mean = Task(
    "The mean, if what isn't solved counts nothing",
    reference=lambda mean, scored, tasks: mean * scored / tasks,
    cases=[(87.85, 111, 118), (77.04, 87, 118)],
    mistakes=mistakes(
        lambda mean, scored, tasks: mean,
        "the same mean: That mean is over the scored tasks alone.",
        lambda mean, scored, tasks: mean - (tasks - scored),
        "points taken off: Each missing task takes off its share of the mean, `mean / tasks`, not "
        "a point.",
        lambda mean, scored, tasks: mean * tasks / scored,
        "the wrong way: That makes it larger. The sum of the scores is `mean * scored`: over how "
        "many tasks?",
    ),
    hint="The sum of all scores is `mean * scored`; divide it by the number of tasks.",
    right="82.64 and 56.80: the gap grows from 10.8 points to 25.8. Leaving out what a model can't "
    "do is kind to weak models.",
)
