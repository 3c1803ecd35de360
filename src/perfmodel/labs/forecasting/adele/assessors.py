"""Forecasts of single answers on questions that are made up: a forest, a regression, an accuracy.

Twenty benchmarks, each with its own mix of demands, are put to a subject that has the published
curves of a model. An *assessor* sees demands and outcomes of some questions, and says for others
with which chance they will be solved. We made the questions: those of the paper aren't public.

Source: L. Zhou et al., arXiv:2503.06378, 2025, for the forest's settings and the two ways to test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.labs.forecasting.adele.curves import published_curve
from perfmodel.labs.forecasting.adele.inputs import DIMENSIONS
from perfmodel.labs.forecasting.adele.item_response import success_of_items
from perfmodel.validation import Floats, sample, whole, within

BENCHMARKS = 20
FOLDS = 5
ASKED = 3
"""Dimensions that one benchmark is about."""
HARDEST = 5
"""The highest level of a demand."""


class Assessed(NamedTuple):
    """How good the stated chances are."""

    auroc: float
    """Chance that a solved question was given a higher chance than one not solved."""
    calibration_error: float
    """Mean distance of the share solved from the chance stated, over ten bins of the chance."""


@dataclass(frozen=True, eq=False)
class Battery:
    """Questions put to one subject."""

    demands: Floats
    """Levels, shape (questions, 18)."""
    benchmark: NDArray[np.int64]
    """Number of the benchmark, shape (questions,)."""
    probabilities: Floats
    """Those by which the outcomes were drawn, shape (questions,)."""
    solved: Floats
    """0 or 1, shape (questions,)."""


@cache
def draw_battery(seed: int, model: str = "gpt4o", each: int = 100) -> Battery:
    """Return 20 benchmarks of `each` questions, with outcomes drawn by a model's published curves.

    A benchmark asks for three dimensions, with middles uniform from 2 to 5, and little of the
    others, from 0 to 2; its questions scatter around them by 0.8 (standard deviation), rounded to
    levels 0 to 5.

    >>> draw_battery(0).demands.shape
    (2000, 18)
    """
    rng = np.random.default_rng(whole("seed", seed))
    benchmark = np.repeat(np.arange(BENCHMARKS), whole("each", each, 1))
    middles = rng.uniform(0, 2, (BENCHMARKS, len(DIMENSIONS)))
    for row in middles:
        row[rng.choice(row.size, ASKED, replace=False)] = rng.uniform(2, 5, ASKED)
    demands = np.clip(np.rint(rng.normal(middles[benchmark], 0.8)), 0, HARDEST)
    curves = [published_curve(model, name) for name in DIMENSIONS]
    abilities, slopes = [c.ability for c in curves], [c.slope for c in curves]
    probabilities = success_of_items(abilities, slopes, demands)
    return Battery(
        demands,
        benchmark,
        probabilities,
        (rng.random(probabilities.size) < probabilities).astype(float),
    )


def calibration_error(solved: ArrayLike, probabilities: ArrayLike, bins: int = 10) -> float:
    """Return the mean distance of stated from observed probability, over `bins` of equal width.

    >>> round(calibration_error([1, 0, 1, 1], [0.6, 0.6, 0.9, 0.9]), 2)
    0.1
    """
    outcomes = within("solved", sample("solved", solved), 0, 1)
    stated = within("probabilities", sample("probabilities", probabilities), 0, 1)
    if outcomes.size != stated.size:
        raise ValueError(
            f"probabilities must be as many as solved, {outcomes.size}, got {stated.size} of them"
        )
    count = whole("bins", bins, 1)
    index = np.minimum((stated * count).astype(int), count - 1)
    gaps = np.bincount(index, outcomes - stated, count)
    return float(np.abs(gaps).sum() / outcomes.size)


Assessor = Callable[[Battery, NDArray[np.int64], NDArray[np.int64]], Floats]


def by_accuracy(battery: Battery, known: NDArray[np.int64], asked: NDArray[np.int64]) -> Floats:
    """State the accuracy on the question's benchmark, or on all where the benchmark is new."""
    overall = battery.solved[known].mean()
    count = np.bincount(battery.benchmark[known], minlength=BENCHMARKS)
    right = np.bincount(battery.benchmark[known], battery.solved[known], BENCHMARKS)
    mean = np.where(count > 0, right / np.maximum(count, 1), overall)
    return np.asarray(mean[battery.benchmark[asked]])


def by_regression(battery: Battery, known: NDArray[np.int64], asked: NDArray[np.int64]) -> Floats:
    """State the chance of a logistic regression on the demands."""
    from sklearn.linear_model import LogisticRegression

    fit = LogisticRegression(solver="newton-cholesky").fit(
        battery.demands[known], battery.solved[known]
    )
    return np.asarray(fit.predict_proba(battery.demands[asked])[:, 1])


def by_forest(battery: Battery, known: NDArray[np.int64], asked: NDArray[np.int64]) -> Floats:
    """State the chance of a random forest with the paper's settings."""
    from sklearn.ensemble import RandomForestClassifier

    fit = RandomForestClassifier(
        100, criterion="entropy", min_samples_split=50, random_state=0, n_jobs=2
    )
    fit.fit(battery.demands[known], battery.solved[known])
    return np.asarray(fit.predict_proba(battery.demands[asked])[:, 1])


def by_truth(battery: Battery, known: NDArray[np.int64], asked: NDArray[np.int64]) -> Floats:
    """State the chance by which the outcome was drawn: nobody can do better."""
    return battery.probabilities[asked]


ASSESSORS: dict[str, Assessor] = {
    "accuracy only": by_accuracy,
    "logistic regression": by_regression,
    "random forest": by_forest,
    "the chances themselves": by_truth,
}


@cache
def assessed(seed: int, assessor: str, new_benchmarks: bool, model: str = "gpt4o") -> Assessed:
    """Return how good an assessor's probabilities are on unseen questions, over five parts.

    With `new_benchmarks` whole benchmarks are held out, four at a time, else questions at random. A
    model that solves all or none of the questions in a part is refused.
    """
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, StratifiedKFold

    battery = draw_battery(seed, model)
    scores = []
    if new_benchmarks:
        parts = GroupKFold(FOLDS).split(battery.demands, groups=battery.benchmark)
    else:
        shuffled = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        parts = shuffled.split(battery.demands, battery.solved)
    for known, asked in parts:
        solved = battery.solved[asked]
        if np.ptp(solved) == 0 or np.ptp(battery.solved[known]) == 0:
            raise ValueError(f"model must solve some questions and not others, got {model!r}")
        stated = ASSESSORS[assessor](battery, known, asked)
        scores.append((roc_auc_score(solved, stated), calibration_error(solved, stated)))
    return Assessed(*np.mean(scores, axis=0).tolist())
