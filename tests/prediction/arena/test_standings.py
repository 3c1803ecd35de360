"""Contests, standings and transfer on made-up data with a known winner."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge

from perfmodel.prediction.arena import metrics, standings as standings_module
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.contest import Answer, Contestant, answers, compete
from perfmodel.prediction.arena.dataset import Dataset, LeakError
from perfmodel.prediction.arena.estimators import Columns, LogFeatures, Priced
from perfmodel.prediction.arena.model_families import SETTINGS, family_contestants
from perfmodel.prediction.arena.splits import Split, shuffle_split
from perfmodel.prediction.arena.standings import (
    FAMILY_CHOICE,
    standings,
    standings_of_answers,
    unit_of,
)
from perfmodel.prediction.arena.transfer import APPROACHES, Labelled, held_out, transfer
from perfmodel.prediction.arena.tuning import Tuned


def made(target=None):
    random = np.random.default_rng(2)
    size = np.exp(random.uniform(0, 4, 60))
    return Dataset(
        "demo",
        pd.DataFrame({"size": size}),
        {"size": "1"},
        size * np.exp(0.1 * random.normal(size=60)) if target is None else target,
        "time",
        "s",
        "made",
        "CC0-1.0",
        groups={"machine": [row % 10 for row in range(60)]},
    )


RUNS = made()
ROUNDS = [(20, seed, shuffle_split(RUNS, 20, seed)) for seed in range(3)]
FLAT = LogFeatures(DummyRegressor(), ["size"])
LINE = LogFeatures(LinearRegression(), ["size"])


class Constant(DummyRegressor):
    """Answer what it is told, whatever the training rows say."""

    def fit(self, X, y):
        self.answer_ = self.constant
        return self

    def predict(self, X):
        return np.full(len(X), self.answer_)


def test_errors_are_pooled_over_rows_by_hand():
    board = standings(RUNS, [Contestant("two", "whitebox", Constant(constant=2.0))], ROUNDS)
    (row,) = board.to_dict("records")
    rows = np.concatenate([split.tests["inside"] for _, _, split in ROUNDS])
    wrong = np.abs(2 - RUNS.target[rows]) / RUNS.target[rows]
    assert row["error"] == pytest.approx(wrong.mean())
    assert row["units"] == len(set(rows.tolist()))
    assert row["contestant"] == "two", "not tuned, so in no team"


def test_units_are_groups_where_they_are_named():
    board = standings(RUNS, [Contestant("line", "ml", Tuned({"line": LINE}))], ROUNDS, "machine")
    assert set(board["units"]) == {10}
    assert board["low"].notna().all()


def test_a_family_sends_whom_its_training_rows_choose_not_whom_the_test_does():
    """The target of the test rows is set so that the entry that learned worse wins there."""
    target = RUNS.target.copy()
    test = np.arange(40, 60)
    train = np.arange(40)
    target[test] = np.exp(np.log(target[train]).mean())
    runs = made(target)
    split = Split("random", train, {"inside": test})
    entries = [
        Contestant("flat", "ml", Tuned({"flat": FLAT})),
        Contestant("line", "ml", Tuned({"line": LINE})),
    ]
    board = standings(runs, entries, [(40, 0, split)]).set_index("contestant")
    assert board.loc["flat", "error"] < 0.01 < board.loc["line", "error"]
    assert board.loc[FAMILY_CHOICE, "sent"] == "line 1"
    assert board.loc[FAMILY_CHOICE, "error"] == board.loc["line", "error"]


def test_one_family_of_two_that_differ_clearly_is_behind():
    entries = [
        Contestant("flat", "regression", Tuned({"flat": FLAT})),
        Contestant("line", "ml", Tuned({"line": LINE})),
    ]
    board = standings(RUNS, entries, ROUNDS)
    sent = board[board["contestant"] == FAMILY_CHOICE]
    assert list(sent["family"]) == ["ml", "regression"]
    assert list(sent["ties"]) == [True, False]
    assert sent["behind"].iloc[0] == 0


def counts(features):
    return {"size": features["size"], "one": np.ones(len(features))}


@pytest.mark.parametrize("work", [None, lambda features: features["size"]])
@pytest.mark.parametrize("models", [1, 2])
def test_every_learner_and_mixture_has_as_many_settings(models, work):
    whiteboxes = {str(number): Priced(counts) for number in range(models)}
    entries = family_contestants(whiteboxes, ["size"], work=work)
    tuned = {entry.name: len(entry.estimator.settings) for entry in entries}
    single = {"constant", *whiteboxes}
    assert {name for name, size in tuned.items() if size == 1} == single
    assert {size for name, size in tuned.items() if name not in single} == {SETTINGS}
    assert {entry.family for entry in entries} == {"whitebox", "regression", "ml", "graybox"}


def test_without_a_model_there_is_no_mixture():
    assert {entry.family for entry in family_contestants({}, ["size"])} == {"regression", "ml"}


def test_test_rows_change_nothing_that_was_fitted():
    """Targets of test rows are multiplied: every entry answers as before."""
    points, seed, split = ROUNDS[0]
    target = RUNS.target.copy()
    target[split.tests["inside"]] *= np.linspace(1, 50, split.tests["inside"].size)
    entries = family_contestants({"priced": Priced(counts)}, ["size"])
    before = list(answers(RUNS, entries, [(points, seed, split)]))
    after = list(answers(made(target), entries, [(points, seed, split)]))
    for item, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(item.predicted, other.predicted)
        np.testing.assert_equal(item.inner_error, other.inner_error)


def test_a_challenge_brings_its_entries_and_its_unit():
    guest = Contestant("guest", "ml", Tuned({"line": LINE}))
    challenge = Challenge(RUNS, ROUNDS, ["size"], unit="machine", more=[guest])
    assert [entry.name for entry in challenge.entries()][-1] == "guest"
    assert len(challenge.entries()) == len(family_contestants({}, ["size"])) + 1


@pytest.mark.parametrize(
    ("name", "unit"),
    [("random", "row"), ("unseen machine", "machine"), ("3 of a new machine", "machine")],
)
def test_the_unit_follows_what_is_new(name, unit):
    rounds = [(points, seed, replace(split, name=name)) for points, seed, split in ROUNDS]
    board = standings(RUNS, [Contestant("line", "ml", LINE)], rounds)
    assert set(board["unit"]) == {unit}
    assert (board["units"] <= 10).all() == (unit == "machine")


def test_a_group_that_the_data_set_lacks_is_no_unit():
    assert unit_of(RUNS, "unseen shape", "machine") == "machine"
    assert unit_of(RUNS, "unseen shape") is None


def test_a_team_costs_the_tuning_of_all_it_chose_among():
    split = ROUNDS[0][2]
    entries = [Contestant(name, "ml", Tuned({name: LINE})) for name in "ab"]
    rows = split.tests["inside"]
    given = [
        Answer(entry, split, "inside", 20, seed, rows, RUNS.target[rows] * 1.1, spent, 0.1)
        for seed in (0, 1, 2)
        for entry, spent in zip(entries, (2.0, 5.0 + seed), strict=True)
    ]
    board = standings_of_answers(RUNS, given).set_index("contestant")
    assert board.loc["a", "fit_seconds"] == 2
    assert board.loc[FAMILY_CHOICE, "fit_seconds"] == 8


def test_differences_are_sure_for_all_pairs(monkeypatch):
    asked = []

    def interval(gaps, counts, pairs=1):
        asked.append(pairs)
        return 0.0, -1.0, 1.0

    monkeypatch.setattr(standings_module, "difference_interval", interval)
    families = ("whitebox", "regression", "ml", "graybox")
    entries = [Contestant(family, family, Tuned({"line": LINE})) for family in families]
    standings(RUNS, entries, ROUNDS)
    assert set(asked) == {6}


RANDOM = np.random.default_rng(8)
SIZE = RANDOM.uniform(1, 100, 80)
CONTEST_RUNS = Dataset(
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
    return compete(
        CONTEST_RUNS, ENTRIES, [(20, s, shuffle_split(CONTEST_RUNS, 20, s, 40)) for s in range(6)]
    )


def test_a_score_is_that_of_the_rows(scores):
    split = shuffle_split(CONTEST_RUNS, 20, 0, 40)
    model = POWER.fit(CONTEST_RUNS.features.iloc[split.train], CONTEST_RUNS.target[split.train])
    where = split.tests["inside"]
    guess = model.predict(CONTEST_RUNS.features.iloc[where])
    row = scores.query("contestant == 'power law' and seed == 0").iloc[0]
    assert row["mape"] == pytest.approx(metrics.mape(CONTEST_RUNS.target[where], guess))
    assert row["spearman"] == pytest.approx(metrics.spearman(CONTEST_RUNS.target[where], guess))
    assert row["fit_seconds"] >= 0


def test_contestants_learn_afresh_each_round():
    rounds = [(20, 0, shuffle_split(CONTEST_RUNS, 20, 0, 40))] * 2
    twice = compete(CONTEST_RUNS, ENTRIES[:1], rounds)
    assert twice["mape"][0] == twice["mape"][1]
    assert not hasattr(ENTRIES[2].estimator, "fitted_")


def test_an_estimator_of_ones_own_may_enter():
    own = Contestant("own", "regression", Columns(LinearRegression(), ["size"]))
    assert len(compete(CONTEST_RUNS, [own], [(10, 0, shuffle_split(CONTEST_RUNS, 10, 0))])) == 1


def test_what_is_refused():
    leak = Split("mine", np.arange(10), {"inside": np.arange(5)})
    with pytest.raises(LeakError, match="tests"):
        compete(CONTEST_RUNS, ENTRIES, [(10, 0, leak)])
    broken = [Contestant("broken", "ml", Broken())]
    with pytest.raises(ValueError, match="'broken' must predict one finite number a row"):
        compete(CONTEST_RUNS, broken, [(10, 0, shuffle_split(CONTEST_RUNS, 10, 0))])


def made_up(slope, seed=0, n=200):
    x = np.random.default_rng(seed).normal(size=(n, 4))
    return Labelled(x, 10 + x @ slope)


def mean_of(scores, column):
    return scores.groupby("approach")[column].mean()


def test_the_same_law_transfers_at_once():
    scores = transfer(made_up([1, 2, 0, 0]), made_up([1, 2, 0, 0], 1), Ridge(1e-9), rounds=2)
    assert set(scores["approach"]) == set(APPROACHES)
    assert mean_of(scores, "spearman")["zero-shot"] == pytest.approx(1)
    assert mean_of(scores, "mae")["zero-shot"] == pytest.approx(0, abs=1e-6)
    assert mean_of(scores, "regret")["zero-shot"] == pytest.approx(0)
    assert mean_of(scores, "spearman")["constant"] == 0


def test_another_scale_keeps_the_order_and_needs_the_labels():
    source, target = made_up([1, 2, 0, 0]), made_up([1, 2, 0, 0], 1)
    stretched = Labelled(target.features, 30 + 5 * target.target)
    scores = transfer(source, stretched, Ridge(1e-9), rounds=3)
    order, level = mean_of(scores, "kendall"), mean_of(scores, "mae")
    assert order["zero-shot"] == order["zero-shot, relabelled"] == pytest.approx(1)
    assert level["zero-shot"] > 30
    assert level["zero-shot, relabelled"] < 0.3 * level["constant"]


def test_an_opposed_law_misleads_until_the_target_is_seen():
    scores = transfer(made_up([1, 2, 0, 0]), made_up([-1, -2, 0, 0], 1), Ridge(1e-9), rounds=2)
    order = mean_of(scores, "spearman")
    assert order["zero-shot"] == pytest.approx(-1)
    assert order["target only"] == order["source + target"] == pytest.approx(1)


def test_scores_are_of_networks_that_were_not_shown():
    rng = np.random.default_rng(5)
    source, target = (Labelled(rng.normal(size=(120, 3)), rng.uniform(1, 2, 120)) for _ in "ab")
    remembers = RandomForestRegressor(20, bootstrap=False, random_state=0)
    scores = transfer(source, target, remembers, rounds=3)
    assert mean_of(scores, "spearman").abs().max() < 0.35
    longer = transfer(source, target, remembers, rounds=1)
    assert longer.equals(scores[scores["seed"] == 0])


def test_groups_held_out():
    x = np.random.default_rng(6).normal(size=(300, 1))
    groups = np.repeat([0, 1], 150)
    turned = Labelled(x, 10 + np.where(groups == 0, x[:, 0], -x[:, 0]))
    scores = held_out(turned, groups, {"ridge": Ridge()})
    assert scores["group"].tolist() == [0, 1]
    assert scores["beyond"].to_numpy() == pytest.approx([-1, -1])
    seen = Labelled(np.column_stack([x, x[:, 0] * (1 - 2 * groups)]), turned.target)
    assert held_out(seen, groups, {"ridge": Ridge()})["inside"].min() > 0.999


def test_shots_that_leave_nothing_to_test_are_refused():
    few = made_up([1, 0, 0, 0], n=60)
    with pytest.raises(ValueError, match="shots must leave 10 of 60 to be tested, got 51"):
        transfer(few, few, Ridge(), shots=51)
    with pytest.raises(ValueError, match="labels must be at most shots = 5, got 20"):
        transfer(few, few, Ridge(), shots=5)
    with pytest.raises(ValueError, match=r"features must have shape \(3, p\), got \(2, 1\)"):
        Labelled(np.ones((2, 1)), np.ones(3))
