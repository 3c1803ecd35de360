"""Searches: every place at most once, stop at the target, and random draws by enumeration."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from perfmodel.benchmarking import (
    best_so_far,
    expected_improvement,
    gaussian_process_search,
    mutation_search,
    random_runs,
    runs_to_reach,
    space_filling,
)

GRID = np.stack(np.meshgrid(*[np.linspace(-1, 1, 7)] * 2), axis=-1).reshape(-1, 2)
BOWL = 1 + ((GRID - [1 / 3, -2 / 3]) ** 2).sum(axis=1)


@pytest.mark.parametrize(("count", "good"), [(1, 1), (5, 1), (5, 2), (6, 3), (6, 6)])
def test_random_runs_by_all_orders(count, good):
    waits = [
        min(order.index(index) for index in range(good)) + 1 for order in permutations(range(count))
    ]
    expected = random_runs(count, good)
    assert expected.mean == pytest.approx(np.mean(waits))
    fractions = [np.mean(np.array(waits) <= n) for n in range(1, count + 1)]
    assert expected.median == 1 + next(n for n, fraction in enumerate(fractions) if fraction >= 0.5)


@given(costs=st.lists(st.floats(0.1, 10), min_size=1), target=st.floats(0.1, 10))
def test_the_best_so_far_never_rises_and_says_when_the_target_is_reached(costs, target):
    best = best_so_far(costs)
    assert (np.diff(best) <= 0).all()
    assert best[-1] == min(costs)
    assert runs_to_reach(costs, target) == min(
        [n + 1 for n, cost in enumerate(best) if cost <= target], default=np.inf
    )


@pytest.mark.parametrize(
    ("mean", "deviation", "best"), [(1.0, 0.5, 0.8), (0.2, 0.1, 0.8), (3, 1, 1), (1.0, 1e-3, 1.0)]
)
def test_expected_improvement_is_the_integral(mean, deviation, best):
    result, _ = quad(
        lambda y: (best - y) * norm.pdf(y, mean, deviation), mean - 12 * deviation, best, limit=200
    )
    assert expected_improvement(mean, deviation, best) == pytest.approx(result, rel=1e-5, abs=1e-12)


@settings(max_examples=20)
@given(runs=st.integers(1, 49), seed=st.integers(0, 100))
def test_spread_places_are_different_and_repeatable(runs, seed):
    indices = space_filling(GRID, runs, seed)
    assert len(set(indices.tolist())) == runs
    assert indices.tolist() == space_filling(GRID, runs, seed).tolist()


def test_spread_places_fill_better_than_random_ones():
    def gap(indices):
        return np.abs(GRID[:, None] - GRID[indices]).max(axis=2).min(axis=1).max()

    spread = np.mean([gap(space_filling(GRID, 16, seed)) for seed in range(30)])
    rng = np.random.default_rng(0)
    drawn = np.mean([gap(rng.permutation(49)[:16]) for _ in range(30)])
    assert spread < 0.9 * drawn


@pytest.mark.parametrize("search", [mutation_search, gaussian_process_search])
def test_a_search_runs_nothing_twice_and_stops_at_its_target(search):
    asked = []

    def measure(index):
        asked.append(index)
        return BOWL[index]

    order = search(GRID, measure, 49, seed=1)
    assert sorted(order) == list(range(49))
    assert asked == order.tolist()
    short = search(GRID, BOWL.__getitem__, 49, seed=1, target=1.01)
    assert short.tolist() == order[: len(short)].tolist()
    assert runs_to_reach(BOWL[order], 1.01) == len(short)


def test_on_a_bowl_both_searches_need_fewer_runs_than_random_ones():
    def mean(search, **options):
        ends = [
            search(GRID, BOWL.__getitem__, 49, seed=s, target=1.01, **options) for s in range(8)
        ]
        return np.mean([len(end) for end in ends])

    drawn = random_runs(49, int((BOWL <= 1.01).sum())).mean
    assert mean(gaussian_process_search, start=4) < 0.4 * drawn
    assert mean(mutation_search) < 0.8 * drawn


def test_the_process_is_led_to_the_other_side_of_a_step():
    cost = np.where(GRID[:, 0] > 0.5, 1.0, 3.0) + GRID[:, 1] ** 2
    order = gaussian_process_search(GRID, cost.__getitem__, 15, start=8)
    assert cost[order[8:]].mean() < cost.mean()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random_runs(3, 4), "good must be at most count 3, got 4"),
        (lambda: space_filling(GRID, 50), "runs must be at most the 49 configurations, got 50"),
        (lambda: space_filling([1.0, 2], 1), "features must have a row for each run"),
    ],
)
def test_more_runs_than_configurations_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
