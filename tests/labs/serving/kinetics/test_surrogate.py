import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.labs.serving.kinetics.inputs import LENGTHS, MODELS, PRICE, model
from perfmodel.labs.serving.kinetics.surrogate import (
    TAUS,
    accuracy,
    frontier,
    overpaid,
    settings,
    threshold,
)


@given(tau=st.floats(100, 1e6))
def test_curve_ends_where_it_was_measured_and_rises(tau):
    for one in MODELS:
        curve = accuracy(one, np.append(0, LENGTHS), tau)
        assert (curve[0], curve[-1]) == (0, pytest.approx(one.accuracy))
        assert (np.diff(curve) >= 0).all()


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("price", [None, 0.0, PRICE])
def test_frontier_by_brute_force(tau, price):
    every = settings(tau, price)
    points = list(zip(every.cost, every.accuracy, strict=True))
    unbeaten = [
        i
        for i, (cost, acc) in enumerate(points)
        if not any(c <= cost and a >= acc and (c, a) != (cost, acc) for c, a in points)
    ]
    assert sorted(frontier(tau, price).tolist()) == unbeaten


@pytest.mark.parametrize("tau", TAUS)
def test_overpaying_by_brute_force(tau):
    ours, earlier = settings(tau), settings(tau, None)
    worst = 1.0
    for place in frontier(tau, None):
        enough = ours.accuracy >= earlier.accuracy[place]
        worst = max(worst, ours.cost[place] / ours.cost[enough].min())
    assert overpaid(tau) == pytest.approx(worst)


def test_nobody_overpays_by_their_own_law():
    every = settings(4096)
    for place in frontier(4096):
        assert every.cost[every.accuracy >= every.accuracy[place]].min() == every.cost[place]


def test_earlier_law_is_two_flop_a_weight():
    every = settings(4096, None)
    place = int(np.flatnonzero((every.model == 3) & (every.output == 8192))[0])
    assert every.cost[place] == 2 * model("8B").parameters * 8192


def test_threshold_without_a_better_model_is_the_smallest(monkeypatch):
    """If all models are as accurate as each other, the cheapest one is worth every length."""
    from dataclasses import replace

    from perfmodel.labs.serving.kinetics import surrogate

    alike = tuple(replace(m, accuracy=0.5) for m in MODELS)
    monkeypatch.setattr(surrogate, "MODELS", alike)
    surrogate.settings.cache_clear()
    try:
        assert threshold(4096) == threshold(4096, None) == "0.6B"
    finally:
        surrogate.settings.cache_clear()


def test_refuses():
    with pytest.raises(ValueError, match="tau must be above 0"):
        accuracy(model("8B"), 1, 0)
    with pytest.raises(ValueError, match="output must be 0 or more"):
        accuracy(model("8B"), -1, 10)
