"""Predictors on records split at random or by date, and on texts that leak their results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.forecasting.precog.descriptions import (
    CUT,
    LATER,
    Records,
    draw_records,
    read_result,
)
from perfmodel.labs.forecasting.precog.predictors import PREDICTORS, Forecasts, reader, ridge
from perfmodel.labs.forecasting.precog.selective_prediction import (
    CoverageRisk,
    check_dates,
    coverage_risk,
    later_split,
)
from perfmodel.validation import Floats, one_of

SPLITS = ("at random", "by date")
SEEDS = range(5)


class Trial(NamedTuple):
    """A predictor on the records that it was tested on."""

    actual: Floats
    """Scores, 0 to 100."""
    forecasts: Forecasts
    new: NDArray[np.bool_]
    """Whether the record is of a kind that appears only in later months."""

    @property
    def errors(self) -> Floats:
        """Absolute errors, points."""
        return np.abs(self.forecasts.scores - self.actual)

    @property
    def curve(self) -> CoverageRisk:
        """Risk by coverage, the record of the smallest stated spread first."""
        return coverage_risk(self.errors, -self.forecasts.spread)


def split_records(records: Records, split: str, seed: int = 0) -> tuple[list[int], list[int]]:
    """Return which records are learned from and which are tested on, as many in either split.

    >>> learned, tested = split_records(draw_records(0), "by date")
    >>> len(learned), min(tested)
    (500, 500)
    """
    if one_of("split", split, SPLITS) == "by date":
        earlier, later = later_split(records.months, CUT)
        check_dates(records.months[earlier], records.months[later])
        return earlier.tolist(), later.tolist()
    order = np.random.default_rng(seed).permutation(len(records.texts)).tolist()
    tested = min(LATER, len(order) // 2)
    return order[tested:], order[:tested]


def tried(records: Records, predictor: str, split: str, seed: int = 0) -> Trial:
    """Return a predictor's trial on given records, all numbers masked."""
    learned, tested = split_records(records, split, seed)
    texts = records.redacted()
    forecasts = PREDICTORS[predictor](
        _picked(texts, learned), records.scores[learned], _picked(texts, tested)
    )
    return Trial(records.scores[tested], forecasts, records.new[tested])


@cache
def trial(predictor: str, split: str, seed: int = 0) -> Trial:
    """Return a predictor's trial on the records of a seed.

    >>> bool(trial("ridge", "at random").errors.mean() < 10)
    True
    """
    return tried(_records(seed), predictor, split, seed)


def mean_errors(predictor: str, split: str) -> tuple[float, float, float]:
    """Return mean absolute errors over five drawings: of all, of known kinds and of new ones."""
    result = [trial(predictor, split, seed) for seed in SEEDS]
    errors = np.concatenate([item.errors for item in result])
    new = np.concatenate([item.new for item in result])
    return float(errors.mean()), float(errors[~new].mean()), float(errors[new].mean())


def confidence_gains(predictor: str, split: str) -> Floats:
    """Return what a predictor's confidence gained in each of five drawings, 1 being perfect."""
    return np.array([trial(predictor, split, seed).curve.gain for seed in SEEDS])


def noise_error(split: str) -> float:
    """Return the mean error of knowing everything but the noise, points, over five drawings."""
    result = []
    for seed in SEEDS:
        records = _records(seed)
        tested = split_records(records, split, seed)[1]
        result.append(np.abs(records.scores - records.expected)[tested].mean())
    return float(np.mean(result))


def score_deviation(split: str) -> float:
    """Return the standard deviation of the scores tested on, points, mean of five drawings."""
    return float(np.mean([trial("constant", split, seed).actual.std() for seed in SEEDS]))


class Leak(NamedTuple):
    """What masking leaves, on records dated later."""

    share: float
    """Of the descriptions tested on that still print a number."""
    read: Trial
    """Of a predictor that reads such numbers, and is a ridge regression elsewhere."""
    honest: float
    """Mean error of the ridge regression on the descriptions without a number, points."""
    blind: float
    """Mean error of the ridge regression, which only counts words, on all; points."""


@cache
def leak(mask: str, seed: int = 0) -> Leak:
    """Return what is gained by reading results that a mask of `MASKS` has left standing."""
    records = _records(seed)
    learned, tested = split_records(records, "by date")
    texts = records.redacted(mask)
    known, asked = _picked(texts, learned), _picked(texts, tested)
    scores, actual = records.scores[learned], records.scores[tested]
    there = np.array([read_result(text) is not None for text in asked])
    result = Trial(actual, reader(known, scores, asked), records.new[tested])
    blind = np.abs(ridge(known, scores, asked).scores - actual)
    honest = float(result.errors[~there].mean()) if not there.all() else np.nan
    return Leak(float(there.mean()), result, honest, float(blind.mean()))


@cache
def _records(seed: int) -> Records:
    return draw_records(seed)


def _picked(texts: Sequence[str], rows: Sequence[int]) -> list[str]:
    return [texts[row] for row in rows]
