"""The reader's tasks: Sinkhorn's scalings, the line to the target, and the number of runs."""

from __future__ import annotations

from math import ceil, floor, log

import numpy as np

from perfmodel.labs.forecasting.projektor.projections import noise_amplification, projection_weights
from perfmodel.tasks import Mistake, Task
from perfmodel.validation import Floats


def sinkhorn(cost: Floats, smoothing: float, rounds: int) -> Floats:
    """Return the plan after some rounds, of rows and columns each, for equal masses."""
    kernel = np.exp(-cost / smoothing)
    n, m = cost.shape
    v = np.ones(m)
    for _ in range(rounds):
        u = (1 / n) / (kernel @ v)
        v = (1 / m) / (kernel.T @ u)
    scaled: Floats = u[:, None] * kernel * v
    return scaled


def _not_turned(cost: Floats, smoothing: float, rounds: int) -> Floats:
    kernel = np.exp(-cost / smoothing)
    v = np.ones(len(cost))
    for _ in range(rounds):
        u = (1 / len(cost)) / (kernel @ v)
        v = (1 / len(cost)) / (kernel @ u)
    scaled: Floats = u[:, None] * kernel * v
    return scaled


_COST = np.array([[0.0, 2.0, 5.0], [1.0, 0.5, 3.0], [4.0, 0.2, 1.0]])

plan = Task(
    "Sinkhorn's rounds",
    reference=sinkhorn,
    cases=[(_COST, 1.0, 3), (_COST, 0.5, 20)],
    mistakes=[
        Mistake(
            "masses of one",
            lambda cost, smoothing, rounds: len(cost) * sinkhorn(cost, smoothing, rounds),
            "Your rows and columns add up to 1 each. The total mass is 1, so a row has 1/n.",
        ),
        Mistake(
            "kernel not turned",
            _not_turned,
            "The sum of a column runs over the rows. Use the transposed kernel, `kernel.T @ u`.",
        ),
        Mistake(
            "from the start each time",
            lambda cost, smoothing, rounds: sinkhorn(cost, smoothing, 1),
            "Each scaling must use the current value of the other: rows divide by `kernel @ v`.",
        ),
        Mistake(
            "the other sign",
            lambda cost, smoothing, rounds: sinkhorn(-cost, smoothing, rounds),
            "You send mass where it is expensive. The kernel is exp(-cost/smoothing).",
        ),
    ],
    hint="Row i of the plan adds up to u[i] times (kernel @ v)[i]. Which u makes this 1/n?",
    right="A round is two products of a matrix and a vector, without search or branch. So it runs "
    "well on a GPU, where the simplex method doesn't.",
)


def _ways(ahead: float, between: float) -> float:
    """Return how many times the way between the pilots lies ahead, both as ratios of sizes."""
    return log(ahead) / log(between)


projection = Task(
    "The line to the target size",
    reference=lambda at_small, at_large, small, large, target: (
        at_large + (at_large - at_small) * log(target / large) / log(large / small)
    ),
    cases=[(0.40, 0.45, 1_000, 1_500, 10_000), (0.62, 0.70, 60, 90, 300)],
    mistakes=[
        Mistake(
            "line in the size",
            lambda at_small, at_large, small, large, target: (
                at_large + (at_large - at_small) * (target - large) / (large - small)
            ),
            "You used a line in the size itself. Each doubling adds the same, so take logarithms "
            "of the sizes.",
        ),
        Mistake(
            "pilots changed round",
            lambda at_small, at_large, small, large, target: (
                at_small + (at_small - at_large) * _ways(target / large, large / small)
            ),
            "You exchanged the pilots. Start at the larger pilot and continue in the direction of "
            "the rise.",
        ),
        Mistake(
            "counted from the small pilot",
            lambda at_small, at_large, small, large, target: (
                at_large + (at_large - at_small) * _ways(target / small, large / small)
            ),
            "You start from the value at the large pilot, so count the distance from there.",
        ),
        Mistake(
            "begun at the small pilot",
            lambda at_small, at_large, small, large, target: (
                at_small + (at_large - at_small) * _ways(target / large, large / small)
            ),
            "You count the distance from the large pilot, so begin at its value.",
        ),
        Mistake(
            "falling from the large pilot",
            lambda at_small, at_large, small, large, target: (
                at_large + (at_small - at_large) * _ways(target / large, large / small)
            ),
            "Your line turns back at the large pilot. The rise is the large value minus the small.",
        ),
        Mistake(
            "falling from the small pilot",
            lambda at_small, at_large, small, large, target: (
                at_small + (at_small - at_large) * _ways(target / small, large / small)
            ),
            "Your line falls, although the accuracy rises. Subtract the small value from the "
            "large one.",
        ),
        Mistake(
            "rise not divided",
            lambda at_small, at_large, small, large, target: (
                at_large + (at_large - at_small) * log(target / large)
            ),
            "The rise between the pilots belongs to a distance of log(large/small), not of 1.",
        ),
        Mistake(
            "logarithm of the value, too",
            lambda at_small, at_large, small, large, target: (
                at_large * (at_large / at_small) ** _ways(target / large, large / small)
            ),
            "You used a power law, with both axes logarithmic. Here only the size is.",
        ),
    ],
    hint="The distance from small to large is log(large/small), from large to the target "
    "log(target/large).",
    right="Two pilots determine the line, so the pilots can't show its error.",
)


def _ratio(error: float, wanted: float, *sizes: float) -> float:
    return float(noise_amplification(*sizes)) * error / wanted


replicates = Task(
    "Runs of each pilot",
    reference=lambda error, wanted, small, large, target: ceil(
        (noise_amplification(small, large, target) * error / wanted) ** 2
    ),
    cases=[
        (0.01, 0.02, 1_000, 1_500, 10_000),
        (0.02, 0.03, 60, 90, 300),
        (0.015, 0.02, 30, 90, 300),
        (0.03, 0.02, 30, 90, 300),
    ],
    mistakes=[
        Mistake(
            "not squared",
            lambda error, wanted, *sizes: ceil(_ratio(error, wanted, *sizes)),
            "The error of a mean falls with the square root of the runs. Half the error takes four "
            "times the runs.",
        ),
        Mistake(
            "weights added up",
            lambda error, wanted, *sizes: ceil(
                (sum(abs(w) for w in projection_weights(*sizes)) * error / wanted) ** 2
            ),
            "You added the absolute weights, as if both errors always were the worst. Independent "
            "errors add as squares.",
        ),
        Mistake(
            "errors that cancel",
            lambda error, wanted, *sizes: max(1, ceil((error / wanted) ** 2)),
            "You let the errors cancel. Independent errors don't cancel; their squares add.",
        ),
        Mistake(
            "rounded down",
            lambda error, wanted, *sizes: floor(_ratio(error, wanted, *sizes) ** 2),
            "You rounded down, which isn't quite enough. Round up.",
        ),
        Mistake(
            "rounded to the nearest",
            lambda error, wanted, *sizes: round(_ratio(error, wanted, *sizes) ** 2),
            "You rounded to the nearest number, which is too few if it rounds down. Round up.",
        ),
    ],
    hint="`noise_amplification(small, large, target)` times the error, divided by the square root "
    "of the runs, must be `wanted`.",
    right="Seven times the noise takes about fifty times the runs. Pilots further apart are often "
    "cheaper.",
)
