"""What is said of the frozen models: from the stored scores, and whatever they had been."""

import pytest

from perfmodel.labs.prediction.three_ways import contestants, frozen_board, other_machines
from perfmodel.prediction.arena.contest import compete

BOARD = frozen_board.scores()
TOLD = {30: 0.08, 100: 0.06, 600: 0.05}


def with_ours(error):
    """Return the board as if the graybox had had one error everywhere new."""
    board = frozen_board.scores()
    ours = (board["contestant"] == frozen_board.GRAYBOX) & (board["dataset"] != frozen_board.OLD)
    board.loc[ours, "error"] = error
    return board


def test_stored_scores_are_computed_again():
    name = other_machines.MKL
    data = other_machines.dataset(name, "fp64")
    chosen = [one for one in contestants.contestants() if one.name == "six prices"]
    (kept,) = BOARD.query(
        "dataset == @name and rows == 'fp64' and points == 30 and contestant == 'six prices'"
    ).itertuples()
    rounds = other_machines.new_shapes(data, [30], range(kept.seeds))
    again = compete(data, chosen, rounds)
    assert again["mape"].mean() == pytest.approx(kept.error, rel=1e-4)
    assert frozen_board.origin()["peers"]


def test_board_is_whole():
    new = BOARD[BOARD["dataset"] != frozen_board.OLD]
    assert set(new["dataset"]) == set(other_machines.SWEEPS)
    for _, part in new.groupby(["dataset", "rows", "points"]):
        assert {"LightGBM, s/FLOP", "CatBoost, s/FLOP"} < set(part["contestant"])
        assert {"whitebox", "ml", "graybox"} == set(part["family"])
    assert len(new.groupby(["dataset", "rows", "points"])) == 2 * 3 * 4
    rows = frozen_board.table(BOARD, other_machines.MKL, "fp64")
    assert all(len(row) == 2 + len(other_machines.BUDGETS) for row in rows)
    assert [row[3] for row in rows] == sorted(row[3] for row in rows)


def test_bars_met_and_missed():
    assert "meets **all 18** of them" in frozen_board.against_bars(with_ours(0.01))
    worse = frozen_board.against_bars(with_ours(0.10))
    assert "**6 of 18** and misses the rest: 10.0 % with 100 (MKL" in worse
    assert "with 30 (" not in worse


def test_who_leads():
    first = frozen_board.against_others(with_ours(0.001))
    assert "**No learner alone is ahead of it** in any of 24 comparisons, from 10 rows" in first
    assert first.endswith("Nor is any other model.")
    behind = frozen_board.against_others(with_ours(9.0))
    assert "**Learners are ahead of it** here: " in behind
    assert "against 900.0 %" in behind
    assert "six prices, 24 of 24 times and by at most" in behind


def test_optimism():
    assert "**Part of its lead** over that came from" in frozen_board.optimism(with_ours(0.5), TOLD)
    fine = frozen_board.optimism(with_ours(0.001), TOLD)
    assert "With 30/100/600 products" in fine
    assert "by 8.0/6.0/5.0 % on the sweep" in fine
    assert "0.1/0.1/0.1 % with MKL" in fine
    assert "over that **did not shrink**" in fine
    mixed = with_ours(0.5)
    ours = mixed["contestant"] == frozen_board.GRAYBOX
    mixed.loc[ours & (mixed["dataset"] == other_machines.OPENBLAS), "error"] = 0.001
    assert "**smaller with MKL** only" in frozen_board.optimism(mixed, TOLD)
