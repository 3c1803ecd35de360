"""The graybox that settles its own prices and learner: what it sees, and how it chooses."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from perfmodel.labs.prediction.three_ways import contestants, graybox
from perfmodel.labs.prediction.three_ways.product_time import by_precision, flop
from perfmodel.prediction.arena.estimators import Priced
from perfmodel.prediction.arena.metrics import mape
from perfmodel.prediction.arena.tuning import Tuned

BOTH = contestants.dataset(["fp64", "fp32"])
ROWS = np.random.default_rng(3).permutation(len(BOTH))


def test_alignment_and_fill_by_hand():
    features = BOTH.features.iloc[:2].assign(
        m=[8.0, 6.0], n=[512.0, 20.0], k=[4.0, 385.0], word=8.0
    )
    assert graybox.alignment(features).tolist() == [[0, 1], [0.5, 0]]
    found = graybox.fill(features)
    assert found.shape == (2, 11)
    assert found[0, 3:].tolist() == pytest.approx([0, 0, 0, 0, 0, np.log(2), 0, np.log(96)])
    padded = [24 / 20, 32 / 20, 32 / 20, 8 / 6, 8 / 6, 16 / 6, 388 / 385, 768 / 385]
    assert np.exp(found[1, 3:]).tolist() == pytest.approx(padded)
    singles = graybox.fill(features.assign(word=4.0))
    assert np.exp(singles[1, 3]) == pytest.approx(32 / 20)


def test_mixed_precision_is_no_harder_than_one():
    train, test = ROWS[:100], ROWS[-200:]
    learned = clone(graybox.chosen_graybox()).fit(BOTH.features.iloc[train], BOTH.target[train])
    guess = learned.predict(BOTH.features.iloc[test])
    assert mape(BOTH.target[test], guess) < 0.10
    blind = BOTH.features.assign(word=8.0)
    unseeing = clone(graybox.boosted_graybox()).fit(blind.iloc[train], BOTH.target[train])
    assert mape(BOTH.target[test], unseeing.predict(blind.iloc[test])) > 0.15


def test_prices_of_each_precision_are_told_apart():
    shapes = BOTH.features.iloc[ROWS[:200]]
    rate = np.where(shapes["word"] == 4, 1e-11, 7e-11)
    model = graybox.priced().fit(shapes, rate * flop(shapes))
    assert model.chosen_.endswith("each")
    prices = model.fitted_.prices_
    assert prices["multiply-adds of words of 4"] == pytest.approx(4e-11, rel=1e-6)
    assert prices["multiply-adds of words of 8"] == pytest.approx(14e-11, rel=1e-6)


def test_shares_of_one_count_are_added_over_words():
    train = ROWS[:60]
    shapes, seconds = BOTH.features.iloc[train], BOTH.target[train]
    found = graybox.Corrected(graybox.priced(), None, graybox.alignment)
    found.model_ = graybox.priced().fit(shapes, seconds)
    found.rate_ = 1.0
    seen = found._seen(shapes)
    counts = {name.split(" of words")[0] for name in found.model_.fitted_.prices_}
    assert seen.shape == (60, 4 + 2 + len(counts) + 3)
    assert seen[:, 6 : 6 + len(counts)].sum(axis=1) == pytest.approx(1.0)


def test_a_word_without_a_price_is_still_given_a_time():
    singles = BOTH.features[BOTH.features["word"] == 4].index[:30]
    shapes, seconds = BOTH.features.iloc[singles], BOTH.target[singles]
    each = Tuned({"each": Priced(by_precision)})
    learned = graybox.Corrected(each, LinearRegression(), graybox.alignment).fit(shapes, seconds)
    assert (learned.model_.predict(shapes.assign(word=8.0)) == 0).all()
    found = learned.predict(shapes.assign(word=8.0))
    assert np.isfinite(found).all()
    assert (found > 0).all()


def test_average_is_geometric():
    class Says:
        def __init__(self, value):
            self.value = value

        def get_params(self, deep=False):
            return {"value": self.value}

        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.full(len(X), self.value)

    both = graybox.Average(Says(2.0), Says(8.0)).fit(np.zeros((3, 1)), np.ones(3))
    assert both.predict(np.zeros((3, 1))).tolist() == [4, 4, 4]
    with pytest.raises(ValueError, match="prediction must be above 0"):
        graybox.Average(Says(2.0), Says(-8.0)).fit(None, None).predict(np.zeros((1, 1)))


def test_kernel_is_searched_on_some_rows_and_used_on_all():
    x = np.linspace(0, 6, 300)[:, None]
    process = graybox.Smooth(rows=60).fit(x, np.sin(x[:, 0]))
    assert process.predict(x) == pytest.approx(np.sin(x[:, 0]), abs=0.05)
    assert len(process.process_.X_train_) == 300
    level = graybox.Smooth().fit(x[:5], np.ones(5))
    assert level.predict(x[:2]) == pytest.approx(1.0)
