"""The stored board is what the code computes."""

import numpy as np
import pytest
from click.testing import CliRunner

from perfmodel.labs.forecasting.contest import record
from perfmodel.labs.forecasting.contest.families import FAMILIES
from perfmodel.labs.forecasting.contest.rounds import TESTED

KEY = ["family", "budget", "contestant"]


@pytest.mark.parametrize(
    ("family", "budgets"),
    [
        ("Chinchilla", (0.1, 0.5)),
        ("Gadre", (0.1, 0.25)),
        ("MetaQNN, CIFAR-10", (0.1,)),
        ("MetaQNN, SVHN", (0.75,)),
    ],
)
def test_stored_rounds_are_computed_again(family, budgets):
    again = record.run([family], budgets).set_index(KEY)
    kept = record.recorded().set_index(KEY).loc[again.index]
    for column in ("seen", "runs", "error", "ratio", "ratio_high", "behind_low"):
        np.testing.assert_allclose(
            again[column].astype(float), kept[column].astype(float), rtol=0.02, atol=1e-4
        )
    np.testing.assert_allclose(again["coverage"], kept["coverage"], atol=0.03)
    np.testing.assert_allclose(again["width"], kept["width"], rtol=0.1)


def test_every_family_has_rounds_with_intervals():
    board = record.recorded()
    assert list(board["family"].unique()) == list(FAMILIES)
    assert (board["runs"][board["test"] == "curves"] == TESTED).all()
    able = board.dropna()
    assert (able["ratio_low"] <= able["ratio"]).all()
    assert (able["ratio"] <= able["ratio_high"]).all()
    assert (able["coverage_low"] <= able["coverage"]).all()
    # Only a law is ever without an answer, and its two intervals belong to one forecast.
    assert set(board["contestant"][board["coverage"].isna()]) == {"law", "law, calibrated"}
    errors = able.pivot(index=KEY[:2], columns=KEY[2], values="error")
    both = errors.dropna()
    assert (both["law"] == both["law, calibrated"]).all()


def test_origin_says_how_long_and_by_what():
    about = record.origin()
    assert about["command"] == record.COMMAND
    assert 0 < about["seconds"] < 300
    assert about["host"]["processor"]


def test_command_runs_one_family(tmp_path):
    out = tmp_path / "board.csv"
    done = CliRunner().invoke(record.main, ["--out", str(out), "Gadre"])
    assert done.exit_code == 0, done.output
    assert len(out.read_text("utf-8").splitlines()) == 1 + 3 * 5
    with pytest.raises(ValueError, match="names must be among MetaQNN.*got 'moon'"):
        record.run(["moon"])
