"""What the reader does: scores without an integral, a rule on variants, and the luck of tuning."""

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
        "below zero: A workload that took more than `r_max` times the least counts nothing; yours "
        "counts against its owner. An infinite one even makes the score infinite.",
        lambda seconds, r_max: np.array(
            [np.mean((r_max - r[r <= r_max]) / (r_max - 1)) for r in _ratios(seconds)]
        ),
        "solved ones only: You divided by the workloads that count. Then a submission that solves "
        "one workload fastest, and no other, scores 1. Divide by all.",
        lambda seconds, r_max: (
            np.mean(np.maximum(r_max - seconds / seconds.min(axis=1, keepdims=True), 0), axis=1)
            / (r_max - 1)
        ),
        "against its own least: You divided each submission's times by its own shortest one. The "
        "least time is that of the workload, over the submissions: `axis=0`.",
        lambda seconds, r_max: (
            np.mean(np.maximum(r_max - _ratios(seconds), 0), axis=0) / (r_max - 1)
        ),
        "mean over submissions: You took the mean over submissions, a number for each workload. A "
        "score is a submission's mean over workloads: `axis=1`.",
        lambda seconds, r_max: profile_area(_ratios(seconds), r_max, 100),
        "trapezoids: That is the published rule, trapezoids on 100 factors, and off by up to "
        "0.002. Asked for is the area itself, which needs no grid.",
        lambda seconds, r_max: np.mean(np.maximum(r_max - _ratios(seconds), 0), axis=1),
        "not divided by the width: That is the area. The score is the area over the width, `r_max "
        "- 1`, so that the fastest everywhere scores 1.",
        lambda seconds, r_max: np.mean(np.maximum(r_max - _ratios(seconds), 0), axis=1) / r_max,
        "width from zero: No ratio is below 1, so the area is at most `r_max - 1`, not `r_max`.",
        lambda seconds, r_max: np.mean(_ratios(seconds) <= r_max, axis=1),
        "share reached: That is the profile's height at `r_max`: it doesn't care whether a "
        "workload took 1 or 3.9 times the least.",
    ),
    hint="First the ratios by (1): `seconds.min(axis=0)` is the least time on each workload. Then "
    "how wide is a ratio's strip, and when is there none? `np.maximum` helps.",
    right="A mean over workloads: linear in each ratio, and level from `r_max` on. The published "
    "trapezoids are off from it by up to 0.002, which changes no rank here.",
)


def _lost_with_variant(base: Floats, variant: Floats) -> Floats:
    return np.where(variant > 4 * variant.min(), np.inf, base)


held_out = Task(
    "A base workload that dies with its variant",
    reference=_lost_with_variant,
    cases=[
        (np.array([10.0, 8.0, 9.0]), np.array([5.0, 34.0, 20.0])),
        (np.array([10.0, 50.0, 9.0, 7.0]), np.array([5.0, 6.0, _INF, 21.0])),
    ],
    mistakes=mistakes(
        lambda base, variant: np.where(np.isinf(variant), np.inf, base),
        "only infinite ones: A variant that took more than 4 times the least time on it is lost as "
        "well.",
        lambda base, variant: np.where(variant > 4 * base, np.inf, base),
        "slower than four times the base: The variant is compared with the fastest submission on "
        "the variant, not against the base workload.",
        lambda base, variant: np.where(base > 4 * base.min(), np.inf, base),
        "the base's own limit: You looked at the base alone. Here the variant decides about the "
        "base.",
        lambda base, variant: np.where(variant > 4 * variant.min(), np.inf, variant),
        "variant returned: You found the ones that are lost. Now return the base times of the "
        "others, not the variant's.",
        lambda base, variant: np.where(variant >= 4 * variant.min(), np.inf, base),
        "four times is too slow: Exactly four times the least isn't more than four times: that "
        "time counts.",
    ),
    hint="`np.where(lost, np.inf, base)`; lost is who took more than 4 times `variant.min()`. An "
    "infinite time does, too.",
    right="One comparison, and it depends on somebody else: who is the fastest on the variant "
    "decides which base times of the others count at all.",
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
        "one study: That is one study with a success. The middle of three is finite where two are.",
        lambda success: (1 - (1 - success) ** 5) ** 3,
        "all three studies: Two of three will do: the median is then finite.",
        lambda success: 1 - (1 - success) ** 15,
        "any study: One success in fifteen trials makes one study finite, and two others infinite: "
        "so is their median.",
        lambda success: 3 * success**2 * (1 - success) + success**3,
        "without trials: In each study the best of five trials counts: one success in five is "
        "enough there.",
        lambda success: 3 * (1 - (1 - success) ** 5) ** 2 * (1 - (1 - (1 - success) ** 5)),
        "just two: Two of three, or all three.",
    ),
    hint="First u, the chance that at least one of five trials succeeds. Then the "
    "middle of three studies is finite where two or all three are: in how many ways is it two?",
    right="A trial that fails three times in four gives a finite time six times in seven. With one "
    "trial a study it would be one time in six.",
)
