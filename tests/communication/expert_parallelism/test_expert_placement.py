"""Placement of experts: what it conserves, its makers' example, and what copies can't do."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.communication import place_experts


@st.composite
def cases(draw):
    nodes = draw(st.sampled_from([1, 2, 4]))
    devices = nodes * draw(st.integers(1, 4))
    groups = nodes * draw(st.integers(1, 3))
    experts = groups * draw(st.integers(1, 4))
    slots = devices * draw(st.integers(-(-experts // devices), 1 + -(-experts // devices)))
    load = draw(st.lists(st.floats(0.01, 100), min_size=experts, max_size=experts))
    return load, devices, slots, nodes, groups


@settings(deadline=None, max_examples=60)
@given(cases())
def test_every_expert_has_a_copy_and_no_load_is_lost(case):
    load, devices, slots, nodes, groups = case
    placed = place_experts(load, devices, slots, nodes, groups)
    assert placed.expert.shape == (devices, slots // devices)
    assert set(placed.expert.ravel()) == set(range(len(load)))
    copies = np.bincount(placed.expert.ravel(), minlength=len(load))
    by_slot = (np.array(load) / copies)[placed.expert]
    assert placed.load == pytest.approx(by_slot.sum(axis=1))
    assert placed.load.sum() == pytest.approx(sum(load))
    assert placed.imbalance >= 1 - 1e-9


@settings(deadline=None, max_examples=60)
@given(cases())
def test_a_group_stays_on_one_node(case):
    load, devices, slots, nodes, groups = case
    placed = place_experts(load, devices, slots, nodes, groups)
    of_node = np.split(placed.expert // (len(load) // groups), nodes)
    found = [set(part.ravel()) for part in of_node]
    assert sum(map(len, found)) == groups


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0.1, 50), min_size=2, max_size=9), st.integers(0, 6))
def test_copies_go_where_the_load_a_copy_is_largest(load, spare):
    """Greedy copies are optimal: no other numbers of copies have a smaller largest load a copy."""
    slots = len(load) + spare
    placed = place_experts(load, 1, slots)
    copies = np.bincount(placed.expert.ravel(), minlength=len(load))
    largest = (np.array(load) / copies).max()
    needed = np.ceil(np.array(load) / (largest * (1 - 1e-9)))
    assert needed.sum() > slots


def test_equal_loads_without_spare_slots_are_even():
    assert place_experts(np.ones(256), 128, 256).imbalance == pytest.approx(1)


def test_spare_slots_make_an_even_load_uneven():
    """Two experts without a copy share a GPU: 2 over a mean of 256/144."""
    assert place_experts(np.ones(256), 144, 288).imbalance == pytest.approx(2 / (256 / 144))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 1], 2, 3), "slots must be a multiple of devices = 2, got 3"),
        (([1, 1, 1], 2, 2), "slots must be"),
        (([1, 1], 3, 3, 2), "devices must be a multiple of nodes = 2, got 3"),
        (([1, 1], 2, 2, 2, 1), "groups must be a multiple of nodes = 2, got 1"),
        (([1, 1, 1], 2, 4, 2, 2), "experts must be a multiple of groups = 2, got 3"),
        (([0, 0], 1, 2), "the sum of load must be above 0"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        place_experts(*arguments)
