"""Estimators recover what they were made for, and mixtures keep their promises."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from perfmodel.prediction.arena.estimators import Columns, Formula, LogFeatures, Priced
from perfmodel.prediction.arena.mixtures import Bounded, Corrected, Residual, WithModel

RANDOM = np.random.default_rng(4)
FEATURES = pd.DataFrame({"x": RANDOM.uniform(1, 100, 60), "z": RANDOM.uniform(1, 100, 60)})
SMALL = FEATURES["x"] < 50


def counts(features):
    return {"call": np.ones(len(features)), "x": features["x"], "xz": features["x"] * features["z"]}


def flat(features):
    return {"call": np.ones(len(features))}


CONSTANT = LogFeatures(DummyRegressor(), ["x"])
"""The geometric mean of what it learned."""
PRICES = st.floats(1e-9, 1e3)


@given(PRICES, PRICES, PRICES)
def test_prices_are_found_whatever_their_size(call, x, xz):
    y = call + x * FEATURES["x"] + xz * FEATURES["x"] * FEATURES["z"]
    model = Priced(counts).fit(FEATURES, y)
    np.testing.assert_allclose(model.predict(FEATURES), y, rtol=1e-6)
    parts = model.parts(FEATURES)
    np.testing.assert_allclose(sum(parts.values()), model.predict(FEATURES))


def test_prices_are_never_negative():
    model = Priced(counts).fit(FEATURES, 500 - 4 * FEATURES["x"])
    assert min(model.prices_.values()) >= 0


def test_intervals_hold_the_price_and_admit_what_they_cannot_tell():
    noise = np.exp(0.05 * np.random.default_rng(9).normal(size=60))
    y = (3 + 0.5 * FEATURES["x"]) * noise
    result = Priced(counts).fit(FEATURES, y).intervals(FEATURES, y)
    assert result["x"][0] < 0.5 < result["x"][1]
    assert result["xz"][0] == 0


def test_a_power_law_is_a_straight_line_on_logs():
    y = 3e-4 * FEATURES["x"] ** 1.7 / FEATURES["z"]
    line = LogFeatures(LinearRegression(), ["x", "z"]).fit(FEATURES[SMALL], y[SMALL])
    np.testing.assert_allclose(line.predict(FEATURES), y, rtol=1e-9)


def test_dividing_lets_trees_go_on():
    y = 2.0 * FEATURES["x"]
    forest = RandomForestRegressor(20, random_state=0)
    plain = Columns(forest, ["x"]).fit(FEATURES[SMALL], y[SMALL])
    per = LogFeatures(forest, ["x"], lambda f: f["x"]).fit(FEATURES[SMALL], y[SMALL])
    assert plain.predict(FEATURES).max() <= y[SMALL].max()
    np.testing.assert_allclose(per.predict(FEATURES), y, rtol=1e-9)


def test_a_right_model_leaves_the_learner_nothing():
    y = 1 + 0.1 * FEATURES["x"] * FEATURES["z"]
    forest = RandomForestRegressor(10, random_state=0)
    mixture = Residual(Priced(counts), forest, ["x", "z"]).fit(FEATURES[SMALL], y[SMALL])
    np.testing.assert_allclose(mixture.predict(FEATURES), y, rtol=1e-6)
    told = WithModel(Priced(counts), forest, ["x", "z"]).fit(FEATURES[SMALL], y[SMALL])
    assert told.predict(FEATURES).max() <= y[SMALL].max()


def test_a_learner_mends_a_wrong_model():
    y = 2 + np.where(FEATURES["z"] > 50, 3.0, 0.0)
    forest = RandomForestRegressor(30, random_state=0)
    mixture = Residual(Priced(flat), forest, ["z"]).fit(FEATURES, y)
    model = Priced(flat).fit(FEATURES, y)
    errors = [np.abs(fitted.predict(FEATURES) / y - 1).mean() for fitted in (mixture, model)]
    assert errors[0] < errors[1] / 5


def test_derived_columns_reach_the_learner():
    y = 1 + (FEATURES["x"].astype(int) % 2)
    bit = Residual(CONSTANT, LinearRegression(), ["z"], lambda f: f["x"].astype(int) % 2)
    np.testing.assert_allclose(bit.fit(FEATURES, y).predict(FEATURES), y, rtol=1e-9)


def test_a_correction_is_added_to_a_formula():
    y = 5 * FEATURES["x"] + np.where(FEATURES["z"] > 50, 1000.0, -1000.0)
    model = Formula(lambda f: 5 * f["x"])
    np.testing.assert_array_equal(model.fit(FEATURES, y).predict(FEATURES), 5 * FEATURES["x"])
    tree = Columns(DecisionTreeRegressor(), ["z"])
    both = Corrected(model, tree).fit(FEATURES, y)
    np.testing.assert_allclose(both.predict(FEATURES), y, rtol=1e-9)
    # A tree answers as for the nearest row that it knows; the formula goes on.
    far = pd.DataFrame({"x": [1e6], "z": [1e6]})
    assert both.predict(far) == pytest.approx([5e6 + 1000])


def test_bound_and_constant():
    y = FEATURES["x"].to_numpy()
    bounded = Bounded(CONSTANT, Priced(counts)).fit(FEATURES, y)
    constant = np.exp(np.log(y).mean())
    np.testing.assert_allclose(bounded.predict(FEATURES), np.maximum(constant, y), rtol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        Priced(counts),
        LogFeatures(LinearRegression(), ["x"]),
        Residual(CONSTANT, LinearRegression(), ["x"]),
        WithModel(CONSTANT, LinearRegression(), ["x"]),
    ],
)
def test_bad_targets_and_clones(model):
    assert clone(model).get_params().keys() == model.get_params().keys()
