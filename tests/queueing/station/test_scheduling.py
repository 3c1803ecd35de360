"""Scheduling in M/G/1: an event simulation, closed forms, conservation, insensitivity, fairness."""

import heapq

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad

from perfmodel.queueing.distributions.service import (
    BoundedPareto,
    Deterministic,
    Empirical,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    Uniform,
    scv,
)
from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.scheduling import (
    MG1_POLICIES,
    mean_response,
    response_by_size,
    slowdown_by_size,
)

LAWS = [
    Exponential(2.0),
    Uniform(0.5, 3),
    Erlang(1.0, 5),
    Hyperexponential.balanced(1.0, 20.0),
    BoundedPareto(1.1, 1.0, 1e6),
    Lognormal(1.0, 10.0),
    Empirical((1.0, 1.0, 3.0, 10.0)),
]
LAW = pytest.mark.parametrize("law", LAWS, ids=repr)
LOADS = np.array([0.2, 0.5, 0.8, 0.95])


def simulate(rank, arrive, sizes, preempt):
    """Serve by lowest rank(size, remaining), first come first served on ties; mean response."""
    queue, clock, total = [], 0.0, 0.0
    coming = list(zip(arrive, sizes, strict=True))
    place = 0
    while queue or place < len(coming):
        if not queue:
            clock = max(clock, coming[place][0])
        while place < len(coming) and coming[place][0] <= clock:
            size = coming[place][1]
            heapq.heappush(queue, (rank(size, size), place, size))
            place += 1
        _, job, left = heapq.heappop(queue)
        until = coming[place][0] if preempt and place < len(coming) else np.inf
        if clock + left <= until:
            clock += left
            total += clock - coming[job][0]
        else:
            left -= until - clock
            clock = until
            heapq.heappush(queue, (rank(coming[job][1], left), job, left))
    return total / len(coming)


RANKS = {
    "FCFS": (lambda size, left: 0.0, False),
    "SJF": (lambda size, left: size, False),
    "PSJF": (lambda size, left: size, True),
    "SRPT": (lambda size, left: left, True),
}


@pytest.mark.parametrize("law", [Exponential(1.0), Empirical((1.0, 1.0, 2.5, 6.0))], ids=repr)
@pytest.mark.parametrize("policy", RANKS)
def test_against_an_event_simulation(policy, law):
    rng = np.random.default_rng(21)
    rate = 0.7 / law.moment(1)
    arrive = np.cumsum(rng.exponential(1 / rate, 60_000))
    rank, preempt = RANKS[policy]
    seen = simulate(rank, arrive.tolist(), law.sample(rng, 60_000).tolist(), preempt)
    assert mean_response(policy, rate, law).response_time == pytest.approx(seen, rel=0.05)


def test_least_attained_service_against_small_steps():
    """Serve the job of least attained service in steps of 0.05 of a job of size 1 or 3."""
    rng, step = np.random.default_rng(1), 0.05
    rate, law = 0.35, Empirical((1.0, 3.0))
    arrive = np.cumsum(rng.exponential(1 / rate, 8_000))
    sizes = law.sample(rng, arrive.size)
    jobs, clock, place, total = [], 0.0, 0, 0.0
    while jobs or place < arrive.size:
        if not jobs:
            clock = max(clock, arrive[place])
        while place < arrive.size and arrive[place] <= clock:
            heapq.heappush(jobs, (0.0, rng.random(), place))
            place += 1
        had, _, job = heapq.heappop(jobs)
        clock += step
        if had + step >= sizes[job] - 1e-9:
            total += clock - arrive[job]
        else:
            heapq.heappush(jobs, (round(had + step, 9), rng.random(), job))
    response = mean_response("FB", rate, law).response_time
    assert response == pytest.approx(total / arrive.size, rel=0.08)


@LAW
class TestEveryLaw:
    def test_first_come_first_served_is_pollaczek_khinchine(self, law):
        result = mean_response("FCFS", LOADS / law.moment(1), law)
        exact = mg1(arrival_rate=LOADS / law.moment(1), mean_service=law.moment(1), scv=scv(law))
        assert result.response_time == pytest.approx(exact.response_time, rel=1e-8)
        assert result.queue_length == pytest.approx(exact.queue_length, rel=1e-8)

    def test_processor_sharing_sees_the_mean_only(self, law):
        result = mean_response("PS", LOADS / law.moment(1), law)
        assert result.response_time == pytest.approx(law.moment(1) / (1 - LOADS), rel=1e-8)

    def test_shortest_remaining_is_best_and_order_helps(self, law):
        means = {
            policy: mean_response(policy, LOADS / law.moment(1), law).response_time
            for policy in MG1_POLICIES
        }
        for policy, mean in means.items():
            assert (means["SRPT"] <= mean * (1 + 1e-9)).all(), policy
        assert (means["SJF"] <= means["FCFS"] * (1 + 1e-9)).all()
        assert (means["PSJF"] <= means["PS"] * (1 + 1e-9)).all()

    def test_responses_rise_with_load_and_start_at_the_size(self, law):
        for policy in MG1_POLICIES:
            mean = mean_response(policy, np.append(0.0, LOADS) / law.moment(1), law).response_time
            assert (np.diff(mean) > 0).all()
            assert mean[0] == pytest.approx(law.moment(1), rel=1e-8)

    def test_large_jobs_of_preemptive_policies_near_the_processor_sharing_slowdown(self, law):
        # Every preemptive policy gives an infinitely large job a slowdown of 1 / (1 - rho).
        huge = 1e4 * law.breaks()[-1] * (1 + scv(law))
        for policy in ("SRPT", "PSJF", "FB"):
            ratio = slowdown_by_size(policy, huge, 0.8 / law.moment(1), law)
            assert ratio == pytest.approx(5, rel=1e-2)


class TestClosedForms:
    @given(st.floats(0.05, 0.95))
    def test_exponential_sizes_make_least_attained_service_indifferent(self, load):
        for policy in ("FCFS", "PS", "PLCFS", "LCFS", "FB"):
            result = mean_response(policy, load, Exponential(1.0))
            assert result.response_time == pytest.approx(1 / (1 - load), rel=1e-7)

    def test_equal_sizes_leave_nothing_to_choose(self):
        law = Deterministic(2.0)
        expected = mg1(arrival_rate=0.4, mean_service=2.0, scv=0.0).response_time
        for policy in ("SJF", "PSJF", "SRPT", "LCFS"):
            assert mean_response(policy, 0.4, law).response_time == pytest.approx(expected)

    def test_shortest_remaining_by_adaptive_quadrature(self):
        rate = 0.8

        def load(t):
            return rate * (1 - np.exp(-t) * (1 + t))

        def response(x):
            second = 2 - np.exp(-x) * (x**2 + 2 * x + 2) + x**2 * np.exp(-x)
            inside = quad(lambda t: 1 / (1 - load(t)), 0, x)[0]
            return rate / 2 * second / (1 - load(x)) ** 2 + inside

        sizes = [0.1, 1.0, 3.0]
        ours = response_by_size("SRPT", sizes, rate, Exponential(1.0))
        assert ours == pytest.approx([response(x) for x in sizes], rel=1e-9)

    def test_shortest_job_first_obeys_the_conservation_law(self):
        # Sum over sizes of load times waiting is the same for every non-preemptive order.
        for law in LAWS:
            nodes, weights = law.quadrature()
            rate = 0.7 / law.moment(1)
            mixed = [
                weights * nodes @ (response_by_size(policy, nodes, rate, law) - nodes)
                for policy in ("SJF", "FCFS")
            ]
            assert mixed[0] == pytest.approx(mixed[1], rel=1e-4)

    def test_rates_and_sizes_broadcast(self):
        law = Exponential(1.0)
        grid = response_by_size("SRPT", [0.5, 1.0, 2.0], np.array([[0.1], [0.9]]), law)
        assert grid.shape == (2, 3)
        assert grid[1, 2] == pytest.approx(float(response_by_size("SRPT", 2.0, 0.9, law)))


# Worked out apart from this package from the integrals of Schrage and Miller (1966).
@pytest.mark.parametrize(
    ("policy", "responses"),
    [
        ("SRPT", (1.4254, 1.8746, 2.3528, 3.5521)),
        ("PSJF", (1.5314, 2.0839, 2.6589, 4.0518)),
        ("SJF", (1.7127, 2.3122, 2.8822, 4.1969)),
    ],
)
def test_exponential_sizes_against_values_worked_out_apart(policy, responses):
    response = mean_response(policy, [0.5, 0.7, 0.8, 0.9], Exponential(1.0)).response_time
    assert response == pytest.approx(responses, abs=5e-5)


def test_bad_input():
    with pytest.raises(ValueError, match="policy must be one of FCFS"):
        mean_response("LIFO", 0.5, Exponential(1.0))
