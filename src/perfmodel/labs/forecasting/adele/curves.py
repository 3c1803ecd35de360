"""Each model's successes by level, the curves through them, and mixes with more hard questions.

Sources: the README next to the tables; L. Zhou et al., arXiv:2503.06378, 2025.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from perfmodel.labs.forecasting.adele.characteristic_curves import (
    CharacteristicCurve,
    LevelCounts,
    fit_characteristic_curve,
    mix_accuracy,
)
from perfmodel.labs.forecasting.adele.inputs import DIMENSIONS, FAMILY, LARGEST, MODELS
from perfmodel.labs.forecasting.adele.item_response import RaschFit, fit_rasch
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, one_of, positive

WAYS = ("published recipe", "to the optimum", "no anchor", "questions alike")
"""How the 270 curves can be fitted: as published, or with one thing done otherwise."""


class Mix(NamedTuple):
    """What a model does on a mix of levels."""

    items: Floats
    """Questions by level, shape (levels,)."""
    accuracy: float
    curve: CharacteristicCurve


class FamilyForecast(NamedTuple):
    """The largest model of a family against forecasts from the smaller ones, one a dimension."""

    line: Floats
    """Of a straight line in the logarithm of the parameters."""
    last: Floats
    """The second largest model's own value."""
    found: Floats


def level_counts(model: str, dimension: str) -> LevelCounts:
    """Return one model's questions and successes by level of one dimension.

    >>> level_counts("gpt4o", "KNn").items.tolist()
    [57.0, 663.0, 2366.0, 699.0]
    """
    one_of("model", model, MODELS)
    one_of("dimension", dimension, DIMENSIONS)
    part = _counts()[model, dimension]
    return LevelCounts(*part.T.copy())


def published_curve(model: str, dimension: str) -> CharacteristicCurve:
    """Return the curve as it is drawn in the published figure."""
    one_of("model", model, MODELS)
    one_of("dimension", dimension, DIMENSIONS)
    return _published()[model, dimension]


@cache
def fitted_curve(model: str, dimension: str, way: str = WAYS[0]) -> CharacteristicCurve:
    """Return the curve through one model's successes on one dimension.

    The published recipe is the fit of `perfmodel.forecasting` stopped where scikit-learn's logistic
    regression stops unless told otherwise; `way` is one of `WAYS`.
    """
    return refit(level_counts(model, dimension), way)


def refit(counts: LevelCounts, way: str = WAYS[0]) -> CharacteristicCurve:
    """Return the curve through successes by level, fitted in one of `WAYS`."""
    from sklearn.linear_model import LogisticRegression

    one_of("way", way, WAYS)
    return fit_characteristic_curve(
        *counts,
        weighting="items" if way == "questions alike" else "levels",
        anchor=None if way == "no anchor" else 20.0,
        regression=None if way == "to the optimum" else LogisticRegression(),
    )


@cache
def ability_errors(way: str = WAYS[0]) -> Floats:
    """Return our abilities less the published ones, shape (15, 18): models by dimensions."""
    with threadpool_limits(1):
        errors = [
            fitted_curve(model, name, way).ability - published_curve(model, name).ability
            for model, name in product(MODELS, DIMENSIONS)
        ]
    return np.reshape(errors, (len(MODELS), len(DIMENSIONS)))


def repeated(model: str, dimension: str, copies: float, way: str = "to the optimum") -> Mix:
    """Return a mix in which the questions of the highest level are there `copies` times."""
    counts = level_counts(model, dimension)
    factor = np.where(counts.levels == counts.levels.max(), positive("copies", copies), 1.0)
    mixed = counts._replace(items=counts.items * factor, solved=counts.solved * factor)
    fraction = float(mix_accuracy(mixed.items, mixed.success_rates))
    return Mix(mixed.items, fraction, refit(mixed, way))


@cache
def ability_shifts(copies: float, way: str = "to the optimum") -> Floats:
    """Return by how much abilities change when the highest level is repeated, shape (15, 18)."""
    with threadpool_limits(1):
        shifts = [
            repeated(model, name, copies, way).curve.ability
            - fitted_curve(model, name, way).ability
            for model, name in product(MODELS, DIMENSIONS)
        ]
    return np.reshape(shifts, (len(MODELS), len(DIMENSIONS)))


def accuracy(model: str, dimension: str) -> float:
    """Return the share of the dimension's questions that a model solves."""
    counts = level_counts(model, dimension)
    return float(mix_accuracy(counts.items, counts.success_rates))


def rasch(dimension: str) -> tuple[Floats, RaschFit]:
    """Return a dimension's levels, and how hard the answers of all 15 models say each is."""
    tables = [level_counts(model, dimension) for model in MODELS]
    items, solved = (np.array([table[i] for table in tables]) for i in (1, 2))
    return tables[0].levels, fit_rasch(items, solved)


def family_forecast(of: str) -> FamilyForecast:
    """Return forecasts of the largest Llama's "ability" or "accuracy" on every dimension."""
    one_of("of", of, ("ability", "accuracy"))
    value = accuracy if of == "accuracy" else lambda m, d: published_curve(m, d).ability
    table = np.array(
        [[value(model, name) for name in DIMENSIONS] for model in (*FAMILY, LARGEST[0])]
    )
    sizes = np.log10([*FAMILY.values()])
    slope, start = np.polyfit(sizes, table[:-1], 1)
    return FamilyForecast(slope * np.log10(LARGEST[1]) + start, table[-2], table[-1])


@cache
def _counts() -> dict[tuple[str, str], Floats]:
    groups = shipped_table(__package__, "curves.csv").groupby(["model", "dimension"])
    return {
        (str(model), str(name)): part[["level", "items", "solved"]].to_numpy(float)
        for (model, name), part in groups
    }


@cache
def _published() -> dict[tuple[str, str], CharacteristicCurve]:
    rows = shipped_table(__package__, "abilities.csv").itertuples(index=False)
    return {(model, name): CharacteristicCurve(able, slope) for model, name, able, slope in rows}
