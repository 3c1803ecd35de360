"""Equal entries, families that choose before the test, and nothing learned from test rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

from perfmodel.prediction.arena import standings as standings_module
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.contest import Answer, Contestant, answers
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.estimators import LogFeatures, Priced
from perfmodel.prediction.arena.splits import Split, shuffle_split
from perfmodel.prediction.arena.standings import TEAM, judged, standings, unit_of
from perfmodel.prediction.arena.teams import SETTINGS, teams
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
    assert board.loc[TEAM, "sent"] == "line 1"
    assert board.loc[TEAM, "error"] == board.loc["line", "error"]


def test_one_family_of_two_that_differ_clearly_is_behind():
    entries = [
        Contestant("flat", "regression", Tuned({"flat": FLAT})),
        Contestant("line", "ml", Tuned({"line": LINE})),
    ]
    board = standings(RUNS, entries, ROUNDS)
    sent = board[board["contestant"] == TEAM]
    assert list(sent["family"]) == ["ml", "regression"]
    assert list(sent["ties"]) == [True, False]
    assert sent["behind"].iloc[0] == 0


def counts(features):
    return {"size": features["size"], "one": np.ones(len(features))}


@pytest.mark.parametrize("work", [None, lambda features: features["size"]])
@pytest.mark.parametrize("models", [1, 2])
def test_every_learner_and_mixture_has_as_many_settings(models, work):
    whiteboxes = {str(number): Priced(counts) for number in range(models)}
    entries = teams(whiteboxes, ["size"], work=work)
    tuned = {entry.name: len(entry.estimator.settings) for entry in entries}
    single = {"constant", *whiteboxes}
    assert {name for name, size in tuned.items() if size == 1} == single
    assert {size for name, size in tuned.items() if name not in single} == {SETTINGS}
    assert {entry.family for entry in entries} == {"whitebox", "regression", "ml", "graybox"}


def test_without_a_model_there_is_no_mixture():
    assert {entry.family for entry in teams({}, ["size"])} == {"regression", "ml"}


def test_test_rows_change_nothing_that_was_fitted():
    """Targets of test rows are multiplied: every entry answers as before."""
    points, seed, split = ROUNDS[0]
    target = RUNS.target.copy()
    target[split.tests["inside"]] *= np.linspace(1, 50, split.tests["inside"].size)
    entries = teams({"priced": Priced(counts)}, ["size"])
    before = list(answers(RUNS, entries, [(points, seed, split)]))
    after = list(answers(made(target), entries, [(points, seed, split)]))
    for item, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(item.predicted, other.predicted)
        np.testing.assert_equal(item.inner_error, other.inner_error)


def test_a_challenge_brings_its_entries_and_its_unit():
    guest = Contestant("guest", "ml", Tuned({"line": LINE}))
    challenge = Challenge(RUNS, ROUNDS, ["size"], unit="machine", more=[guest])
    assert [entry.name for entry in challenge.entries()][-1] == "guest"
    assert len(challenge.entries()) == len(teams({}, ["size"])) + 1


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
    board = judged(RUNS, given).set_index("contestant")
    assert board.loc["a", "fit_seconds"] == 2
    assert board.loc[TEAM, "fit_seconds"] == 8


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
