"""The frontier against a search through all pairs of settings."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.serving.amortised.pareto_front import (
    cheapest_reaching,
    curve_crossings,
    efficient_settings,
)

SETTINGS = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=25)


def beaten(setting, others):
    return any(
        cost <= setting[0] and accuracy >= setting[1] and (cost, accuracy) != setting
        for cost, accuracy in others
    )


@given(settings=SETTINGS)
def test_frontier_is_what_no_pair_beats(settings):
    costs, accuracies = np.array(settings, float).T
    kept = efficient_settings(costs, accuracies)
    points = [(costs[i], accuracies[i]) for i in kept]
    assert points == sorted({tuple(map(float, s)) for s in settings if not beaten(s, settings)})
    assert (np.diff(costs[kept]) > 0).all()
    assert (np.diff(accuracies[kept]) > 0).all()


@given(settings=SETTINGS, target=st.integers(0, 9))
def test_cheapest_by_brute_force(settings, target):
    costs, accuracies = np.array(settings, float).T
    cheap = cheapest_reaching(costs, accuracies, target)
    good = costs[accuracies >= target]
    assert (cheap is None) == (not good.size)
    if cheap is not None:
        assert costs[cheap] == good.min()


def test_equal_settings_are_kept_once():
    assert efficient_settings([1.0, 1.0], [0.5, 0.5]).tolist() == [0]


def test_crossings_of_known_curves():
    cost = np.geomspace(1, 1e4, 401)
    found = curve_crossings(cost, np.cos(np.log(cost)), np.zeros(401))
    assert np.log(found) == pytest.approx([np.pi / 2, 3 * np.pi / 2, 5 * np.pi / 2], abs=1e-4)


def test_curves_that_touch_do_not_cross():
    assert curve_crossings([1, 2, 3], [0.1, 0.5, 0.2], [0.3, 0.5, 0.4]).size == 0
    assert curve_crossings([1, 2, 4], [0.1, 0.5, 0.7], [0.3, 0.5, 0.4]) == pytest.approx([2])


def test_crossings_do_not_hang_on_who_is_first():
    cost, rng = np.geomspace(1, 100, 30), np.random.default_rng(3)
    first, second = rng.random((2, 30))
    assert curve_crossings(cost, first, second) == pytest.approx(
        curve_crossings(cost, second, first)
    )


def test_refuses():
    with pytest.raises(ValueError, match="accuracy must be 2 values"):
        efficient_settings([1.0, 2.0], [0.1])
    with pytest.raises(ValueError, match="cost must rise"):
        curve_crossings([1.0, 1.0], [0.1, 0.2], [0.2, 0.1])
