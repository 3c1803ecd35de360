"""Fetches, orders, experts shared: against schedules played by hand and all orders tried."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.offloading import flow_shop_makespan
from tests.solutions.offloading.exercise import BANK, STUDENTS, drawn, reference, wrong


@given(
    st.lists(st.tuples(st.floats(0.1, 9), st.floats(0.1, 9)), min_size=1, max_size=7),
    st.integers(1, 8),
)
@settings(max_examples=60)
def test_fetches_with_few_buffers_are_played_by_hand(blocks, slots):
    fetch, compute = np.array(blocks).T
    by_hand = _played_by_hand(blocks, slots, freed_at_start=False)
    assert reference("flow", fetch, compute, slots) == pytest.approx(by_hand)
    early = wrong("flow", "one buffer more")(fetch, compute, slots)
    assert early == pytest.approx(_played_by_hand(blocks, slots, freed_at_start=True))


def _played_by_hand(blocks, slots, freed_at_start):
    """Return the time, a buffer being free again when its block starts or ends to be computed."""
    fetched, starts, ends = 0.0, [], []
    for fetch, compute in blocks:
        freed = starts if freed_at_start else ends
        fetched = max(fetched, freed[-slots] if len(freed) >= slots else 0.0) + fetch
        starts.append(max(fetched, *ends[-1:], 0.0))
        ends.append(starts[-1] + compute)
    return ends[-1]


@pytest.mark.parametrize("student", STUDENTS)
def test_best_order_is_the_best_of_720_and_backward_the_worst(student):
    given = drawn("johnson", student)
    times = np.stack([given["fetch"], given["compute"]], axis=1)
    all_ = flow_shop_makespan(times[np.array(list(permutations(range(6))))])
    assert BANK.question("johnson").reference(**given) == pytest.approx(all_.min())
    assert wrong("johnson", "Johnson backward")(**given) == pytest.approx(all_.max())


@given(st.lists(st.floats(0.5, 1), min_size=5, max_size=5), st.integers(1, 3), st.integers(0, 6))
@settings(max_examples=40)
def test_equal_blocks_with_few_buffers_are_played(times, slots, rounds):
    blocks = 1 + slots * rounds
    played = flow_shop_makespan(np.tile(times, (blocks, 1)), slots)
    assert reference("buffers", np.array(times), blocks, slots) == pytest.approx(float(played))


@pytest.mark.parametrize("student", STUDENTS)
def test_best_of_the_experts_is_that_of_all_ways_in_all_orders(student):
    given = drawn("experts", student)
    exact = BANK.question("experts").reference(**given)
    best = _best_of_all_orders(**given)
    assert exact["best"] == pytest.approx(best)
    assert exact["greedy"] > 1.01 * best
    for_nothing = wrong("experts", "link for nothing")(**given)["best"]
    without_link = given | {"fetch": 0 * given["fetch"]}
    assert for_nothing == pytest.approx(_best_of_all_orders(**without_link))
    assert for_nothing < best


def _best_of_all_orders(host, fetch, device):
    """Return the least time over all ways to share experts and all orders of those of the GPU."""
    times = np.stack([fetch, np.full_like(fetch, device)], axis=1)
    found = []
    for on_host in product([False, True], repeat=len(host)):
        left = np.flatnonzero(~np.array(on_host))
        orders = times[list(permutations(left))] if left.size else np.zeros((1, 1, 2))
        found.append(max(host[list(on_host)].sum(), flow_shop_makespan(orders).min()))
    return min(found)


@pytest.mark.parametrize("student", STUDENTS[:3])
def test_greedy_of_the_experts_is_the_rule_followed_by_hand(student):
    given = drawn("experts", student)
    table = BANK.question("experts").reference(**given)
    assert table["greedy"] == pytest.approx(_rule_by_hand(**given, in_turn=False))
    in_turn = wrong("experts", "greedy without overlap")(**given)
    assert in_turn["greedy"] == pytest.approx(_rule_by_hand(**given, in_turn=True))


def _rule_by_hand(host, fetch, device, in_turn):
    """Return the time of the list from both ends, the link waiting for the GPU or not."""
    waiting = sorted(range(len(host)), key=lambda i: (fetch[i] > 0, -host[i]))
    on_host = on_gpu = link = 0.0
    while waiting:
        head, tail = waiting[0], waiting[-1]
        brought = (on_gpu if in_turn else link) + fetch[head]
        brought = brought if fetch[head] else 0.0
        here, there = max(on_gpu, brought) + device, on_host + host[tail]
        if here <= there:
            on_gpu, link = here, max(link, brought)
            del waiting[0]
        else:
            on_host = there
            del waiting[-1]
    return max(on_host, on_gpu)


@given(st.floats(1e10, 1e11), st.floats(1e13, 1e15), st.floats(0, 0.9))
def test_both_ways_to_get_it_back_cost_the_same_at_the_tie(link, rate, hidden):
    _, tie = reference("again", 1.0, link, rate, hidden)
    assert 2 * (1 - hidden) / link == pytest.approx(tie / rate)
    assert reference("again", 0.9 * tie, link, rate, hidden)[0] == "recompute"
    assert reference("again", 1.1 * tie, link, rate, hidden)[0] == "swap"
