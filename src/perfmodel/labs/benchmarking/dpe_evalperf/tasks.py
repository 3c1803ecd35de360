"""The reader's tasks: place a program, compare two models, and include unscored tasks."""

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
        "next cluster: You compared with the next faster cluster. To belong to a cluster, a "
        "program must only be as fast as its slowest member.",
        lambda cost, slowest, shares: next(
            (s for c, s in zip(slowest, shares, strict=True) if cost <= c), 0.0
        ),
        "first that fits: You stopped at the slowest cluster that fits. Take the fastest.",
        lambda cost, slowest, shares: 100 - _place(cost, slowest, shares),
        "share that is faster: You counted the solutions that are faster than its cluster. Count "
        "from the slow end.",
        lambda cost, slowest, shares: 100 * np.mean(cost <= slowest),
        "share of clusters: You computed the normalised score, which counts clusters. The score "
        "counts solutions.",
    ),
    hint="`shares[cost <= slowest]` are the values of all clusters that it keeps up with. The last "
    "of them is the answer, or 0 if there is none.",
    right="A program must only be as fast as the slowest member of its cluster. So noise within a "
    "cluster doesn't change the score.",
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
        "ties lost: You counted a tie as a loss. It is half a win for both, so that the rates of A "
        "against B and of B against A add up to 1.",
        lambda a, b: np.mean((a > b)[np.isfinite(a) & np.isfinite(b) & (a != b)]),
        "ties left out: You left the ties out of the rounds. They count as half.",
        lambda a, b: np.mean(a > b),
        "wins over all tasks: Two rules are missing. A tie is half a win, and a task that isn't "
        "scored for both is no round.",
        lambda a, b: np.mean((a > b) + 0.5 * (a == b)),
        "all tasks are rounds: You counted all tasks. A task that isn't scored for both is no "
        "round.",
        lambda a, b: _rate(np.nan_to_num(a), np.nan_to_num(b)),
        "unscored is zero: You counted an unscored task as 0, which loses the round. Here it is no "
        "round.",
    ),
    hint="`both = np.isfinite(a) & np.isfinite(b)`; then the mean of `(a > b) + 0.5 * (a == b)` "
    "over these tasks.",
    right="Only tasks that both models solve count, so a model loses nothing on tasks that it "
    "can't solve.",
)

zero_mean = Task(
    "The mean, if an unscored task counts 0",
    reference=lambda mean, scored, tasks: mean * scored / tasks,
    cases=[(87.85, 111, 118), (77.04, 87, 118)],
    mistakes=mistakes(
        lambda mean, scored, tasks: mean,
        "the same mean: You returned the mean over the scored tasks. Include the others as 0.",
        lambda mean, scored, tasks: mean - (tasks - scored),
        "points taken off: You subtracted a point for each missing task. Each lowers the mean by "
        "`mean / tasks`.",
        lambda mean, scored, tasks: mean * tasks / scored,
        "the wrong way: Your mean became larger. The sum of the scores is `mean * scored`. Divide "
        "it by the number of all tasks.",
    ),
    hint="The sum of all scores is `mean * scored`. Divide it by the number of tasks.",
    right="The two models get 82.64 and 56.80, so their difference grows from 10.8 to 25.8 points. "
    "Leaving out unsolved tasks favours weak models.",
)
