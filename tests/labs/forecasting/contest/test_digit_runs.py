"""Stored nets are what training gives again."""

import numpy as np
import pytest
from click.testing import CliRunner

from perfmodel.labs.forecasting.contest import digit_runs


def test_settings_are_those_that_are_drawn():
    kept = digit_runs.recorded_runs()
    assert len(kept) == digit_runs.RUNS
    again = digit_runs.draw_settings()
    assert tuple(again) == digit_runs.SETTINGS
    np.testing.assert_allclose(kept[list(again)], again)


@pytest.mark.parametrize("run", [0, 7, 150])
def test_a_stored_net_trained_again(run):
    row = digit_runs.recorded_runs().iloc[run]
    again = digit_runs.train(row, run, epochs=12)
    # Sums in another order, on another processor, are amplified by training.
    kept = row[[f"acc_{epoch}" for epoch in range(1, 13)]].to_numpy(dtype=float)
    assert np.abs(again - kept).mean() < 0.02
    assert np.ptp(kept) > 0.04


def test_command_writes_runs_with_their_origin(tmp_path, monkeypatch):
    monkeypatch.setattr(digit_runs, "EPOCHS", 2)
    monkeypatch.setattr(digit_runs.train, "__defaults__", (2,))
    out = tmp_path / "runs.csv"
    done = CliRunner().invoke(digit_runs.main, ["--runs", "2", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert len(out.read_text("utf-8").splitlines()) == 3
    assert "scikit-learn" in out.with_suffix(".json").read_text("utf-8")
    assert digit_runs.runs_origin()["versions"]["scikit-learn"]
