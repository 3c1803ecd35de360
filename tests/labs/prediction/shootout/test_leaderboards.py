"""The stored leaderboard is what the code computes, and meets what the book says of it."""

import pytest
from click.testing import CliRunner

from perfmodel.labs.prediction.shootout import leaderboards
from perfmodel.prediction.arena.contest import compete, leaderboard


def repeated(entry, names, keep=lambda points, split: True):
    chosen = [contestant for contestant in entry.contestants if contestant.name in names]
    rounds = [meeting for meeting in entry.rounds if keep(meeting[0], meeting[2])]
    return leaderboard(compete(entry.dataset, chosen, rounds))


def stored(dataset):
    board = leaderboards.recorded()
    return board[board["dataset"] == dataset].set_index(["split", "test", "points", "contestant"])


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (leaderboards.accelerator, ("queueing formula, nothing fitted", "ridge on logs")),
        (leaderboards.cpu, ("six prices", "straight line on logs")),
        (leaderboards.cpu_single, ("six prices",)),
        (leaderboards.servers, ("component x machine", "ridge")),
        (leaderboards.circuits, ("counts of the circuit", "power law")),
    ],
)
def test_stored_rows_are_computed_again(make, names):
    entry = make()
    again = repeated(entry, names).set_index(["split", "test", "points", "contestant"])
    kept = stored(entry.dataset.name).loc[again.index]
    for column in ("error", "low", "high"):
        assert again[column].to_numpy() == pytest.approx(kept[column].to_numpy(), rel=1e-3)


def test_the_bars_of_the_graybox():
    board = stored("matrix products, CPU, fp64")["error"]
    families = stored("matrix products, CPU, fp64")["family"]
    name = "six prices x Gaussian process"
    inside = board["random", "inside"]
    assert inside[30, name] <= 0.12
    assert inside[100, name] <= 0.09
    assert inside[600, name] <= 0.06
    learners = inside[30][families["random", "inside", 30] == "ml"]
    assert inside[30, name] <= learners.min() * 2 / 3
    for model in (name, "six prices"):
        near, far = (board["larger", test, 30, model] for test in ("inside", "beyond"))
        assert far <= 1.3 * near


def test_every_dataset_has_rows_with_intervals():
    board = leaderboards.recorded()
    assert board["dataset"].nunique() == len(leaderboards.ENTRIES)
    assert (board["seeds"] >= 20).all()
    assert ((board["low"] <= board["error"]) & (board["error"] <= board["high"])).all()
    assert leaderboards.origin()["host"]["processor"]


def test_command_runs_one_and_keeps_the_rest(tmp_path, monkeypatch):
    monkeypatch.setattr(
        leaderboards, "ENTRIES", {"accelerator": lambda: leaderboards.accelerator([0, 1])}
    )
    out = tmp_path / "board"
    for _ in range(2):
        done = CliRunner().invoke(leaderboards.main, ["--out", str(out), "accelerator"])
        assert done.exit_code == 0, done.output
    assert len(out.with_suffix(".csv").read_text("utf-8").splitlines()) == 19
    wrong = CliRunner().invoke(leaderboards.main, ["moon"])
    assert wrong.exit_code == 2
    assert "'moon' is none of accelerator" in wrong.output
