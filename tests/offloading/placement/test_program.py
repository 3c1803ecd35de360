import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.offloading import (
    PlacementProblem,
    best_placement,
    fractional_packing,
    placement_time,
    tier_problem,
)

GB = 1e9


def random_problem(seed, items=3, tiers=2, links=3, phases=2):
    random = np.random.default_rng(seed)
    size = random.uniform(1, 10, items) * GB
    capacity = random.uniform(0.4, 0.9, tiers) * size.sum()
    capacity[-1] = np.inf
    return PlacementProblem(
        size=size,
        capacity=capacity,
        work=random.uniform(0, 5, (links, items, tiers)) * GB,
        rate=random.uniform(1, 50, links) * GB,
        busy=random.uniform(0, 0.3, links),
        phase=np.concatenate([np.arange(phases), random.integers(0, phases, links - phases)]),
        repeats=random.uniform(1, 4, phases),
    )


def test_two_tiers_share_an_item_as_their_rates():
    near = tier_problem([10], [10], [0], [np.inf, np.inf], [200, 50], [200, 50])
    found = best_placement(near)
    assert found.fractions == pytest.approx(np.array([[0.8, 0.2]]))
    assert found.time == pytest.approx(10 / 250)


def test_without_overlap_all_goes_to_the_faster_tier_until_it_is_full():
    problem = tier_problem([10, 10], [10, 20], [0, 0], [12, np.inf], [4, 1], [4, 1], overlap=False)
    found = best_placement(problem)
    assert found.fractions == pytest.approx(np.array([[0.2, 0.8], [1, 0]]))
    assert found.time == pytest.approx(22 / 4 + 8)
    assert found.used == pytest.approx([12, 8])
    # One more byte moves one byte of the first item's reads from 1 s to 1/4 s.
    assert found.capacity_prices == pytest.approx([0.75, 0])


@pytest.mark.parametrize("seed", range(4))
def test_never_beaten_by_a_grid_and_near_its_best(seed):
    problem = random_problem(seed)
    found = best_placement(problem)
    grid = np.linspace(0, 1, 15)
    best = np.inf
    for first in itertools.product(grid, repeat=3):
        shares = np.stack([first, 1 - np.array(first)], axis=1)
        if (problem.size[:, 0] @ shares[:, 0]) <= problem.capacity[0]:
            best = min(best, placement_time(problem, shares))
    assert found.time <= best + 1e-9
    assert found.time == pytest.approx(best, rel=0.08)
    assert (found.used <= problem.capacity * (1 + 1e-9)).all()


def test_three_tiers_against_a_grid():
    problem = random_problem(3, items=2, tiers=3)
    steps = 12
    cuts = [
        (a / steps, b / steps, 1 - (a + b) / steps)
        for a in range(steps + 1)
        for b in range(steps + 1 - a)
    ]
    best = min(
        placement_time(problem, shares)
        for shares in itertools.product(cuts, repeat=2)
        if (np.sum(problem.size * np.array(shares), axis=0) <= problem.capacity).all()
    )
    found = best_placement(problem).time
    assert best * 0.9 <= found <= best + 1e-9


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_prices_are_the_slopes_of_the_best_time(seed):
    problem = random_problem(seed)
    found = best_placement(problem)

    def slopes(name, place):
        values = getattr(problem, name)
        out = []
        for sign in (-1, 1):
            changed = values.copy()
            changed[place] *= 1 + sign * 1e-5
            time = best_placement(replace(problem, **{name: changed})).time
            out.append((found.time - time) / (changed[place] - values[place]))
        return max(out), min(out)

    for name, place, price in [
        ("capacity", 0, found.capacity_prices[0]),
        *[("rate", link, found.rate_prices[link]) for link in range(3)],
    ]:
        before, after = slopes(name, place)
        margin = 1e-3 * max(before, 1e-12) + 1e-14
        assert after - margin <= price <= before + margin


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_weights_of_a_phase_sum_to_its_repeats_and_mark_the_busiest_links(seed):
    problem = random_problem(seed)
    found = best_placement(problem)
    for phase, repeats in enumerate(problem.repeats):
        those = problem.phase == phase
        assert found.weights[those].sum() == pytest.approx(repeats)
        longest = found.link_times[those].max()
        binding = those & (found.weights > 1e-6)
        assert found.link_times[binding] == pytest.approx(longest, rel=1e-6)
    assert found.time == pytest.approx(placement_time(problem, found.fractions))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_two_tiers_in_sum_are_the_knapsack_in_shares(seed):
    random = np.random.default_rng(seed)
    size = random.uniform(1, 9, 6)
    traffic = random.uniform(1, 30, 6)
    room, near, far = 0.4 * size.sum(), 4.0, 1.0
    problem = tier_problem(
        size, traffic, np.zeros(6), [room, np.inf], [near, far], [near, far], overlap=False
    )
    saved = traffic * (1 / far - 1 / near)
    packing = fractional_packing(size, saved, room)
    found = best_placement(problem)
    assert found.time == pytest.approx(traffic.sum() / far - packing.value)
    assert found.fractions[:, 0] == pytest.approx(packing.fractions, abs=1e-6)
    assert found.capacity_prices[0] == pytest.approx(packing.price)


@pytest.mark.parametrize("seed", range(4))
def test_whole_items_against_all_placements(seed):
    problem = random_problem(seed, items=5)
    best = np.inf
    for choice in itertools.product(range(2), repeat=5):
        shares = np.eye(2)[list(choice)]
        if (np.sum(problem.size * shares, axis=0) <= problem.capacity).all():
            best = min(best, placement_time(problem, shares))
    found = best_placement(problem, whole=True)
    assert found.time == pytest.approx(best)
    assert set(np.unique(found.fractions.round(9))) <= {0.0, 1.0}
    assert best_placement(problem).time <= found.time + 1e-9


def test_a_compressed_tier_and_a_forbidden_one():
    problem = PlacementProblem(
        size=np.array([[8.0, 2.0, 0.0]]),
        capacity=np.array([4.0, 2.0, np.inf]),
        work=np.array([[[1.0, 2.0, 0.5]]]),
        rate=np.ones(1),
        allowed=np.array([[True, True, False]]),
    )
    found = best_placement(problem)
    assert found.fractions == pytest.approx(np.array([[0.5, 0.5, 0]]))
    assert found.time == pytest.approx(1.5)
    free = best_placement(replace(problem, allowed=np.ones((1, 3), bool)))
    assert free.time == pytest.approx(0.5)


def test_a_link_that_works_anyway_hides_what_is_shorter():
    problem = tier_problem([10], [10], [0], [np.inf], [5], [5])
    hidden = replace(problem, busy=np.array([0.0, 3.0]))
    found = best_placement(hidden)
    assert found.time == pytest.approx(3)
    assert found.rate_prices == pytest.approx([0, 0])


def test_bytes_and_gigabytes_give_the_same_shares():
    problem = random_problem(8)
    small = replace(
        problem,
        size=problem.size / GB,
        capacity=problem.capacity / GB,
        work=problem.work / GB,
        rate=problem.rate / GB,
    )
    assert best_placement(small).time == pytest.approx(best_placement(problem).time)


def test_what_does_not_fit_is_said():
    problem = tier_problem([10], [10], [0], [4, 5], [1, 1], [1, 1])
    with pytest.raises(ValueError, match="size must fit into capacity, got 10 bytes for 9"):
        best_placement(problem)


def test_shares_must_be_shares():
    problem = tier_problem([10], [10], [0], [4, 5], [1, 1], [1, 1])
    with pytest.raises(ValueError, match="fractions must sum to 1"):
        placement_time(problem, [[0.5, 0.6]])


def three_tiers(slow, allowed=True, size=(8e9, 8e9)):
    """Two items to be read once a step, from two tiers of 1 TB/s and a slow one."""
    work = np.zeros((3, 2, 3))
    for tier in range(3):
        work[tier, :, tier] = size
    return PlacementProblem(
        size=np.array(size),
        capacity=np.full(3, 1e12),
        work=work,
        rate=np.array([1e12, 1e12, slow]),
        allowed=np.array([[True, True, allowed]]),
    )


@pytest.mark.parametrize("allowed", [True, False])
@pytest.mark.parametrize("slow", [1e6, 1e4, 1e3, 1.0, 1e-6])
def test_a_very_slow_tier_does_not_spoil_the_others(slow, allowed):
    """Two items, two fast tiers: half of the bytes in each, whatever the third is."""
    problem = three_tiers(slow, allowed)
    found = best_placement(problem)
    assert found.time == pytest.approx(16e9 / (2e12 + slow * allowed), rel=1e-7)
    assert found.rate_prices[:2] == pytest.approx([4e-15] * 2, rel=1e-4)
    assert best_placement(problem, whole=True).time == pytest.approx(0.008)


def test_a_price_beside_a_very_slow_tier():
    """In the sum of times a byte more near saves its time far, and another its time near."""
    problem = tier_problem([8e9], [8e9], [0], [6e9, np.inf], [1e12, 10], [1e12, 10], overlap=False)
    found = best_placement(problem)
    assert found.capacity_prices[0] == pytest.approx(1 / 10 - 1e-12)
    near = replace(problem, capacity=np.array([8e9 - 1, np.inf]))
    assert best_placement(near).time == pytest.approx(0.008 + 0.1, rel=1e-3)


def test_a_phase_that_is_counted_out_hides_nothing():
    problem = tier_problem([10], [10], [5], [np.inf], [5], [1], overlap=False)
    found = best_placement(replace(problem, repeats=np.array([1.0, 0.0])))
    assert found.time == pytest.approx(2)
    assert found.weights == pytest.approx([1, 0])


@pytest.mark.parametrize("excess", [1e4, 1e3, 1.0])
def test_whole_items_never_overfill_a_tier(excess):
    problem = tier_problem(
        [5e9 + excess, 5e9], [1e9] * 2, [0, 0], [1e10, np.inf], [2, 1], [2, 1], overlap=False
    )
    found = best_placement(problem, whole=True)
    assert found.used[0] <= 1e10
    assert found.time == pytest.approx(1.5e9)
    full = replace(problem, size=np.full((2, 2), 5e9))
    assert best_placement(full, whole=True).time == pytest.approx(1e9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_whole_items_with_rates_far_apart_against_all_placements(seed):
    random = np.random.default_rng(seed)
    size = random.uniform(1, 9, 3) * GB
    capacity = np.array(
        [random.uniform(0.3, 0.9) * size.sum(), np.inf, random.uniform(0.3, 2) * GB]
    )
    rate = 10 ** random.uniform(0, 13, 3)
    problem = tier_problem(size, size[::-1], np.zeros(3), capacity, rate, rate)
    best = np.inf
    for choice in itertools.product(range(3), repeat=3):
        shares = np.eye(3)[list(choice)]
        if (np.sum(problem.size * shares, axis=0) <= capacity).all():
            best = min(best, placement_time(problem, shares))
    assert best_placement(problem, whole=True).time == pytest.approx(best, rel=2e-5)
    assert best_placement(problem).time <= best * (1 + 1e-5)


def test_what_fits_but_not_where_it_is_allowed():
    problem = replace(random_problem(0), allowed=np.array([[True, False]]))
    with pytest.raises(ValueError, match="size must fit into capacity, .* in tiers that allowed"):
        best_placement(problem)
    whole = tier_problem([6, 6, 4], [1] * 3, [0] * 3, [8, 8], [1, 1], [1, 1])
    assert best_placement(whole).time == pytest.approx(1.5)
    with pytest.raises(ValueError, match="size must fit into capacity"):
        best_placement(whole, whole=True)


def test_whole_items_that_presolving_can_get_wrong():
    """Of limits 1,000 times as large HiGHS 1.12, presolving, puts all into the slow tier."""
    size = np.array([4.38484546, 5.52018655, 6.12354553]) * GB
    read = np.array([3.02926176, 1.54530637, 2.12957267]) * GB
    rate = np.array([1.19319604e12, 2.10264991e4, 2.39584578])
    capacity = np.array([5.61412703e9, np.inf, 1.07293674e10])
    work = read[:, None] * np.eye(3)[:, None, :]
    problem = PlacementProblem(size=size, capacity=capacity, work=work, rate=rate)
    best = (read[1] + read[2]) / rate[1]
    assert best_placement(problem, whole=True).time == pytest.approx(best)
