"""Data sets, splits, estimators and tuning: what leaks or does not fit is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from perfmodel.prediction.arena import splits
from perfmodel.prediction.arena.dataset import Dataset, LeakError, repeat_noise
from perfmodel.prediction.arena.estimators import Columns, Formula, LogFeatures, Priced
from perfmodel.prediction.arena.mixtures import Bounded, Corrected, Residual, WithModel
from perfmodel.prediction.arena.tuning import MAX_TUNING_ROWS, Tuned

RANDOM = np.random.default_rng(5)
TARGET = np.exp(RANDOM.normal(size=40))


def made(features, target=TARGET, **more):
    frame = pd.DataFrame(features)
    units = more.pop("units", dict.fromkeys(frame.columns, "1"))
    return Dataset("demo", frame, units, target, "time", "s", "drawn", "CC0-1.0", **more)


@pytest.mark.parametrize(
    "leak", [TARGET, 1e3 * TARGET, -2 * TARGET + 5, TARGET**2, 1 / TARGET, np.log(TARGET)]
)
def test_a_feature_that_is_the_target_is_refused(leak):
    with pytest.raises(LeakError, match="'given' of demo is the target in another scale"):
        made({"size": RANDOM.normal(size=40), "given": leak})
    assert len(made({"given": leak}, known=("given",))) == 40


def test_a_strong_feature_is_no_leak():
    noisy = TARGET * np.exp(0.05 * RANDOM.normal(size=40))
    assert made({"noisy": noisy}).numeric == ["noisy"]
    assert made({"constant": np.ones(40), "kind": ["a", "b"] * 20}).numeric == ["constant"]


def test_what_does_not_fit_is_named():
    with pytest.raises(ValueError, match="features must have a value for each of the 40 targets"):
        made({"size": np.arange(39)})
    with pytest.raises(ValueError, match="machine must have a value for each"):
        made({"size": RANDOM.normal(size=40)}, groups={"machine": ["a"]})
    with pytest.raises(ValueError, match="units must name the unit of 'size'"):
        made({"size": RANDOM.normal(size=40)}, units={})


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_feature_that_is_missing_or_infinite_is_named_with_its_row(bad):
    size = RANDOM.normal(size=40)
    size[[7, 9]] = bad
    message = f"feature 'size' must have a finite value in every row, got {bad} in row 7 and in 1"
    with pytest.raises(ValueError, match=message):
        made({"other": np.arange(40) % 7, "size": size})


def test_missing_names_and_whole_numbers_are_named_too():
    with pytest.raises(ValueError, match="feature 'kind' must .* got .* in row 39$"):
        made({"kind": [*["a"] * 39, None]})
    with pytest.raises(ValueError, match="feature 'count' must .* in row 1$"):
        made({"count": pd.array([1, None, *range(38)], dtype="Int64")})
    with pytest.raises(ValueError, match="group 'machine' must .* got nan in row 2"):
        made({"size": RANDOM.normal(size=40)}, groups={"machine": ["a", "b", np.nan] + ["a"] * 37})


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_a_target_that_is_not_finite_is_refused(bad):
    with pytest.raises(ValueError, match=f"target must .*, got {bad} in row 39"):
        made({"size": RANDOM.normal(size=40)}, [*TARGET[:-1], bad])


@pytest.mark.parametrize("count", [0, 39, 41])
def test_lengths_that_differ_are_told_with_both_counts(count):
    values = RANDOM.normal(size=count)
    with pytest.raises(ValueError, match=f"features must .* the 40 targets, got {count}"):
        made({"size": values})
    groups = {"machine": values.tolist()}
    with pytest.raises(ValueError, match=f"machine must .* the 40 targets, got {count}"):
        made({"size": RANDOM.normal(size=40)}, groups=groups)


def test_a_table_that_is_none_is_refused():
    with pytest.raises(ValueError, match="features must be a pandas DataFrame .* got dict"):
        Dataset("demo", {"size": TARGET}, {}, TARGET, "time", "s", "drawn", "CC0-1.0")
    names = ["size", "size", "time", "time"]
    twice = pd.DataFrame(RANDOM.normal(size=(40, 4)), columns=names)
    with pytest.raises(ValueError, match="features must have a name each, got 'size' twice"):
        made(twice)
    with pytest.raises(ValueError, match="machine must have a value for each .* got 'a'"):
        made({"size": RANDOM.normal(size=40)}, groups={"machine": "a"})
    with pytest.raises(ValueError, match="known must name features, size, got 'sise'"):
        made({"size": RANDOM.normal(size=40)}, known=("sise",))


def test_take_keeps_rows_together():
    whole = made({"size": np.arange(40.0)[::-1] % 7}, groups={"machine": list(range(40))})
    part = whole.take([7, 3])
    assert part.target.tolist() == whole.target[[7, 3]].tolist()
    assert part.features["size"].tolist() == whole.features["size"][[7, 3]].tolist()
    assert part.group("machine").tolist() == [7, 3]


@given(st.floats(0.001, 0.2), st.integers(2, 6))
def test_noise_of_repeats_is_that_of_the_draw(spread, repeats):
    drawn = np.exp(spread * np.random.default_rng(1).normal(size=(4000, repeats)))
    # Mean |a normal| is sqrt(2 / pi), and the others' mean has a spread of its own.
    expected = spread * np.sqrt(2 / np.pi * (1 + 1 / (repeats - 1)))
    assert repeat_noise(drawn) == pytest.approx(expected, rel=0.08)


def test_noise_needs_repeats():
    with pytest.raises(ValueError, match=r"repeats must have shape \(n, 2 or more\)"):
        repeat_noise([[1.0], [2.0]])


SIZE = np.random.default_rng(2).permutation(np.arange(1.0, 61.0))
RUNS = Dataset(
    "demo",
    pd.DataFrame({"size": SIZE}),
    {"size": "1"},
    1 + np.sin(SIZE) ** 2 + SIZE,
    "time",
    "s",
    "made",
    "CC0-1.0",
    groups={"machine": [int(one) % 4 for one in SIZE]},
    known=("size",),
)


@given(st.integers(1, 59), st.integers(0, 50))
def test_at_random(budget, seed):
    split = splits.shuffle_split(RUNS, budget, seed, test=20)
    split.check(RUNS)
    assert split.train.size == budget
    assert split.tests["inside"].size == min(20, 60 - budget)


def test_budgets_of_a_seed_share_tests_and_grow():
    few, many = (splits.shuffle_split(RUNS, budget, 3, test=20) for budget in (5, 30))
    assert few.tests["inside"].tolist() == many.tests["inside"].tolist()
    assert set(few.train) <= set(many.train)


@given(st.integers(1, 20), st.integers(0, 20), st.floats(0.4, 0.9))
def test_larger_learns_below_the_cut_and_asks_above(budget, seed, share):
    split = splits.larger_split(RUNS, SIZE, budget, seed, share)
    split.check(RUNS)
    cut = np.quantile(SIZE, share)
    assert (SIZE[split.train] <= cut).all()
    assert (SIZE[split.tests["inside"]] <= cut).all()
    assert (SIZE[split.tests["beyond"]] > cut).all()


@given(st.integers(0, 14), st.integers(0, 30), st.integers(0, 20))
def test_few_shot(shots, budget, seed):
    if shots + budget == 0:
        return
    split = splits.few_shot_split(RUNS, "machine", 2, shots, budget, seed)
    split.check(RUNS)
    machines = RUNS.group("machine")
    assert (machines[split.train] == 2).sum() == shots
    assert (machines[split.tests["beyond"]] == 2).all()
    assert split.tests["beyond"].size == 15 - shots


def test_unseen_sees_nothing_of_the_group():
    split = splits.unseen_split(RUNS, "machine", 1, 10, 0)
    assert not (RUNS.group("machine")[split.train] == 1).any()


def test_test_rows_and_repeats_in_training_are_leaks():
    with pytest.raises(LeakError, match="tests \\(inside\\) on 1 row"):
        splits.Split("mine", np.array([1, 2]), {"inside": np.array([2, 3])}).check(RUNS)
    twice = RUNS.take([0, 1, 2, 0])
    with pytest.raises(LeakError, match="first row 3"):
        splits.Split("mine", np.array([0, 1]), {"inside": np.array([2, 3])}).check(twice)


def test_impossible_wishes():
    with pytest.raises(ValueError, match="budget must be at most 59 rows"):
        splits.shuffle_split(RUNS, 60, 0)
    with pytest.raises(ValueError, match="value must be a machine of demo, got 9"):
        splits.unseen_split(RUNS, "machine", 9, 5, 0)
    with pytest.raises(ValueError, match="shots must be below the 15 rows"):
        splits.few_shot_split(RUNS, "machine", 1, 15, 5, 0)
    with pytest.raises(ValueError, match="must not both be 0"):
        splits.few_shot_split(RUNS, "machine", 1, 0, 0, 0)


@pytest.mark.parametrize("count", [0, 59, 61])
def test_a_size_for_other_rows_is_refused(count):
    with pytest.raises(ValueError, match=r"size must (have a value for each of the 60|be a one-)"):
        splits.larger_split(RUNS, np.arange(1.0, count + 1), 5, 0)


def test_sizes_that_split_nothing_are_refused():
    for bad in (np.nan, np.inf):
        with pytest.raises(
            ValueError, match=f"size must .*, got {bad} in row {np.argmax(SIZE == 3)}"
        ):
            splits.larger_split(RUNS, np.where(SIZE == 3, bad, SIZE), 5, 0)
    with pytest.raises(ValueError, match="size must have values above 7, .* got none"):
        splits.larger_split(RUNS, np.full(60, 7.0), 5, 0)


def test_few_shot_folds_ask_what_the_test_asks():
    split = splits.few_shot_split(RUNS, "machine", 2, 3, 100, 0)
    machines = RUNS.group("machine")[split.train]
    assert 1 < len(split.folds) <= 3
    for known, asked in split.folds:
        (value,) = set(machines[asked])
        assert value != 2
        assert (machines[known] == value).sum() == 3
        assert sorted([*known, *asked]) == list(range(split.train.size))


DRAWS = np.random.default_rng(4)
FEATURES = pd.DataFrame({"x": DRAWS.uniform(1, 100, 60), "z": DRAWS.uniform(1, 100, 60)})
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
    assert max(sizes[:-1]) <= MAX_TUNING_ROWS
    assert sizes[-1] == 1000


@pytest.mark.parametrize(
    ("settings", "target", "said"),
    [({}, X[:, 0], "settings must name"), (SETTINGS, -X[:, 0], "y must be above 0")],
)
def test_no_settings_or_targets_below_zero_are_named(settings, target, said):
    with pytest.raises(ValueError, match=said):
        Tuned(settings).fit(X, target)
