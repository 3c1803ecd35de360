"""Bounds: nested, around exact mean value analysis, and exact in the cases where they must be."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.network.bounds import (
    asymptotic_bounds,
    balanced_job_bounds,
    bottleneck_station,
    geometric_bounds,
    population_within,
    saturation_population,
)

DEMANDS = st.lists(st.floats(0.01, 10), min_size=1, max_size=6)
METHODS = (asymptotic_bounds, balanced_job_bounds, geometric_bounds)


def exact(demands, population, think):
    """Mean value analysis, written out here so that the bounds meet an independent method."""
    queues = np.zeros(len(demands))
    rates = []
    for jobs in range(1, population + 1):
        times = np.array(demands) * (1 + queues)
        rates.append(jobs / (think + times.sum()))
        queues = rates[-1] * times
    return np.array(rates)


@given(DEMANDS, st.floats(0, 30))
def test_every_bound_holds(demands, think):
    truth = exact(demands, 40, think)
    for method in METHODS:
        limits = method(demands, np.arange(1, 41), think)
        assert (limits.throughput_low <= truth * (1 + 1e-9)).all(), method
        assert (limits.throughput_high >= truth * (1 - 1e-9)).all(), method
        response = np.arange(1, 41) / truth - think
        assert (limits.response_low <= response + 1e-9 * (response + think)).all()
        assert (limits.response_high >= response - 1e-9 * (response + think)).all()


@given(DEMANDS, st.floats(0, 30))
def test_balanced_job_bounds_are_inside_the_asymptotic_ones(demands, think):
    outer = asymptotic_bounds(demands, np.arange(1, 30), think)
    for method in METHODS[1:]:
        inner = method(demands, np.arange(1, 30), think)
        assert (inner.throughput_low >= outer.throughput_low * (1 - 1e-12)).all()
        assert (inner.throughput_high <= outer.throughput_high * (1 + 1e-12)).all()


def test_balanced_bounds_are_exact_for_a_balanced_system():
    limits = balanced_job_bounds([2.0] * 5, np.arange(1, 20))
    truth = exact([2.0] * 5, 19, 0)
    assert limits.throughput_low == pytest.approx(truth)
    assert limits.throughput_high == pytest.approx(truth)


def test_geometric_bounds_are_closer_than_balanced_ones():
    demands, population = [0.1, 0.1, 0.09, 0.08], np.array([5, 10, 20, 80])
    geometric = geometric_bounds(demands, population)
    balanced = balanced_job_bounds(demands, population)
    assert (geometric.throughput_high < balanced.throughput_high).all()
    assert (geometric.throughput_low > balanced.throughput_low).all()


@pytest.mark.parametrize("method", METHODS)
def test_one_job_alone_meets_the_total_demand(method):
    limits = method([5, 4, 3], 1, 18)
    assert limits.throughput_high == pytest.approx(1 / 30)
    assert limits.throughput_low == pytest.approx(1 / 30)
    assert limits.response_low == pytest.approx(12)


@pytest.mark.parametrize("method", METHODS)
def test_stations_without_work_change_nothing(method):
    plain, padded = method([5, 4], [2, 9], 3), method([5, 0, 4], [2, 9], 3)
    assert padded.throughput_high == pytest.approx(plain.throughput_high)
    assert padded.throughput_low == pytest.approx(plain.throughput_low)


def test_asymptotes_cross_at_the_saturation_population():
    star = float(saturation_population([5, 4, 3], 18))
    limits = asymptotic_bounds([5, 4, 3], star, 18)
    assert limits.throughput_high == pytest.approx(1 / 5)
    assert star / (12 + 18) == pytest.approx(1 / 5)


def test_bottleneck_and_target():
    assert bottleneck_station([0.2, 0.7, 0.7]) == 1
    within = population_within([5, 4, 3], [11, 12, 100], 18)
    assert within.tolist() == pytest.approx([0, 6, 23.6])


def test_geometric_bounds_say_where_they_are_not_the_papers():
    assert not geometric_bounds([0.1, 0.1, 0.09, 0.08], [2, 20]).note
    capped = geometric_bounds([1.0, 0.2], [1, 2, 40], 20)
    assert "not the paper's" in capped.note
    outer = asymptotic_bounds([1.0, 0.2], [1, 2, 40], 20)
    assert (capped.throughput_high <= outer.throughput_high).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], 1), "service_demands must be a one-dimensional sample"),
        (([0.0, 0.0], 1), "the largest of service_demands must be above 0, got"),
        (([1, -1], 1), "service_demands must be 0 or more"),
        (([1, 2], 0), "population must be 1 or more, got 0"),
        (([1, 2], 3, -1), "think_time must be 0 or more, got -1"),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_bad_input(method, arguments, message):
    with pytest.raises(ValueError, match=message):
        method(*arguments)
