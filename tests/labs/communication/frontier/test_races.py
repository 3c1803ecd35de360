"""Plans found by trying."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.communication.frontier import races


def test_the_field_is_what_is_searched():
    field = races.plan_field()
    assert 0.5 < field.failing < 0.8
    assert races.tried(int(np.argmin(field.seconds))) == field.best
    assert races.tried(int(np.argmax(field.seconds))) is None


def test_learning_is_sooner_than_chance():
    learned, chance = (races.median_over_best(learning) for learning in (True, False))
    assert (learned[: races.LEARN_FROM] == chance[: races.LEARN_FROM]).all()
    assert 1 <= learned[-1] < 1.05 < chance[-1]


def test_a_regression_that_knows_no_memory_points_beyond_it():
    picks = [races.regressed(seed) for seed in races.SEEDS]
    assert all(over >= 1 for over, _ in picks)
    assert max(failures for _, failures in picks) > 10


@pytest.mark.parametrize("learning", [True, False])
def test_stairs_stand_on_every_trial_and_never_slope(learning):
    trials, heights = races.stairs(learning, first=4, most=2.0)
    across, down = np.diff(trials), np.diff(heights)
    assert (across * down == 0).all()
    best = np.minimum(races.median_over_best(learning), 2.0)
    assert heights[::2] == pytest.approx(best[3:])
    assert trials[::2].tolist() == list(range(4, 41))


def test_standings_are_the_races():
    rows = {name: rest for name, *rest in races.standings()}
    assert list(rows) == ["chance", "regression", "learning", "whitebox"]
    assert rows["chance"][2] == races.median_over_best(False)[-1]
    assert rows["regression"][0] > races.TRIALS
    assert all(worst >= median >= 1 for *_, median, worst in rows.values())
