"""The recorder replaces one data set at a time; the stored board is what the code computes."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from perfmodel.data import DataUnavailable
from perfmodel.labs.prediction.shootout import leaderboards
from perfmodel.prediction.arena.challenge import Challenge
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.intervals import FEWEST
from perfmodel.prediction.arena.splits import shuffle_split
from perfmodel.prediction.arena.standings import TEAM, standings

KEYS = ["split", "test", "points", "contestant", "family"]


def copies(name, factor):
    import pandas as pd

    from perfmodel.prediction.arena.estimators import Priced

    def by_bytes(features):
        return {"bytes": features["bytes"]}

    sizes = np.arange(1.0, 41.0)
    features = pd.DataFrame({"bytes": sizes})
    noisy = factor * sizes * (1 + 0.1 * np.sin(7 * sizes))
    data = Dataset(name, features, {"bytes": "B"}, noisy, "latency", "s", "made up", "CC0-1.0")
    return lambda seeds=(0, 1): Challenge(
        data,
        [(10, seed, shuffle_split(data, 10, seed)) for seed in seeds],
        ["bytes"],
        whiteboxes={"bytes": Priced(by_bytes)},
        written="Here.",
    )


@pytest.fixture
def two(monkeypatch):
    def missing():
        raise DataUnavailable("not here")

    made = {"one": copies("first", 1.0), "two": copies("second", 2.0), "gone": missing}
    monkeypatch.setattr(leaderboards, "CHALLENGES", made)
    everybody = Challenge.entries
    monkeypatch.setattr(Challenge, "entries", lambda challenge: everybody(challenge)[:2])


def test_command_runs_one_and_keeps_the_rest(tmp_path, two):
    out = tmp_path / "board.csv"
    for names in (["one"], ["two"], ["two"], ["gone"]):
        done = CliRunner().invoke(leaderboards.main, ["--out", str(out), *names])
        assert done.exit_code == 0, done.output
    assert "gone is left out: not here" in done.output
    board, told = leaderboards._read(out)
    assert board["dataset"].value_counts().to_dict() == {"first": 4, "second": 4}
    assert set(told["runs"]) == {"first", "second"}
    assert told["runs"]["second"]["command"].endswith("leaderboards two")
    assert told["runs"]["first"]["host"]["processor"]
    assert set(board["unit"]) == {"row"}
    assert board["measured_seconds"].between(50, 1000).all()
    wrong = CliRunner().invoke(leaderboards.main, ["moon"])
    assert wrong.exit_code == 2
    assert "'moon' is none of one, two, gone" in wrong.output


def test_a_board_of_other_columns_is_begun_anew(tmp_path, two):
    out = tmp_path / "board.csv"
    out.write_text("dataset,error\nold,1\n", "utf-8")
    out.with_suffix(".json").write_text(json.dumps({"host": "old"}), "utf-8")
    board = leaderboards.record("one", out, seeds=(0, 1))
    assert set(board["dataset"]) == {"first"}


def test_a_name_that_is_none_is_refused():
    with pytest.raises(ValueError, match="name must be one of cpu, .*got 'moon'"):
        leaderboards.run("moon")


def stored(dataset):
    board = leaderboards.recorded()
    return board[board["dataset"] == dataset].set_index(KEYS)


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("accelerator", "line on logs"),
        ("cpu", "six prices"),
        ("servers", "component x machine"),
        ("circuits", "counts found by search"),
        ("all-reduce", "ring, two protocols"),
        ("curves-text", "power law with a floor"),
    ],
)
def test_stored_rows_are_computed_again(name, entry):
    made = leaderboards.CHALLENGES[name]()
    chosen = [one for one in made.entries() if one.name == entry]
    again = standings(made.dataset, chosen, made.rounds, made.unit)
    again = again[again["contestant"] != TEAM].set_index(KEYS)
    kept = stored(made.dataset.name).loc[again.index]
    for column in ("error", "low", "high", "least", "most"):
        np.testing.assert_allclose(again[column], kept[column], rtol=1e-3)


def test_every_dataset_is_stored_with_its_origin():
    board = leaderboards.recorded()
    assert board["dataset"].nunique() == len(leaderboards.CHALLENGES)
    assert (board["seeds"] >= 16).all()
    sure = board[board["units"] >= FEWEST]
    assert ((sure["low"] <= sure["error"]) & (sure["error"] <= sure["high"])).all()
    few = board[board["units"] < 8]
    assert few["low"].isna().all()
    assert ((few["least"] <= few["error"]) & (few["error"] <= few["most"])).all()
    runs = leaderboards.origin()["runs"]
    assert set(runs) == set(board["dataset"])
    assert {about["challenge"] for about in runs.values()} == set(leaderboards.CHALLENGES)
    with pytest.raises(ValueError, match="dataset must be one of .*got 'moon'"):
        leaderboards.origin("moon")


def test_teams_are_of_every_family_and_say_whom_they_sent():
    board = leaderboards.recorded()
    teams = board[board["contestant"] == TEAM]
    assert (teams.groupby(["dataset", "split", "test", "points"]).size() == 4).all()
    assert (teams["sent"] != "").all()
    assert (board.loc[board["contestant"] != TEAM, "sent"] == "").all()


def test_recorded_ties_are_those_of_the_recorded_ends():
    recorded = leaderboards.recorded()
    assert ((~(recorded["behind_low"] > 0)) == recorded["ties"]).all()
