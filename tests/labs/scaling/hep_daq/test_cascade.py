"""Filters on an array: how many are left doesn't depend on the order, and what is predicted."""

from __future__ import annotations

import numpy as np
import pytest

from perfmodel.labs.scaling.hep_daq import cascade, tasks


def test_prediction_is_the_sum_over_what_arrives() -> None:
    costs = cascade.Costs(1.0, 9.0)
    assert cascade.predicted(costs, 10, 5, 2) == (10 * (1 + 9 / 5), 10 * (9 + 1 / 2))


def test_both_orders_keep_the_same_events() -> None:
    events = cascade.drawn()[: 3 * cascade.BLOCK + 5]
    (a, b), limits = cascade.SCORES, (1.0, 0.5)
    one = cascade._kept(cascade._kept(events, a, limits[0]), b, limits[1])
    other = cascade._kept(cascade._kept(events, b, limits[1]), a, limits[0])
    assert np.array_equal(one, other)
    assert 0 < len(one) < len(events)


def test_cheap_filter_in_front_is_measured_faster() -> None:
    found = cascade.measured(10, 10, repeats=3)
    assert 0 < found.cheap_first < found.costly_first


def test_smaller_cost_of_a_rejection_goes_first() -> None:
    rng = np.random.default_rng(1)
    for cost_a, ratio_a, cost_b, ratio_b in rng.uniform(1.01, 50, (200, 4)):
        first = tasks.both_orders.reference(cost_a, ratio_a, cost_b, ratio_b)
        rule = cost_a / (1 - 1 / ratio_a) <= cost_b / (1 - 1 / ratio_b)
        assert (first == "a") == rule


def test_bad_input_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="cheap_ratio must be 1 or more"):
        cascade.predicted(cascade.Costs(1, 1), 10, 0.5, 2)
