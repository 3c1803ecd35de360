"""Sinkhorn's plan against POT, and the least cost against an assignment and a line."""

import numpy as np
import ot
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.stats import wasserstein_distance

from perfmodel.forecasting import (
    labelled_cost,
    misplaced_mass,
    sinkhorn_plan,
    transport_cost,
)

SIZES = st.integers(2, 8)
SEEDS = st.integers(0, 10_000)


def cost_of(seed, n, m):
    rng = np.random.default_rng(seed)
    return labelled_cost(
        rng.random((n, 2)), rng.integers(0, 2, n), rng.random((m, 2)), rng.integers(0, 2, m), 0.5
    )


def masses_of(seed, n):
    return np.random.default_rng(seed).dirichlet(np.full(n, 5.0))


@given(SEEDS, SIZES, SIZES)
@settings(deadline=None)
def test_the_plan_is_that_of_pot(seed, n, m):
    cost, a, b = cost_of(seed, n, m), masses_of(seed, n), masses_of(seed + 1, m)
    theirs = ot.sinkhorn(a, b, cost, 0.3, numItermax=400, stopThr=0, warn=False)
    assert sinkhorn_plan(cost, 0.3, 800, a, b) == pytest.approx(theirs, abs=1e-9)


@given(SEEDS, SIZES, SIZES, st.integers(1, 20))
@settings(deadline=None)
def test_each_step_puts_its_own_side_right_and_the_other_no_worse(seed, n, m, steps):
    cost = cost_of(seed, n, m)
    a, b = masses_of(seed, n), masses_of(seed + 1, m)
    plan = sinkhorn_plan(cost, 0.2, steps, a, b)
    if steps % 2:
        assert plan.sum(axis=1) == pytest.approx(a)
    else:
        assert plan.sum(axis=0) == pytest.approx(b)
    after = sinkhorn_plan(cost, 0.2, steps + 1, a, b)
    assert misplaced_mass(after, a, b) <= misplaced_mass(plan, a, b) + 1e-12


@given(SEEDS, SIZES)
@settings(deadline=None)
def test_equal_masses_are_an_assignment(seed, n):
    cost = cost_of(seed, n, n)
    rows, columns = linear_sum_assignment(cost)
    assert transport_cost(cost) == pytest.approx(cost[rows, columns].mean())


@given(SEEDS, SIZES, SIZES)
@settings(deadline=None)
def test_on_a_line_it_is_the_area_between_the_distributions(seed, n, m):
    x, y = np.random.default_rng(seed).random(n), np.random.default_rng(seed + 1).random(m)
    a, b = masses_of(seed, n), masses_of(seed + 1, m)
    cost = np.abs(x[:, None] - y)
    assert transport_cost(cost, a, b) == pytest.approx(wasserstein_distance(x, y, a, b))


@given(SEEDS, SIZES, SIZES)
@settings(deadline=None)
def test_smoothing_costs_more_and_the_cost_falls_with_it(seed, n, m):
    cost = cost_of(seed, n, m)
    paid = [float((sinkhorn_plan(cost, s, 4_000) * cost).sum()) for s in (0.5, 0.1)]
    assert paid[0] >= paid[1] - 1e-9
    assert paid[1] >= transport_cost(cost) - 1e-6


def test_little_smoothing_costs_little_more():
    """At most the smoothing times log n, by which the entropies of two plans can differ."""
    cost, least = cost_of(3, 6, 6), transport_cost(cost_of(3, 6, 6))
    for smoothing in (0.2, 0.1, 0.05):
        plan = sinkhorn_plan(cost, smoothing, 4_000)
        assert misplaced_mass(plan) < 1e-6
        assert least - 1e-6 <= float((plan * cost).sum()) <= least + smoothing * np.log(6)


def test_by_hand():
    kernel = np.exp([[-1.0, -2], [-3, -1]])
    rows = kernel / kernel.sum(axis=1, keepdims=True) / 2
    assert sinkhorn_plan([[1, 2], [3, 1]], 1.0, 0) == pytest.approx(kernel)
    assert sinkhorn_plan([[1, 2], [3, 1]], 1.0, 1) == pytest.approx(rows)
    assert misplaced_mass(rows) == pytest.approx(np.abs(rows.sum(axis=0) - 0.5).sum() / 2)


def test_cost_of_labelled_examples():
    here, there = np.array([[0.0, 0], [3, 4]]), np.array([[0.0, 0], [0, 1], [3, 0]])
    found = labelled_cost(here, [1, 2], there, [1, 2, 1], 5)
    assert found == pytest.approx(np.array([[0, 6, 9], [30, 18, 21]]))
    assert (np.diag(labelled_cost(here, [1, 2], here, [1, 2], 5)) == 0).all()


def test_the_same_sample_is_at_no_distance():
    rng = np.random.default_rng(0)
    points, labels = rng.random((20, 3)), rng.integers(0, 3, 20)
    order = rng.permutation(20)
    cost = labelled_cost(points, labels, points[order], labels[order], 2.0)
    assert transport_cost(cost) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("unit", [1e-15, 1e-9, 1e9, 1e15])
def test_the_least_cost_does_not_know_the_unit(unit):
    cost = np.random.default_rng(1).random((50, 60))
    assert transport_cost(unit * cost) / unit == pytest.approx(transport_cost(cost))
    assert transport_cost(np.zeros((2, 3))) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sinkhorn_plan([1.0, 2], 1, 1), r"cost must have shape \(n, m\)"),
        (lambda: sinkhorn_plan([[900.0, 1000]], 1, 1), "smoothing must be larger for costs up to"),
        (lambda: sinkhorn_plan([[740.0, 741]], 1, 1), "smoothing must be larger for costs up to"),
        (lambda: sinkhorn_plan([[1.0, 1], [900, 1000]], 1, 0), "smoothing must be larger"),
        (lambda: sinkhorn_plan([[1.0, 900], [1, 1000]], 1, 0), "smoothing must be larger"),
        (lambda: sinkhorn_plan([[1.0, 2]], 1, 1, [1.0], [0.2, 0.3]), "target must add up to 1"),
        (lambda: transport_cost([[1.0, 2]], [0.5, 0.5]), "source must have 1 masses, got 2"),
        (lambda: labelled_cost([[1.0]], [1], [[1.0, 2]], [1], 1), "to_features must have 1 col"),
        (lambda: labelled_cost([[1.0]], [1, 2], [[1.0]], [1], 1), r"labels must have shape \(1,\)"),
        (lambda: labelled_cost([1.0], [1], [[1.0]], [1], 1), "features must have shape"),
    ],
)
def test_masses_and_smoothing_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
