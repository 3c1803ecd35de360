"""The reader's tasks: scores without an integral, a rule on variants, the luck of tuning."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.benchmarking import profile_area
from perfmodel.tasks import Task
from perfmodel.validation import Floats

_INF = np.inf
_TABLE = np.array([[10.0, 40.0, 9.0], [20.0, 21.0, 36.0], [_INF, 12.0, 20.0], [11.0, _INF, 45.0]])
_SPREAD = np.array([[6.0, 5.0, 3.0, 2.0], [1.0, 1.0, 1.0, 9.0]])


def _scores(seconds: Floats, r_max: float) -> Floats:
    ratios = seconds / seconds.min(axis=0)
    points: Floats = np.maximum(r_max - ratios, 0) / (r_max - 1)
    return np.asarray(points.mean(axis=1))


def _ratios(seconds: Floats) -> Floats:
    return np.asarray(seconds / seconds.min(axis=0))


score = Task(
    "The scores of a whole table, without an integral",
    reference=_scores,
    cases=[(_TABLE, 4.0), (_SPREAD, 4.0), (_SPREAD, 10.0)],
    mistakes=mistakes(
        lambda seconds, r_max: np.mean(r_max - _ratios(seconds), axis=1) / (r_max - 1),
        "below zero: You let slow workloads count negatively. A workload that takes more than "
        "`r_max` times the shortest time counts 0.",
        lambda seconds, r_max: np.array(
            [np.mean((r_max - r[r <= r_max]) / (r_max - 1)) for r in _ratios(seconds)]
        ),
        "solved ones only: You divided by the workloads that count. Then a submission that solves "
        "only one workload, and is fastest there, scores 1. Divide by all workloads.",
        lambda seconds, r_max: (
            np.mean(np.maximum(r_max - seconds / seconds.min(axis=1, keepdims=True), 0), axis=1)
            / (r_max - 1)
        ),
        "against its own least: You divided each submission's times by its own shortest time. Take "
        "the shortest time on each workload, over the submissions: `axis=0`.",
        lambda seconds, r_max: (
            np.mean(np.maximum(r_max - _ratios(seconds), 0), axis=0) / (r_max - 1)
        ),
        "mean over submissions: You took the mean over submissions, one number for each workload. "
        "A score is a submission's mean over workloads: `axis=1`.",
        lambda seconds, r_max: profile_area(_ratios(seconds), r_max, 100),
        "trapezoids: You used the published rule, trapezoids at 100 factors, which errs by up to "
        "0.002. The question asks for the exact area, which needs no grid.",
        lambda seconds, r_max: np.mean(np.maximum(r_max - _ratios(seconds), 0), axis=1),
        "not divided by the width: You computed the area. The score is the area divided by the "
        "width, `r_max - 1`.",
        lambda seconds, r_max: np.mean(np.maximum(r_max - _ratios(seconds), 0), axis=1) / r_max,
        "width from zero: You divided by `r_max`. No ratio is below 1: the width is `r_max - 1`.",
        lambda seconds, r_max: np.mean(_ratios(seconds) <= r_max, axis=1),
        "share reached: You computed the profile's height at `r_max`. It is the same for ratios of "
        "1 and 3.9. Use the area.",
    ),
    hint="First the ratios by (1): `seconds.min(axis=0)` is the shortest time on each workload. "
    "Then how wide is the strip of a ratio, and when is there none? `np.maximum` helps.",
    right="The score is a mean over workloads, linear in each ratio up to `r_max`. The published "
    "trapezoids differ by up to 0.002, which changes no rank here.",
)


def _lost_with_variant(base: Floats, variant: Floats) -> Floats:
    return np.where(variant > 4 * variant.min(), np.inf, base)


held_out = Task(
    "A workload that is lost with its variant",
    reference=_lost_with_variant,
    cases=[
        (np.array([10.0, 8.0, 9.0]), np.array([5.0, 34.0, 20.0])),
        (np.array([10.0, 50.0, 9.0, 7.0]), np.array([5.0, 6.0, _INF, 21.0])),
    ],
    mistakes=mistakes(
        lambda base, variant: np.where(np.isinf(variant), np.inf, base),
        "only infinite ones: You removed only infinite times. More than 4 times the shortest time "
        "on the variant is lost as well.",
        lambda base, variant: np.where(variant > 4 * base, np.inf, base),
        "slower than four times the base: You compared with the base workload. Compare with the "
        "shortest time on the variant.",
        lambda base, variant: np.where(base > 4 * base.min(), np.inf, base),
        "the base's own limit: You looked only at the base times. Here the variant decides.",
        lambda base, variant: np.where(variant > 4 * variant.min(), np.inf, variant),
        "variant returned: You returned times on the variant. Return the base times.",
        lambda base, variant: np.where(variant >= 4 * variant.min(), np.inf, base),
        "four times is too slow: You removed exactly four times the shortest time. Only more than "
        "four times is lost.",
    ),
    hint="`np.where(lost, np.inf, base)`. A base time is lost if the variant's time is more than 4 "
    "times `variant.min()`. This includes infinite times.",
    right="The result depends on another submission: the shortest time on the variant decides "
    "which base times count.",
    unit="s",
)


def _finite_median(success: float) -> float:
    study = 1 - (1 - success) ** 5
    return 3 * study**2 * (1 - study) + study**3


finite_score = Task(
    "The chance that a workload counts",
    reference=_finite_median,
    cases=[(0.25,), (0.05,), (0.6,)],
    mistakes=mistakes(
        lambda success: 1 - (1 - success) ** 5,
        "one study: You computed the probability that one study succeeds. The median of three is "
        "finite if two or three are.",
        lambda success: (1 - (1 - success) ** 5) ** 3,
        "all three studies: You required all three. The median is finite if two of three are.",
        lambda success: 1 - (1 - success) ** 15,
        "any study: You required one success in fifteen trials. Then one study is finite and two "
        "may be infinite, and so is their median.",
        lambda success: 3 * success**2 * (1 - success) + success**3,
        "without trials: You used one trial per study. In each study the best of five trials "
        "counts.",
        lambda success: 3 * (1 - (1 - success) ** 5) ** 2 * (1 - (1 - (1 - success) ** 5)),
        "just two: You counted exactly two finite studies. Add the case of three.",
    ),
    hint="First compute u, the probability that at least one of five trials succeeds. The median "
    "of three studies is finite if two or all three are. In how many ways is it two?",
    right="If 25 % of the trials succeed, the time is finite in 86 % of the cases. With one trial "
    "per study it would be 16 %.",
)
