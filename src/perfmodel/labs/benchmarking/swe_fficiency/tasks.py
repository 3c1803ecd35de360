"""What the reader does: the score of doing nothing, and the clamp behind a score."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

_FEW = np.array([1.1, 2.0, 3.0, 40.0])
_MANY = np.array([1.05, 1.6, 2.8, 12.7, 99.0, 13_773.0])

do_nothing = Task(
    "The score of an agent that changes nothing",
    reference=lambda expert: 1 / np.mean(expert),
    cases=[(_FEW,), (_MANY,)],
    mistakes=mistakes(
        lambda expert: np.mean(1 / expert),
        "mean of the ratios: Those are the right ratios, and their arithmetic mean. Asked for is "
        "the harmonic one.",
        lambda expert: len(expert) / np.sum(1 / expert),
        "harmonic mean of the speedups: That is the experts' own score. The agent's ratio is 1 "
        "over the expert's speedup: put that into (2).",
        lambda expert: np.exp(-np.mean(np.log(expert))),
        "geometric mean: That is the geometric mean of the ratios. The leaderboard takes the "
        "harmonic one.",
        lambda expert: 1.0,
        "doing nothing is parity: A speedup of 1 is no ratio of 1: the ratio divides it by the "
        "expert's speedup.",
        lambda expert: 1 / np.sum(expert),
        "sum instead of mean: The harmonic mean has n in its numerator. Four equal tasks must "
        "score what one does.",
    ),
    hint="The agent's speedup is 1 everywhere, so each ratio is 1/expert; then (2).",
    right="One over the experts' mean speedup. A single task on which an expert gained a factor "
    "of 10,000 sets what idleness scores.",
)

clamp_of = Task(
    "The clamp behind a score",
    reference=lambda score, others, count: 1 / (count / score - (count - 1) / others),
    cases=[(0.19, 0.2, 40), (0.45, 0.5, 10)],
    mistakes=mistakes(
        lambda score, others, count: count * score - (count - 1) * others,
        "linear: You solved it for the arithmetic mean. The harmonic mean averages inverses.",
        lambda score, others, count: count / score - (count - 1) / others,
        "inverse left standing: You computed the reciprocal of the clamp. Invert it.",
        lambda score, others, count: score**count / others ** (count - 1),
        "geometric: You solved it for the geometric mean. The harmonic mean averages inverses.",
        lambda score, others, count: 1 / (count / score - count / others),
        "all tasks at the others' ratio: One of the tasks is the bad one: count - 1 are at the "
        "others' ratio.",
    ),
    hint="n/score is the sum of the inverses. Take away (n - 1)/others; what is left is 1/clamp.",
    right="A clamp is a choice of how bad a single task may count, and the score follows it. "
    "Whoever prints a score without its clamp has printed half of it.",
)
