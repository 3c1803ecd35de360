"""The reader's tasks: the speedup of a whole suite, and the parallel fraction of the work."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

_BEFORE, _AFTER = np.array([9.6, 5.3, 10.9]), np.array([2.8, 4.7, 11.0])

suite_speedup = Task(
    "How many times as fast the suite runs from end to end",
    reference=lambda before, after: before.sum() / after.sum(),
    cases=[(_BEFORE, _AFTER), (np.array([100.0, 1.0]), np.array([100.0, 0.1]))],
    mistakes=mistakes(
        lambda before, after: np.mean(before / after),
        "mean of the factors: You computed the headline, which counts the shortest program as much "
        "as the longest. Add up the times.",
        lambda before, after: np.exp(np.mean(np.log(before / after))),
        "geometric mean: You computed the typical factor. A user of the whole suite waits for the "
        "total time.",
        lambda before, after: 1 / np.mean(after / before),
        "harmonic mean: Your mean is right only if all programs took equally long before. These "
        "programs didn't.",
        lambda before, after: 1 - after.sum() / before.sum(),
        "share saved: You computed the fraction of the time that is saved. The question asks for a "
        "factor.",
        lambda before, after: (after * after / before).sum() / after.sum(),
        "weighted by the time after the change: You weighted the inverse factors by the new times. "
        "Add up the old times, add up the new times, and divide.",
    ),
    hint="Add up all seconds before, and all seconds after.",
    right="This is the harmonic mean of the factors, weighted by the times before. Nobody chose "
    "these weights; they were measured.",
)

parallel_share = Task(
    "The fraction of the work that must have become parallel",
    reference=lambda speedup, cores: (1 - 1 / speedup) / (1 - 1 / cores),
    cases=[(1.85, 8), (3.437, 8), (2.0, 3)],
    mistakes=mistakes(
        lambda speedup, cores: 1 - 1 / speedup,
        "unlimited cores: You assumed that the parallel part takes no time. It takes 1/cores of "
        "its old time.",
        lambda speedup, cores: speedup / cores,
        "speedup over cores: You computed the efficiency. Solve (3) for p.",
        lambda speedup, cores: 1 - (1 - 1 / speedup) / (1 - 1 / cores),
        "serial share: You computed the serial fraction. Subtract it from 1.",
        lambda speedup, cores: (speedup - 1) / (cores - 1),
        "all cores but one: You assumed that the speedup is linear in p. Solve 1/S = 1 - p + p/n "
        "for p.",
    ),
    hint="1/speedup = 1 - p + p/cores. Solve this for p.",
    right="On eight cores, a factor of 3.4 needs four fifths of the work in parallel. Rewriting "
    "single loops isn't enough.",
)
