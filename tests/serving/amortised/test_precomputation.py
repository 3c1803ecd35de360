import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import brentq, minimize_scalar

from perfmodel.serving import Precomputation, best_effort, implied_work, remaining_work

ROUND = Precomputation(ahead=8000, fresh=10_000, factor=5, weight=10)
shares = st.floats(0.05, 1)
plans = st.builds(
    Precomputation,
    ahead=st.floats(1, 1e6),
    fresh=st.floats(1, 1e6),
    factor=st.floats(1.1, 1e3),
    weight=st.floats(0.1, 100),
    covered=shares,
    queried_fraction=shares,
)


def test_costs_by_hand():
    """8,000 ahead, then 2,000 at a weight of 10 for each question, against 100,000."""
    assert ROUND.cost([1, 2, 5, 10]) == pytest.approx([28_000, 24_000, 21_600, 20_800])
    assert ROUND.saving([1, 2, 5, 10]) == pytest.approx([3.571, 4.167, 4.630, 4.808], abs=5e-4)
    same_price = Precomputation(8000, 10_000, 5)
    assert same_price.saving(1) == pytest.approx(1)
    assert same_price.break_even == pytest.approx(1)


def test_headlines_imply_two_answers_of_work():
    assert implied_work(2.5, 10, 5) == pytest.approx(2.0)
    assert Precomputation(20.0, 1.0, 5, weight=10).break_even == pytest.approx(2.5)


@given(plans)
def test_break_even_is_where_costs_cross(plan):
    crossing = brentq(
        lambda log: float(plan.cost(math.exp(log))) / plan.cost_without - 1, -40, 40, xtol=1e-12
    )
    assert plan.break_even == pytest.approx(math.exp(crossing), rel=1e-6)


@given(plans, st.integers(1, 50))
def test_cost_is_that_of_every_question_counted(plan, queries):
    """Of 1,000 contexts some are asked about; add up all that was done for them."""
    contexts, touched = 1000, 1000 * plan.queried_fraction
    answers = touched * queries
    once_ahead = contexts * plan.ahead
    work = answers * (plan.covered * plan.fresh / plan.factor + (1 - plan.covered) * plan.fresh)
    assert plan.cost(queries) == pytest.approx((once_ahead + plan.weight * work) / answers)


@given(plans)
def test_saving_rises_to_its_limit(plan):
    ratios = plan.saving(np.logspace(-2, 12, 60))
    assert (np.diff(ratios) >= -1e-12 * ratios[1:]).all()
    limit = 1 / (1 - plan.covered * (1 - 1 / plan.factor))
    assert ratios[-1] <= limit * (1 + 1e-12)
    assert plan.saving(1e18) == pytest.approx(limit, rel=1e-6)


@given(plans, st.floats(0.1, 1e3))
def test_implied_work_undoes_the_saving(plan, queries):
    whole = Precomputation(
        plan.ahead, plan.fresh, plan.factor, plan.weight, 1.0, plan.queried_fraction
    )
    found = implied_work(whole.saving(queries), queries, whole.factor)
    assert found == pytest.approx(whole.relative_work, rel=1e-6, abs=1e-9 * (1 + queries))


def test_what_saves_nothing_never_pays():
    assert Precomputation(1, 1, factor=1).break_even == math.inf
    assert Precomputation(1, 1, factor=0.5).break_even == math.inf
    assert Precomputation(1, 1, factor=5, covered=0).break_even == math.inf
    assert Precomputation(0, 1, factor=0.5).break_even == math.inf
    assert Precomputation(0, 1, factor=5).break_even == 0


def test_half_the_contexts_asked_doubles_the_break_even():
    half = Precomputation(8000, 10_000, 5, weight=10, queried_fraction=0.5)
    assert half.break_even == pytest.approx(2 * ROUND.break_even)
    assert half.saving(20) == pytest.approx(ROUND.saving(10))


@given(
    queries=st.floats(0.01, 1e4),
    saved=st.floats(1, 1e5),
    scale=st.floats(10, 1e4),
    asked=shares,
)
def test_best_effort_is_the_least_cost(queries, saved, scale, asked):
    """Against a search for A of A / p + q N D(A)."""

    def cost(effort):
        return effort / asked + queries * float(remaining_work(effort, saved, 0, scale))

    best = float(best_effort(asked * queries, saved, scale))
    upper = 2 * scale * (1 + abs(math.log(queries * saved / scale)))
    found = minimize_scalar(cost, bounds=(0, upper), method="bounded", options={"xatol": 1e-6})
    assert cost(best) <= min(found.fun, cost(0)) * (1 + 1e-9)


def test_best_effort_by_hand_and_grows_with_the_logarithm():
    assert best_effort(100, 4000, 2000) == pytest.approx(2000 * math.log(200))
    tenfold = np.diff(best_effort([1e2, 1e3, 1e4, 1e5], 4000, 2000))
    assert tenfold == pytest.approx(2000 * math.log(10))


def test_remaining_work_has_its_ends():
    assert remaining_work([0, 1e9], 5000, 1000, 2000) == pytest.approx([5000, 1000])


def test_refuses_arguments():
    with pytest.raises(ValueError, match="queries must be above 0, got 0"):
        ROUND.cost(0)
    with pytest.raises(ValueError, match="saving must be at most factor, 5, got 6"):
        implied_work(6, 10, 5)
