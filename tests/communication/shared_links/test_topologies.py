"""Topologies: counts and bisections in closed form, every balanced split, and shortest routes."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import (
    Topology,
    fat_tree,
    full_mesh,
    rail_network,
    ring_network,
    single_switch,
    torus,
)

SMALL = [
    full_mesh(6, 2.0),
    single_switch(6, 2.0),
    ring_network(6, 2.0),
    torus((4, 2), 2.0),
    fat_tree(2, 2.0),
    rail_network(2, 3, 4.0, 2.0),
    rail_network(2, 4, 1.0, 5.0),
    rail_network(4, 2, 1.0, 5.0),
    rail_network(2, 4, 2.0, 3.0),
]
NAMED = st.sampled_from([*SMALL, torus((4, 4, 2), 1.0), fat_tree(4, 1.0), rail_network(3, 4, 2, 1)])


@pytest.mark.parametrize("topology", SMALL, ids=lambda t: f"{t.name}, {t.hosts}")
def test_bisection_is_the_narrowest_of_all_halves(topology: Topology) -> None:
    hosts = set(range(topology.hosts))
    widths = [
        topology.bandwidth_between(half, hosts - set(half))
        for half in combinations(range(topology.hosts), topology.hosts // 2)
    ]
    assert topology.bisection == pytest.approx(min(widths))


@pytest.mark.parametrize(
    ("topology", "bisection", "diameter"),
    [
        (full_mesh(8, 64e9), 16 * 64e9, 1),
        (single_switch(8, 64e9), 4 * 64e9, 2),
        (ring_network(8, 64e9), 2 * 64e9, 4),
        (ring_network(7, 64e9), 2 * 64e9, 3),
        (torus((4, 4), 1e9), 8e9, 4),
        (torus((4, 4, 4), 1e9), 32e9, 6),
        (torus((2, 2, 2), 1e9), 4e9, 3),
        (fat_tree(4, 1e9), 8e9, 6),
        (fat_tree(8, 1e9), 64e9, 6),
        (rail_network(4, 8, 64e9, 50e9), 16 * 50e9, 3),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_textbook_values(topology: Topology, bisection: float, diameter: int) -> None:
    assert topology.bisection == pytest.approx(bisection)
    assert topology.diameter == diameter


@settings(max_examples=60, deadline=None)
@given(NAMED, st.data(), st.sampled_from([None, 0, 7]))
def test_a_route_is_a_shortest_walk_from_source_to_target(topology, data, seed) -> None:
    pair = data.draw(st.permutations(range(topology.hosts)))[:2]
    route = topology.routes([pair[0]], [pair[1]], seed)
    walk = topology.ends[route.links]
    assert walk[0, 0] == pair[0]
    assert walk[-1, 1] == pair[1]
    assert all(a[1] == b[0] for a, b in pairwise(walk))
    assert route.lengths.tolist() == [topology.hops[pair[0], pair[1]]]


def test_many_routes_are_the_single_ones_in_a_row() -> None:
    tree = fat_tree(4, 1.0)
    many = tree.routes([0, 3, 5], [1, 15, 4])
    single = [tree.routes([a], [b]).links for a, b in ((0, 1), (3, 15), (5, 4))]
    assert many.links.tolist() == np.concatenate(single).tolist()


def test_random_routes_spread_over_equally_short_ways() -> None:
    tree = fat_tree(4, 1.0)
    links = tree.routes([0] * 400, [15] * 400, seed=1).links.reshape(400, 6)
    assert len({tuple(route) for route in links.tolist()}) == 4
    counts = np.unique(links[:, 1], return_counts=True)[1]
    assert counts == pytest.approx(200, abs=50)


def test_odd_rails_with_narrow_links_inside_have_a_narrower_half_than_their_bisection() -> None:
    """A whole node and one GPU of each other node, as `Topology.bisection` warns."""
    rails, half = rail_network(4, 3, 1.0, 5.0), [0, 1, 2, 3, 6, 9]
    assert rails.bisection == pytest.approx(2 * 4 + 5 * 2)
    others = sorted(set(range(12)) - set(half))
    assert rails.bandwidth_between(half, others) == pytest.approx(3 * 2 + 5 * 2)


def test_cross_rail_traffic_hops_inside_a_node_first() -> None:
    rails = rail_network(4, 8, 64e9, 50e9)
    route = rails.routes([0], [9])
    assert rails.ends[route.links].tolist() == [[0, 1], [1, 33], [33, 9]]


def between(group, others) -> float:
    return full_mesh(4, 1.0).bandwidth_between(group, others)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fat_tree(5, 1.0), "ports must be even, got 5"),
        (lambda: torus((2, 4), 1.0), "shape must list sizes, the longest first"),
        (lambda: full_mesh(4, 1.0).routes([0], [4]), "targets must be hosts from 0 to 3"),
        (lambda: full_mesh(4, 1.0).routes([2], [2]), "targets must differ from sources, got 2"),
        (lambda: full_mesh(4, 1.0).routes([0, 1], [2]), "targets must have the shape of sources"),
        (lambda: ring_network(4, 1.0).routes([], []), r"sources must name one host or more"),
        (lambda: between([], [1]), r"group must name one host or more in a row, got \[\]"),
        (lambda: between([0], []), r"others must name one host or more in a row, got \[\]"),
        (lambda: between([-1], [1]), r"group must be hosts from 0 to 3, got \[-1\]"),
        (lambda: between([0], [9]), r"others must be hosts from 0 to 3, got \[9\]"),
        (lambda: between([0.5], [1]), r"group must be hosts from 0 to 3, got \[0.5\]"),
        (lambda: between([0, 1], [1, 2]), r"others must be hosts outside group, got \[1\] in both"),
    ],
)
def test_bad_input(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
