"""Priority classes: a Markov chain, conservation, limits, and orders tried out one by one."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import lil_matrix
from scipy.sparse.linalg import spsolve

from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.mmc import mmc
from perfmodel.queueing.station.priorities import (
    cmu_order,
    holding_cost,
    multiserver_priorities,
    nonpreemptive_priorities,
    preemptive_priorities,
)

CLASSES = st.lists(
    st.tuples(st.floats(0.05, 1), st.floats(0.1, 5), st.floats(0, 9)), min_size=1, max_size=5
)


def scaled(classes, load):
    """Return rates, means and scvs with the total utilization set to `load`."""
    rates, means, scvs = np.array(classes).T
    return rates * load / (rates @ means), means, scvs


@given(CLASSES, st.floats(0.05, 0.95))
def test_without_preemption_waiting_is_only_moved(classes, load):
    # Kleinrock's conservation law: the loads' sum of waiting is that of first come first served.
    rates, means, scvs = scaled(classes, load)
    result = nonpreemptive_priorities(rates, means, scvs)
    backlog = rates @ (means**2 * (1 + scvs)) / 2
    assert rates * means @ result.waiting_time == pytest.approx(load * backlog / (1 - load))


@given(CLASSES, st.floats(0.05, 0.95))
def test_urgent_classes_wait_less(classes, load):
    rates, means, scvs = scaled(classes, load)
    waiting = nonpreemptive_priorities(rates, means, scvs).waiting_time
    assert (np.diff(waiting) > 0).all()


@given(CLASSES, st.floats(0.05, 0.95))
def test_with_preemption_the_first_class_is_alone(classes, load):
    rates, means, scvs = scaled(classes, load)
    result = preemptive_priorities(rates, means, scvs)
    alone = mg1(arrival_rate=rates[0], mean_service=means[0], scv=scvs[0]).response_time
    assert result.response_time[0] == pytest.approx(alone)
    plain = nonpreemptive_priorities(rates, means, scvs)
    assert result.response_time[0] <= plain.response_time[0] * (1 + 1e-12)


def test_one_class_is_pollaczek_khinchine():
    expected = mg1(arrival_rate=0.6, mean_service=1.0, scv=3.0).response_time
    for method in (nonpreemptive_priorities, preemptive_priorities):
        assert method([0.6], [1.0], [3.0]).response_time[0] == pytest.approx(expected)


def test_preemption_against_a_markov_chain():
    """Two exponential classes: the chain of both numbers, each cut at 60."""
    rates, mus, size = (0.3, 0.25), (1.0, 0.8), 60
    number = np.arange(size)
    high, low = np.meshgrid(number, number, indexing="ij")
    generator = lil_matrix((size**2, size**2))
    for i, j in zip(high.ravel(), low.ravel(), strict=True):
        here = i * size + j
        if i < size - 1:
            generator[here, here + size] = rates[0]
        if j < size - 1:
            generator[here, here + 1] = rates[1]
        if i:
            generator[here, here - size] = mus[0]
        elif j:
            generator[here, here - 1] = mus[1]
    generator.setdiag(-np.asarray(generator.sum(1)).ravel())
    balance = generator.T.tolil()
    balance[0] = 0
    balance[0, 0] = 1
    weights = spsolve(balance.tocsc(), np.eye(size**2)[0]).reshape(size, size)
    law = weights / weights.sum()
    result = preemptive_priorities(rates, 1 / np.array(mus))
    assert result.queue_length[0] == pytest.approx((law * high).sum(), rel=1e-6)
    assert result.queue_length[1] == pytest.approx((law * low).sum(), rel=1e-6)


@given(st.lists(st.floats(0.1, 2), min_size=1, max_size=4), st.integers(1, 12))
def test_servers_share_the_waiting_of_one_queue(rates, servers):
    rates = np.array(rates) * 0.8 * servers / sum(rates)
    result = multiserver_priorities(rates, 1.0, servers)
    mean = rates @ result.waiting_time / rates.sum()
    assert mean == pytest.approx(mmc(rates.sum(), 1.0, servers).waiting_time)


def test_one_server_of_many():
    many = multiserver_priorities([0.3, 0.4], 1.0, 1).waiting_time
    assert many == pytest.approx(nonpreemptive_priorities([0.3, 0.4], [1, 1]).waiting_time)


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0.1, 9)), min_size=1, max_size=5))
def test_no_order_costs_less_than_cmu(jobs):
    costs, sizes = np.array(jobs).T
    best = holding_cost(costs, sizes, cmu_order(costs, sizes))
    every = [holding_cost(costs, sizes, order) for order in permutations(range(len(jobs)))]
    assert best == pytest.approx(min(every))


def test_two_servers_may_do_better_than_cmu():
    """The numbers of the chapter: whichever server is free takes the next job of the order."""
    costs, sizes = np.array([1.0, 1.0, 1.9]), np.array([1.0, 1.0, 2.0])

    def cost(order):
        free, total = [0.0, 0.0], 0.0
        for job in order:
            free.sort()
            free[0] += sizes[job]
            total += costs[job] * free[0]
        return total

    assert cost(cmu_order(costs, sizes)) == pytest.approx(7.7)
    assert min(map(cost, permutations(range(3)))) == pytest.approx(6.8)


def test_the_talks_three_jobs():
    costs, sizes = [8, 3, 1], [4, 1, 2]
    assert holding_cost(costs, sizes, [1, 2, 0]) == 62
    assert holding_cost(costs, sizes, [0, 1, 2]) == 54


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nonpreemptive_priorities([0.5], [1, 1]), "mean_services must be 1 values"),
        (lambda: preemptive_priorities([0.1, 0.1], [1, 1], [1]), "scvs must be 2 values"),
        (lambda: cmu_order([1, 2], [1]), "sizes must be 2 values as costs, got 1"),
        (lambda: holding_cost([1, 2], [1, 1], [0, 0]), "order must name each of 2 jobs once"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
