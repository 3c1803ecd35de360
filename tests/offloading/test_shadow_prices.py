from dataclasses import replace

import numpy as np
import pytest

from perfmodel.offloading import (
    best_placement,
    placement_advice,
    tier_problem,
    times_by_capacity,
)

GB = 1e9
PROBLEM = tier_problem(
    np.array([40, 60]) * GB,
    np.array([40, 120]) * GB,
    np.array([40, 0]) * GB,
    [50 * GB, np.inf],
    np.array([200, 50]) * GB,
    np.array([200, 50]) * GB,
    overlap=False,
    items=["state", "weights"],
    tiers=["DRAM", "CXL"],
)


def test_advice_by_hand():
    found = best_placement(PROBLEM)
    first, *others = placement_advice(PROBLEM, found)
    # Both tensors have 2 bytes of traffic a byte: a GB saves 2 / 50 - 2 / 200 s.
    capacity = next(each for each in (first, *others) if each.kind == "capacity")
    assert capacity.gain == pytest.approx(0.03)
    assert str(capacity) == "One more GB of DRAM is worth 0.03 s a step."
    assert capacity.step_fraction == pytest.approx(0.03 / found.time)
    gains = [each.gain for each in (first, *others)]
    assert gains == sorted(gains, reverse=True)


def test_no_advice_on_what_is_worth_nothing():
    roomy = replace(PROBLEM, capacity=np.array([np.inf, np.inf]))
    names = {each.resource for each in placement_advice(roomy, best_placement(roomy))}
    assert names == {"DRAM read", "DRAM write"}


def test_time_falls_convexly_with_capacity_until_all_fits():
    capacity = np.linspace(0, 120, 25) * GB
    times = times_by_capacity(PROBLEM, 0, capacity)
    slopes = np.diff(times)
    assert (slopes <= 1e-9).all()
    assert (np.diff(slopes) >= -1e-9).all()
    assert times[capacity >= 100 * GB] == pytest.approx(200 / 200)
    assert times[0] == pytest.approx(200 / 50)


def test_what_does_not_fit_takes_for_ever():
    tight = replace(PROBLEM, capacity=np.array([50, 40]) * GB)
    assert times_by_capacity(tight, 0, [10 * GB, 60 * GB])[0] == np.inf


def test_place_may_be_a_whole_float():
    times = [times_by_capacity(PROBLEM, tier, [50 * GB, 60 * GB]) for tier in (0.0, 0)]
    assert times[0].tolist() == times[1].tolist()


def test_capacity_may_have_no_end():
    assert times_by_capacity(PROBLEM, 0, [50 * GB, np.inf])[1] == pytest.approx(200 / 200)


def test_only_what_does_not_fit_is_infinite(monkeypatch):
    def fails(problem):
        raise ValueError("another")

    monkeypatch.setattr("perfmodel.offloading.shadow_prices.best_placement", fails)
    with pytest.raises(ValueError, match="another"):
        times_by_capacity(PROBLEM, 0, [1.0])


def test_whole_items_have_no_prices():
    roomy = replace(PROBLEM, capacity=np.array([70.0, np.inf]) * GB)
    with pytest.raises(ValueError, match="placement must have prices"):
        placement_advice(roomy, best_placement(roomy, whole=True))
