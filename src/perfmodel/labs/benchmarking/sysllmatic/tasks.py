"""What the reader does: a suite run from end to end, the share made parallel, the power drawn."""

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
        "mean of the factors: That is the headline: it counts the shortest program like the "
        "longest.",
        lambda before, after: np.exp(np.mean(np.log(before / after))),
        "geometric mean: That is the typical factor. Somebody who waits for the whole suite waits "
        "for totals.",
        lambda before, after: 1 / np.mean(after / before),
        "harmonic mean: That is right where all programs took equally long before. These didn't.",
        lambda before, after: 1 - after.sum() / before.sum(),
        "share saved: That is the share of the time that is saved. Asked for is a factor.",
        lambda before, after: (after * after / before).sum() / after.sum(),
        "weighted by the time after the change: You weighted the inverse factors by the new times. "
        "Add up the old times and the new ones, and divide.",
    ),
    hint="Add up all seconds before, and all seconds after.",
    right="It is the harmonic mean of the factors, each program weighing as much as it took "
    "before. Nobody chose these weights: they were measured.",
)

parallel_share = Task(
    "The share of the work that must have become parallel",
    reference=lambda speedup, cores: (1 - 1 / speedup) / (1 - 1 / cores),
    cases=[(1.85, 8), (3.437, 8), (2.0, 3)],
    mistakes=mistakes(
        lambda speedup, cores: 1 - 1 / speedup,
        "unlimited cores: That share would have to vanish. It still takes 1/cores of its time.",
        lambda speedup, cores: speedup / cores,
        "speedup over cores: That is the efficiency: how busy the cores are.",
        lambda speedup, cores: 1 - (1 - 1 / speedup) / (1 - 1 / cores),
        "serial share: That is the share that stayed serial.",
        lambda speedup, cores: (speedup - 1) / (cores - 1),
        "all cores but one: Linear between 1 and all cores it is not: solve 1/S = 1 - p + p/n for "
        "p.",
    ),
    hint="1/speedup = 1 - p + p/cores; solve it for p.",
    right="A factor of 3.4 needs four fifths of the work in parallel on eight cores, and no "
    "rewriting of single loops.",
)
