"""Settings are chosen on training rows alone, by the folds that are given."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

from perfmodel.prediction.arena.tuning import MOST, Tuned

X = np.arange(1.0, 31.0)[:, None]
SETTINGS = {"mean": DummyRegressor(), "line": LinearRegression()}
SEEN = []


class Watching(BaseEstimator, RegressorMixin):
    """Keep which rows it was shown."""

    def fit(self, X, y):
        SEEN.append(("fit", X[:, 0].tolist()))
        self.fitted_ = True
        return self

    def predict(self, X):
        SEEN.append(("predict", X[:, 0].tolist()))
        return np.ones(len(X))


def test_the_better_setting_is_chosen_and_fitted_to_all():
    tuned = Tuned(SETTINGS).fit(X, 3 * X[:, 0])
    assert tuned.chosen_ == "line"
    assert tuned.inner_error_ == pytest.approx(0, abs=1e-9)
    assert tuned.predict([[100.0]]) == pytest.approx([300.0])


def test_inner_error_is_that_of_the_folds_by_hand():
    folds = [(np.arange(5), np.array([5]))]
    target = np.array([1, 1, 1, 1, 1, 2.0])
    tuned = Tuned({"mean": DummyRegressor()}).fit(X[:6], target, folds)
    assert tuned.inner_error_ == pytest.approx(0.5)


def test_only_training_rows_are_shown_before_predicting():
    SEEN.clear()
    Tuned({"one": Watching(), "two": Watching()}).fit(X[:20], X[:20, 0])
    assert {row for _, rows in SEEN for row in rows} == set(X[:20, 0])


def test_no_fold_is_judged_on_what_it_learned():
    SEEN.clear()
    Tuned({"one": Watching()}).fit(X, X[:, 0])
    pairs = list(zip(SEEN[0:-1:2], SEEN[1:-1:2], strict=True))
    assert len(pairs) == 3
    for (_, known), (_, asked) in pairs:
        assert not set(known) & set(asked)


def test_too_few_rows_take_the_first_setting():
    tuned = Tuned(SETTINGS).fit(X[:5], 3 * X[:5, 0])
    assert tuned.chosen_ == "mean"
    assert np.isnan(tuned.inner_error_)


def test_many_rows_are_chosen_by_some_and_learned_from_in_full():
    many = np.arange(1.0, 1001.0)[:, None]
    SEEN.clear()
    Tuned({"one": Watching()}).fit(many, many[:, 0])
    sizes = [len(rows) for what, rows in SEEN if what == "fit"]
    assert max(sizes[:-1]) <= MOST
    assert sizes[-1] == 1000


@pytest.mark.parametrize(
    ("settings", "target", "said"),
    [({}, X[:, 0], "settings must name"), (SETTINGS, -X[:, 0], "y must be above 0")],
)
def test_no_settings_or_targets_below_zero_are_named(settings, target, said):
    with pytest.raises(ValueError, match=said):
        Tuned(settings).fit(X, target)
