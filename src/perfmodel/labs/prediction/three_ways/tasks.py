"""What the reader does: a count of the model, a learner's target, and a test that runs faster."""

import numpy as np

from perfmodel.labs.prediction.three_ways.contestants import SIZES, dataset
from perfmodel.tasks import Faster, Mistake, Task
from perfmodel.validation import Floats

ROWS = 200
RUNS = dataset().take(np.random.default_rng(0).permutation(800)[:ROWS])
X = np.column_stack([np.ones(len(RUNS)), np.log(RUNS.features[list(SIZES)].to_numpy())])
"""A column of ones and the logarithms of m, n and k: what a power law is fitted to."""
Y = np.log(RUNS.target)


def leave_one_out(features: Floats, target: Floats) -> Floats:
    """Return by how much a straight line misses each run after learning from all others."""
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
            "You rounded down. What is left of the sum after the last whole stretch must be added "
            "to C, too.",
        ),
        Mistake(
            "not rounded",
            lambda m, n, k: m * n * k / 384,
            "A stretch that is not full costs a whole update of C: part of a visit is a visit.",
        ),
        Mistake(
            "always one more",
            lambda m, n, k: m * n * (k // 384 + 1),
            "Try k = 384: that is one stretch and not two.",
        ),
        Mistake(
            "reading and writing apart",
            lambda m, n, k: 2 * m * n * np.ceil(k / 384),
            "You counted reading and writing apart. A visit does both, and counts once.",
        ),
        Mistake(
            "once only",
            lambda m, n, k: m * n,
            "C is read and written once for every stretch of the sum, not once in all.",
        ),
    ],
    hint="C has m times n elements. How many stretches of 384 terms does a sum of k terms have, if "
    "the last one may be short?",
    right="That is a count: it follows from the sizes and from how the library works, and nothing "
    "was measured for it. With k = 385 it doubles; no power law can say that.",
)

learners_target = Task(
    "What the learner of a graybox is taught",
    reference=lambda measured, modelled: np.log(measured / modelled),
    cases=[
        (np.array([2.0e-6, 5.0e-4, 0.1]), np.array([1.0e-6, 6.0e-4, 0.1])),
        (np.array([3.0, 4.0]), np.array([1.0, 5.0])),
    ],
    mistakes=[
        Mistake(
            "difference",
            lambda measured, modelled: measured - modelled,
            "In equation (3) the correction is multiplied, not added. Differences in seconds would "
            "be decided by the long runs alone.",
        ),
        Mistake(
            "upside down",
            lambda measured, modelled: np.log(modelled / measured),
            "Put that into equation (3): it would double the model's error and not remove it.",
        ),
        Mistake(
            "another base",
            lambda measured, modelled: np.log10(measured / modelled),
            "That is the logarithm to base 10. Equation (3) has e: take the natural one, `np.log`.",
        ),
        Mistake(
            "relative error",
            lambda measured, modelled: measured / modelled - 1,
            "That is close to g where the error is small. Equation (3) multiplies by a power of e.",
        ),
        Mistake(
            "factor without logarithm",
            lambda measured, modelled: measured / modelled,
            "That is the factor itself. Equation (3) raises e to the power of what is learned.",
        ),
    ],
    hint="Set the prediction of equation (3) equal to the measured time and solve for g.",
    right="Where the learner knows nothing it says 0, a factor of 1, and the model stands alone. "
    "That is why the graybox needs no more runs than the six prices do.",
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
            "Those are the residuals of one fit to all runs: each run has helped to predict "
            "itself, so the errors come out too small. Equation (5) corrects them.",
        ),
        Mistake(
            "leverage multiplied",
            lambda features, target: (
                (target - features @ np.linalg.lstsq(features, target, rcond=None)[0])
                * (1 - (np.linalg.qr(features)[0] ** 2).sum(axis=1))
            ),
            "Divide by 1 - h: a run that pulls the line towards itself is missed by more, not "
            "less, once it is left out.",
        ),
    ],
    hint="By equation (4): `features.T @ features - features[:, :, None] * features[:, None, :]` "
    "is a stack of matrices, one for each run left out, and `np.linalg.solve` takes stacks (give "
    "the right-hand sides a last axis of length 1). By equation (5): with `q` from "
    "`np.linalg.qr(features)` the leverages are `np.square(q).sum(axis=1)`.",
    right="The loop repeats nearly the same sums for every run. What is faster here is less "
    "arithmetic and fewer calls, not a faster machine.",
)
