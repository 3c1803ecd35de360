"""The arena: same rows for all, and scores from the definitions."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

from perfmodel.prediction.arena import metrics
from perfmodel.prediction.arena.contest import Contestant, compete
from perfmodel.prediction.arena.dataset import Dataset, LeakError
from perfmodel.prediction.arena.estimators import Columns, LogFeatures
from perfmodel.prediction.arena.splits import Split, shuffle_split

RANDOM = np.random.default_rng(8)
SIZE = RANDOM.uniform(1, 100, 80)
RUNS = Dataset(
    "demo",
    pd.DataFrame({"size": SIZE}),
    {"size": "1"},
    SIZE**1.5 * np.exp(0.1 * RANDOM.normal(size=80)),
    "time",
    "s",
    "made",
    "CC0-1.0",
)
POWER = LogFeatures(LinearRegression(), ["size"])
ENTRIES = [
    Contestant("power law", "regression", POWER),
    Contestant("the same again", "ml", POWER),
    Contestant("constant", "whitebox", LogFeatures(DummyRegressor(), ["size"])),
]


class Broken(BaseEstimator, RegressorMixin):
    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.full(len(X), np.nan)


@pytest.fixture(scope="module")
def scores():
    return compete(RUNS, ENTRIES, [(20, s, shuffle_split(RUNS, 20, s, 40)) for s in range(6)])


def test_a_score_is_that_of_the_rows(scores):
    split = shuffle_split(RUNS, 20, 0, 40)
    model = POWER.fit(RUNS.features.iloc[split.train], RUNS.target[split.train])
    where = split.tests["inside"]
    guess = model.predict(RUNS.features.iloc[where])
    row = scores.query("contestant == 'power law' and seed == 0").iloc[0]
    assert row["mape"] == pytest.approx(metrics.mape(RUNS.target[where], guess))
    assert row["spearman"] == pytest.approx(metrics.spearman(RUNS.target[where], guess))
    assert row["fit_seconds"] >= 0


def test_contestants_learn_afresh_each_round():
    rounds = [(20, 0, shuffle_split(RUNS, 20, 0, 40))] * 2
    twice = compete(RUNS, ENTRIES[:1], rounds)
    assert twice["mape"][0] == twice["mape"][1]
    assert not hasattr(ENTRIES[2].estimator, "fitted_")


def test_an_estimator_of_ones_own_may_enter():
    own = Contestant("own", "regression", Columns(LinearRegression(), ["size"]))
    assert len(compete(RUNS, [own], [(10, 0, shuffle_split(RUNS, 10, 0))])) == 1


def test_what_is_refused():
    leak = Split("mine", np.arange(10), {"inside": np.arange(5)})
    with pytest.raises(LeakError, match="tests"):
        compete(RUNS, ENTRIES, [(10, 0, leak)])
    broken = [Contestant("broken", "ml", Broken())]
    with pytest.raises(ValueError, match="'broken' must predict one finite number a row"):
        compete(RUNS, broken, [(10, 0, shuffle_split(RUNS, 10, 0))])
