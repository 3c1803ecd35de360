"""Many servers: the fixed point of the differential equations, quadrature, a simulation, limits."""

import heapq

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad

from perfmodel.queueing.fleet.power_of_choices import (
    power_of_choices,
    power_of_choices_tail,
    redundancy,
    redundancy_quantile,
)

LOAD = st.floats(0.01, 0.99)


def test_values_worked_out_apart():
    assert power_of_choices(0.9, 2).response_time == pytest.approx(2.6141, abs=5e-5)
    assert redundancy(0.5, 2).response_time == pytest.approx(0.7726, abs=5e-5)
    assert redundancy(0.8, 2).response_time == pytest.approx(1.2647, abs=5e-5)
    assert redundancy(0.9, 2).response_time == pytest.approx(1.7316, abs=5e-5)


@given(LOAD, st.integers(1, 6))
def test_shares_are_a_fixed_point(load, choices):
    # ds_i/dt = load (s_{i-1}^d - s_i^d) - (s_i - s_{i+1}) = 0
    s = power_of_choices_tail(load, choices, 40)
    flow = load * (s[:-2] ** choices - s[1:-1] ** choices) - (s[1:-1] - s[2:])
    assert flow == pytest.approx(np.zeros(38), abs=1e-12)


@given(LOAD, st.integers(2, 6))
def test_littles_law(load, choices):
    s = power_of_choices_tail(load, choices, 3000)
    result = power_of_choices(load, choices, mean_service=2.0)
    assert result.response_time == pytest.approx(2 * s[1:].sum() / load)
    assert not result.exact


def test_one_choice_is_mm1():
    assert power_of_choices(0.9, 1).response_time == pytest.approx(10)
    assert power_of_choices_tail(0.9, 1, 3).tolist() == pytest.approx([1, 0.9, 0.81])


def test_two_choices_remove_most_of_the_waiting():
    means = [float(power_of_choices(0.99, d).response_time) for d in (1, 2, 3, 5)]
    assert means == pytest.approx([100, 5.432, 3.858, 2.902], abs=5e-4)


@given(LOAD, st.integers(2, 6))
def test_redundancy_is_the_area_under_its_tail(load, copies):
    def tail(t):
        grown = load * np.exp(-(copies - 1) * t) + 1 - load
        return np.exp(-copies * t) * grown ** (-copies / (copies - 1))

    area = quad(tail, 0, 60, limit=400)[0]
    assert redundancy(load, copies).response_time == pytest.approx(area, rel=1e-6)


@given(LOAD, st.integers(2, 6))
def test_a_job_waits_while_all_its_servers_are_busy(load, copies):
    def tail(t):
        grown = load * np.exp(-(copies - 1) * t) + 1 - load
        return load**copies * np.exp(-(copies**2) * t) * grown ** (-(copies**2) / (copies - 1))

    result = redundancy(load, copies)
    area = quad(tail, 0, 60, epsabs=0, limit=400, points=[0.03, 0.3, 3])[0]
    assert result.waiting_time == pytest.approx(area, rel=1e-6)
    assert result.utilization == load


@given(LOAD, st.integers(2, 6), st.floats(0, 0.9999))
def test_redundancy_quantiles_invert_the_tail(load, copies, p):
    t = float(redundancy_quantile(p, load, copies))
    late = (load + (1 - load) * np.exp((copies - 1) * t)) ** (-copies / (copies - 1))
    assert late == pytest.approx(1 - p, rel=1e-9)


def test_idle_servers_run_the_shortest_of_the_copies():
    assert redundancy(0.0, 4, mean_service=2.0).response_time == pytest.approx(0.5)
    assert redundancy(0.8, 2).response_time == pytest.approx(1.2647, abs=5e-5)


def test_redundancy_against_a_simulation():
    """50 servers, two independent copies of each job, the second cancelled at once."""
    rng, servers, jobs = np.random.default_rng(17), 50, 30_000
    queues, done, events, clock, total = [[] for _ in range(servers)], set(), [], 0.0, 0.0
    arrived, started = {}, {}
    heapq.heappush(events, (0.0, -1, -1))
    while events:
        clock, job, server = heapq.heappop(events)
        if job < 0:
            job = len(arrived)
            arrived[job] = clock
            touched = rng.choice(servers, 2, replace=False)
            for place in touched:
                queues[place].append(job)
                if len(queues[place]) == 1:
                    started.setdefault(job, clock)
                    heapq.heappush(events, (clock + rng.exponential(), job, place))
            if job + 1 < jobs:
                heapq.heappush(events, (clock + rng.exponential(2.0 / servers), -1, -1))
            continue
        if job in done or not queues[server] or queues[server][0] != job:
            continue
        done.add(job)
        total += clock - arrived[job]
        for place in range(servers):
            if job in queues[place]:
                head = queues[place][0] == job
                queues[place].remove(job)
                if head and queues[place]:
                    follower = queues[place][0]
                    started.setdefault(follower, clock)
                    heapq.heappush(events, (clock + rng.exponential(), follower, place))
    result = redundancy(0.5, 2)
    assert result.response_time == pytest.approx(total / jobs, rel=0.04)
    waited = sum(started[job] - arrived[job] for job in arrived) / jobs
    assert result.waiting_time == pytest.approx(waited, rel=0.08)
