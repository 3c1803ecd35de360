"""What the reader does: Sinkhorn's scalings, the line to the target, and runs that make it sure."""

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
            "Your rows and columns add up to 1 each. All the mass together is 1: a row has 1/n.",
        ),
        Mistake(
            "kernel not turned",
            _not_turned,
            "The sum of a column runs over the rows: it takes the kernel turned, `kernel.T @ u`.",
        ),
        Mistake(
            "from the start each time",
            lambda cost, smoothing, rounds: sinkhorn(cost, smoothing, 1),
            "Each scaling must see the other one as it now is: rows divide by `kernel @ v`.",
        ),
        Mistake(
            "the other sign",
            lambda cost, smoothing, rounds: sinkhorn(-cost, smoothing, rounds),
            "That sends mass where it is dear. The kernel is exp(-cost/smoothing).",
        ),
    ],
    hint="Row i of the plan adds up to u[i] times (kernel @ v)[i]. Which u makes that 1/n?",
    right="Two products of a matrix and a vector a round, no search and no branch. That is why "
    "this runs well on a GPU, where the simplex doesn't.",
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
            "That is a line in the size itself, which soon leaves all bounds. Each doubling adds "
            "the same: take logarithms of the sizes.",
        ),
        Mistake(
            "pilots changed round",
            lambda at_small, at_large, small, large, target: (
                at_small + (at_small - at_large) * _ways(target / large, large / small)
            ),
            "The forecast starts at the larger pilot and goes on in the direction of the rise.",
        ),
        Mistake(
            "counted from the small pilot",
            lambda at_small, at_large, small, large, target: (
                at_large + (at_large - at_small) * _ways(target / small, large / small)
            ),
            "You start from the value at the large pilot, so count the way from there.",
        ),
        Mistake(
            "begun at the small pilot",
            lambda at_small, at_large, small, large, target: (
                at_small + (at_large - at_small) * _ways(target / large, large / small)
            ),
            "You count the way from the large pilot, so begin at its value.",
        ),
        Mistake(
            "falling from the large pilot",
            lambda at_small, at_large, small, large, target: (
                at_large + (at_small - at_large) * _ways(target / large, large / small)
            ),
            "Your line turns back at the large pilot. The rise is what the large one has more.",
        ),
        Mistake(
            "falling from the small pilot",
            lambda at_small, at_large, small, large, target: (
                at_small + (at_small - at_large) * _ways(target / small, large / small)
            ),
            "Your line runs down from the small pilot where the accuracy rises: which of the two "
            "values is taken from which?",
        ),
        Mistake(
            "rise not divided",
            lambda at_small, at_large, small, large, target: (
                at_large + (at_large - at_small) * log(target / large)
            ),
            "The rise between the pilots belongs to a way of log(large/small), not of 1.",
        ),
        Mistake(
            "logarithm of the value, too",
            lambda at_small, at_large, small, large, target: (
                at_large * (at_large / at_small) ** _ways(target / large, large / small)
            ),
            "That is a power law: straight on log-log paper. Here only the size is logarithmic.",
        ),
    ],
    hint="From small to large is log(large/small), from large to the target log(target/large).",
    right="It takes two pilots and fits nothing, so that no error of it can be seen in the pilots.",
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
    ],
    mistakes=[
        Mistake(
            "not squared",
            lambda error, wanted, *sizes: ceil(_ratio(error, wanted, *sizes)),
            "The error of a mean falls with the root of the runs: half of it takes four times.",
        ),
        Mistake(
            "weights added up",
            lambda error, wanted, *sizes: ceil(
                (sum(abs(w) for w in projection_weights(*sizes)) * error / wanted) ** 2
            ),
            "You added the weights' sizes, as if both pilots always erred to the worst sides. "
            "Independent errors add as squares.",
        ),
        Mistake(
            "errors that cancel",
            lambda error, wanted, *sizes: max(1, ceil((error / wanted) ** 2)),
            "The weights add up to 1, but independent errors don't cancel: their squares add.",
        ),
        Mistake(
            "rounded down",
            lambda error, wanted, *sizes: floor(_ratio(error, wanted, *sizes) ** 2),
            "That isn't quite enough: a part of a run can't be made, so round up.",
        ),
        Mistake(
            "rounded to the nearest",
            lambda error, wanted, *sizes: round(_ratio(error, wanted, *sizes) ** 2),
            "Rounding to the nearest whole number leaves you short wherever it rounds down: round "
            "up.",
        ),
    ],
    hint="`noise_amplification(small, large, target)` times the error, over the root of the runs, "
    "must be what is wanted.",
    right="Seven times as much noise takes fifty times as many runs. Pilots further apart are "
    "often cheaper.",
)
