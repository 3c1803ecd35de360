"""The fluid simulator against hand values, a plain reference, conservation, and its bounds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import (
    Routes,
    fat_tree,
    full_mesh,
    max_min_rates,
    rail_network,
    ring_network,
    simulate_flows,
    single_switch,
    torus,
)

NETWORKS = [
    full_mesh(4, 1.0),
    single_switch(5, 1.0),
    ring_network(6, 1.0),
    torus((3, 3), 1.0),
    fat_tree(4, 1.0),
    rail_network(3, 4, 2.0, 1.0),
]


def lists_of(routes: Routes) -> list[list[int]]:
    return [routes.links[a:b].tolist() for a, b in pairwise(routes.starts)]


def reference(routes, capacities, sizes, arrivals) -> np.ndarray:
    """Return the ends, all rates found again at every event."""
    paths = lists_of(routes)
    left, ends, now = np.array(sizes, float), np.full(len(sizes), np.nan), 0.0
    while np.isnan(ends).any():
        active = np.flatnonzero(np.isnan(ends) & (arrivals <= now))
        coming = arrivals[arrivals > now].min(initial=np.inf)
        if not active.size:
            now = coming
            continue
        rates = max_min_rates([paths[flow] for flow in active], capacities)
        step = min((left[active] / rates).min(), coming - now)
        now = coming if step == coming - now else now + step
        left[active] -= rates * step
        ends[active[left[active] <= 1e-9 * sizes[active]]] = now
    return ends


def traffic(topology, seed: int, flows: int, equal: bool):
    rng = np.random.default_rng(seed)
    sources = rng.integers(0, topology.hosts, flows)
    targets = (sources + rng.integers(1, topology.hosts, flows)) % topology.hosts
    sizes = np.ones(flows) if equal else rng.exponential(1.0, flows)
    arrivals = np.sort(rng.integers(0, 4, flows) if equal else rng.uniform(0, 0.1 * flows, flows))
    return topology.routes(sources, targets, seed), sizes, arrivals.astype(float)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(NETWORKS), st.integers(0, 10**6), st.integers(2, 40), st.booleans())
def test_ends_equal_those_of_a_plain_simulation(topology, seed, flows, equal) -> None:
    routes, sizes, arrivals = traffic(topology, seed, flows, equal)
    found = simulate_flows(routes, topology.capacities, sizes, arrivals)
    expected = reference(routes, topology.capacities, sizes, arrivals)
    assert found.ends == pytest.approx(expected, rel=1e-7)


def test_uneven_links_too() -> None:
    rng = np.random.default_rng(3)
    topology = fat_tree(4, 1.0)
    capacities = rng.uniform(0.2, 3.0, len(topology.capacities))
    routes, sizes, arrivals = traffic(topology, 5, 150, equal=False)
    found = simulate_flows(routes, capacities, sizes, arrivals / 4)
    assert found.ends == pytest.approx(reference(routes, capacities, sizes, arrivals / 4), rel=1e-7)


def test_one_link_is_processor_sharing() -> None:
    """Two equal flows, the second when half of the first is through."""
    found = simulate_flows([[0], [0]], [2.0], [4.0, 4.0], [0.0, 1.0])
    assert found.ends.tolist() == [3.0, 4.0]
    assert found.slowdowns.tolist() == [1.5, 1.5]
    assert found.makespan == 4.0
    assert found.utilizations.tolist() == [1.0]


def test_a_flow_alone_takes_its_bytes_over_its_narrowest_link() -> None:
    found = simulate_flows([[0, 1]], [5.0, 2.0], 10.0, -3.0)
    assert found.times.tolist() == [5.0]
    assert found.unshared_times.tolist() == [5.0]
    assert found.carried.tolist() == [10.0, 10.0]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(NETWORKS), st.integers(0, 10**6))
def test_nobody_is_faster_than_alone_and_no_link_too_full(topology, seed) -> None:
    routes, sizes, arrivals = traffic(topology, seed, 100, equal=False)
    found = simulate_flows(routes, topology.capacities, sizes, arrivals)
    assert (found.slowdowns >= 1 - 1e-9).all()
    assert (found.utilizations <= 1 + 1e-9).all()
    assert found.carried.sum() == pytest.approx((sizes * routes.lengths).sum())


def test_order_of_the_flows_does_not_matter() -> None:
    topology = fat_tree(4, 1.0)
    routes, sizes, arrivals = traffic(topology, 1, 50, equal=False)
    paths = lists_of(routes)
    order = np.random.default_rng(0).permutation(50)
    mixed = simulate_flows(
        [paths[i] for i in order], topology.capacities, sizes[order], arrivals[order]
    )
    straight = simulate_flows(routes, topology.capacities, sizes, arrivals)
    assert mixed.ends == pytest.approx(straight.ends[order])


@pytest.mark.parametrize("start", [0.0, 1e7, 1.7e9])
def test_the_clock_may_start_anywhere(start) -> None:
    """Two flows of 0.1 ms, 1 ms apart, never meet; those of 0.1 s share for 99 ms."""
    arrivals = start + np.array([0.0, 0.001])
    apart = arrivals[1] - arrivals[0]
    found = simulate_flows([[0], [0]], [1e10], [1e6, 1e6], arrivals)
    assert found.times == pytest.approx([1e-4, 1e-4])
    assert found.makespan == pytest.approx(apart + 1e-4)
    assert found.utilizations == pytest.approx(2e-4 / (apart + 1e-4))
    assert found.ends == pytest.approx(arrivals + 1e-4, abs=1e-6)
    shared = simulate_flows([[0], [0]], [1e10], [1e9, 1e9], arrivals)
    assert shared.times == pytest.approx([0.2 - apart, 0.2 - apart])


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(NETWORKS), st.integers(0, 10**6), st.sampled_from([1e7, 1.7e9, -1e7]))
def test_nothing_but_the_clock_moves_with_the_arrivals(topology, seed, shift) -> None:
    """On whole seconds, which a shift leaves exact."""
    routes, sizes, arrivals = traffic(topology, seed, 30, equal=True)
    here = simulate_flows(routes, topology.capacities, sizes, arrivals)
    there = simulate_flows(routes, topology.capacities, sizes, arrivals + shift)
    assert there.times.tolist() == here.times.tolist()
    assert there.makespan == here.makespan
    assert there.utilizations.tolist() == here.utilizations.tolist()


def test_an_all_to_all_over_a_switch_ends_together() -> None:
    """Every host sends one byte to each of seven others through its one link."""
    switch = single_switch(8, 1.0)
    pairs = np.array([(a, b) for a in range(8) for b in range(8) if a != b])
    found = simulate_flows(switch.routes(*pairs.T), switch.capacities, 1.0)
    assert found.ends == pytest.approx([7.0] * 56)


def test_few_rates_change_where_flows_seldom_meet() -> None:
    tree = fat_tree(8, 1.0)
    routes, sizes, arrivals = traffic(tree, 2, 2000, equal=False)
    found = simulate_flows(routes, tree.capacities, sizes, arrivals)
    assert found.rate_changes < 10 * 2000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": [1.0]}, r"sizes must be one number or have shape \(2,\), got \(1,\)"),
        ({"routes": [[0], []]}, "routes must hold one flow or more, each with one link"),
    ],
)
def test_bad_input(change, message) -> None:
    given = {"routes": [[0], [0]], "capacities": [1.0], "sizes": 1.0, "arrivals": 0.0}
    with pytest.raises(ValueError, match=message):
        simulate_flows(**(given | change))
