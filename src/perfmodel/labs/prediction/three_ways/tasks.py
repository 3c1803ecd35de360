"""The reader's tasks: a count of the model, a learner's target, and a faster test."""

import numpy as np

from perfmodel.labs.prediction.three_ways.contestants import SIZES, dataset
from perfmodel.tasks import Faster, Mistake, Task
from perfmodel.validation import Floats

ROWS = 200
RUNS = dataset().take(np.random.default_rng(0).permutation(800)[:ROWS])
X = np.column_stack([np.ones(len(RUNS)), np.log(RUNS.features[list(SIZES)].to_numpy())])
"""A column of ones and the logarithms of m, n and k: the inputs of a power law."""
Y = np.log(RUNS.target)


def leave_one_out(features: Floats, target: Floats) -> Floats:
    """Return each run's error of a straight line that was fitted to all other runs."""
    errors = np.empty(len(target))
    for i in range(len(target)):
        others = np.arange(len(target)) != i
        prices = np.linalg.lstsq(features[others], target[others], rcond=None)[0]
        errors[i] = target[i] - features[i] @ prices
    return errors


def by_one_fit(features: Floats, target: Floats) -> Floats:
    """Return what `leave_one_out` does, from the residuals and leverages of a single fit."""
    q, _ = np.linalg.qr(features)
    residuals = target - q @ (q.T @ target)
    return np.asarray(residuals / (1 - (q**2).sum(axis=1)))


updates_of_c = Task(
    "Updates of C",
    reference=lambda m, n, k: m * n * np.ceil(k / 384),
    cases=[(100, 200, 384), (100, 200, 385), (16, 16, 16), (1000, 1000, 2000)],
    mistakes=[
        Mistake(
            "rounded down",
            lambda m, n, k: m * n * (k // 384),
            "You rounded down. The terms after the last whole stretch must be added to C, too: "
            "round up.",
        ),
        Mistake(
            "not rounded",
            lambda m, n, k: m * n * k / 384,
            "You counted part of an update for a stretch that is not full. It costs a whole update "
            "of C. Round up.",
        ),
        Mistake(
            "always one more",
            lambda m, n, k: m * n * (k // 384 + 1),
            "You counted one stretch too many when 384 divides k. Try k = 384, which is one "
            "stretch.",
        ),
        Mistake(
            "reading and writing apart",
            lambda m, n, k: 2 * m * n * np.ceil(k / 384),
            "You counted reading and writing separately. An update does both, and counts once.",
        ),
        Mistake(
            "once only",
            lambda m, n, k: m * n,
            "You counted one update for the whole sum. C is updated once for every stretch of it.",
        ),
    ],
    hint="C has m times n elements. How many stretches of 384 terms does a sum of k terms have, if "
    "the last stretch may be short?",
    right="This count follows from the sizes and from how the library works; nothing was measured. "
    "From k = 384 to k = 385 it doubles, which no power law can express.",
)

learners_target = Task(
    "The target of a graybox's learner",
    reference=lambda measured, modelled: np.log(measured / modelled),
    cases=[
        (np.array([2.0e-6, 5.0e-4, 0.1]), np.array([1.0e-6, 6.0e-4, 0.1])),
        (np.array([3.0, 4.0]), np.array([1.0, 5.0])),
    ],
    mistakes=[
        Mistake(
            "difference",
            lambda measured, modelled: measured - modelled,
            "You subtracted. Equation (2) multiplies by the correction. With differences in "
            "seconds, only long runs would count.",
        ),
        Mistake(
            "upside down",
            lambda measured, modelled: np.log(modelled / measured),
            "You divided the wrong way round. Put your g into equation (2): it doubles the model's "
            "error instead of removing it.",
        ),
        Mistake(
            "another base",
            lambda measured, modelled: np.log10(measured / modelled),
            "You took the logarithm to base 10. Equation (2) has e, so take the natural logarithm, "
            "`np.log`.",
        ),
        Mistake(
            "relative error",
            lambda measured, modelled: measured / modelled - 1,
            "You computed the relative error, which is close to g only for small errors. Equation "
            "(2) multiplies by a power of e. Solve it for g.",
        ),
        Mistake(
            "factor without logarithm",
            lambda measured, modelled: measured / modelled,
            "You computed the factor itself. In equation (2), g is the exponent of e. Take the "
            "logarithm.",
        ),
    ],
    hint="Set the prediction of equation (2) equal to the measured time and solve for g.",
    right="A learner without information predicts g = 0, a factor of 1, and the model stands "
    "alone. Therefore the graybox needs no more runs than the six prices do.",
)

faster_leave_one_out = Faster(
    "Leave one out, faster",
    given=leave_one_out,
    cases=[(X[:12], Y[:12]), (X[100:130], Y[100:130]), (X, Y)],
    reference=by_one_fit,
    bound=lambda: float((ROWS - 1) * X.shape[1]),
    aim=10.0,
    model="the count of multiply-adds",
    mistakes=[
        Mistake(
            "nothing left out",
            lambda features, target: (
                target - features @ np.linalg.lstsq(features, target, rcond=None)[0]
            ),
            "You returned the residuals of one fit to all runs. Each run has helped to predict "
            "itself, so the errors are too small. Equation (3) corrects them.",
        ),
        Mistake(
            "leverage multiplied",
            lambda features, target: (
                (target - features @ np.linalg.lstsq(features, target, rcond=None)[0])
                * (1 - (np.linalg.qr(features)[0] ** 2).sum(axis=1))
            ),
            "You multiplied by 1 - h. Divide: a run that pulls the line towards itself has a "
            "larger error once it is left out.",
        ),
    ],
    hint="Use equation (3): with `q` from `np.linalg.qr(features)` the leverages are "
    "`np.square(q).sum(axis=1)`. Or use equation (4): `features.T @ features - "
    "features[:, :, None] * features[:, None, :]` is a stack of matrices, one for each run left "
    "out. `np.linalg.solve` takes stacks if the right-hand sides have a last axis of length 1.",
    right="The loop repeats nearly the same sums for every run. Less arithmetic and fewer calls "
    "made it faster, not a faster machine.",
)
