"""Transfer between families of points: made-up families with known answers."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge

from perfmodel.prediction.arena.transfer import APPROACHES, Labelled, held_out, transfer


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
