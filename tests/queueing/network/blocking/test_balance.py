"""Closed networks with full stations: against product forms of special cases, and simulation."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from perfmodel.queueing.distributions.light_tail import Deterministic
from perfmodel.queueing.network.blocking.balance import solve_blocking
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.mva import exact_mva
from perfmodel.queueing.network.solution import TooBigError
from perfmodel.queueing.simulation.simulate import simulate
from perfmodel.queueing.station.birth_death import birth_death_probabilities
from tests.queueing.network.blocking.networks import closed, star


def product_form(network):
    """Return all placements that there is room for, and their shares by the product form."""
    population, size = int(network.population[0]), len(network.stations)
    rooms = [int(min(station.capacity, population)) for station in network.stations]
    states = [n for n in product(*(range(room + 1) for room in rooms)) if sum(n) == population]
    weights = [
        math.prod(
            network.service_demand[0, k] ** n[k]
            / math.prod(min(i + 1, network.stations[k].servers) for i in range(n[k]))
            for k in range(size)
        )
        for n in states
    ]
    return np.array(states), np.array(weights) / sum(weights)


TWO = st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 9), st.floats(0.2, 5.0))


class TestTwoStations:
    """Akyildiz 1987: a cycle of two gets through as much as one with room, and as many states."""

    @settings(max_examples=40)
    @given(TWO)
    def test_blocking_after_service(self, drawn):
        first, second, population, service = drawn
        jobs = min(population, first + second - 1)
        solved = solve_blocking(closed([first, second], [1.0, service], jobs))
        least, most = max(0, jobs - second - 1), min(jobs, first + 1)
        placed = np.clip(np.arange(least, most + 1), jobs - second, first)
        chance = service ** -np.arange(least, most + 1.0)
        ample = exact_mva(closed([math.inf] * 2, [1.0, service], most - least))
        assert solved.throughput == pytest.approx([ample.throughput[0]] * 2, rel=1e-9)
        assert solved.queue_length[0] == pytest.approx(placed @ chance / chance.sum(), rel=1e-9)

    @settings(max_examples=40)
    @given(TWO)
    def test_repetitive_service(self, drawn):
        first, second, population, service = drawn
        jobs = min(population, first + second - 1)
        solved = solve_blocking(closed([first, second], [1.0, service], jobs), "repeat")
        states = min(jobs, first) - max(0, jobs - second)
        ample = exact_mva(closed([math.inf] * 2, [1.0, service], states))
        assert solved.throughput == pytest.approx([ample.throughput[0]] * 2, rel=1e-9)

    @pytest.mark.parametrize("jobs", [3, 5])
    def test_two_servers_held_at_once(self, jobs):
        """Jobs at the second station or bound for it go up by up to two servers, down by one."""
        solved = solve_blocking(closed([math.inf, 1], [1.0, 0.7], jobs, servers=[2, 1]))
        held = np.arange(4) - 1
        up = [min(2, jobs - min(m, 1)) - max(0, m - 1) for m in range(3)]
        chance = birth_death_probabilities(up, [1 / 0.7] * 3)
        assert solved.blocked == pytest.approx([np.maximum(held, 0) @ chance, 0], rel=1e-9)
        assert solved.throughput == pytest.approx([(1 - chance[0]) / 0.7] * 2, rel=1e-9)


class TestReversibleRoutes:
    """Hordijk and van Dijk 1981, Pittel 1979: the product form, of the states that remain."""

    @pytest.mark.parametrize("servers", [(1, 1, 1, 1), (2, 1, 3, 1)])
    @pytest.mark.parametrize("population", [1, 4, 8])
    def test_star(self, servers, population):
        shares, service = [0.5, 0.3, 0.2], [0.7, 1.1, 2.0, 1.6]
        self.check(star([4, 2, 3, 3], service, population, shares, servers))

    def test_all_to_all(self):
        routing = np.array([[0.0, 0.3, 0.7], [0.3, 0.5, 0.2], [0.7, 0.2, 0.1]])
        self.check(closed([2, 3, 2], [1.0, 0.4, 2.5], 5, routing))

    @staticmethod
    def check(network):
        solved = solve_blocking(network, "repeat")
        states, chance = product_form(network)
        capacity = [station.capacity for station in network.stations]
        assert f"{len(states)} states" in solved.method
        assert solved.queue_length == pytest.approx(chance @ states, rel=1e-9)
        assert solved.full_probability == pytest.approx(chance @ (states >= capacity), rel=1e-9)


class TestOtherReferences:
    @pytest.mark.parametrize("when_full", ["block", "repeat"])
    def test_with_room_for_all_it_is_mean_value_analysis(self, when_full):
        network = star([math.inf, 5, 6], [1.0, 2.0, 1.5], 5, [0.6, 0.4])
        solved = solve_blocking(network, when_full)
        ample = exact_mva(star([math.inf] * 3, [1.0, 2.0, 1.5], 5, [0.6, 0.4]))
        assert solved.queue_length == pytest.approx(ample.queue_length[0], rel=1e-9)
        assert solved.throughput == pytest.approx(ample.throughput[0] * network.visits[0], rel=1e-9)
        assert solved.blocked == pytest.approx([0, 0, 0])
        assert solved.exact

    def test_two_jobs_in_a_ring_of_three_places_by_hand(self):
        """Either both are served, or the hind one waits and moves with the front one."""
        solved = solve_blocking(closed([1, 1, 1], [1.0] * 3, 2))
        assert solved.throughput == pytest.approx([1 / 2] * 3)
        assert solved.blocked == pytest.approx([1 / 6] * 3)
        assert solved.blocking_probability == pytest.approx([1 / 3] * 3)
        assert solved.full_probability == pytest.approx([2 / 3] * 3)

    @pytest.mark.parametrize("servers", [(1, 1, 1), (2, 2, 1)])
    def test_simulation_of_blocking_after_service(self, servers):
        """With room for all at the first station, where simulated jobs start."""
        routing = [[0, 0.6, 0.4], [1, 0, 0], [0.3, 0.7, 0]]
        network = closed([5, 2, 2], [1.0, 1.5, 0.8], 5, routing, servers)
        solved = solve_blocking(network)
        run = simulate(network, 150_000, seed=3, confidence=0.999, progress=False)
        for estimate, value in (
            (run.station_throughput, solved.throughput),
            (run.queue_length, solved.queue_length),
            (run.utilization, solved.utilization),
            (run.blocked, solved.blocked),
        ):
            known = np.isfinite(estimate.low[0])
            assert known.sum() >= 2
            assert (estimate.low[0] <= value)[known].all()
            assert (value <= estimate.high[0])[known].all()


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(1, 3), st.floats(0.1, 5.0)), min_size=2, max_size=4),
    st.integers(1, 7),
    st.sampled_from(["block", "repeat"]),
)
def test_jobs_and_flows_are_kept(stations, population, when_full):
    capacity, service = zip(*stations, strict=True)
    jobs = min(population, sum(capacity) - 1)
    solved = solve_blocking(closed(capacity, service, jobs), when_full)
    assert solved.queue_length.sum() == pytest.approx(jobs)
    assert solved.throughput == pytest.approx([solved.throughput[0]] * len(capacity))
    assert (solved.utilization + solved.blocked <= 1 + 1e-9).all()
    assert (solved.utilization + solved.blocked <= solved.queue_length + 1e-9).all()


@pytest.mark.parametrize("slow", [0, 1, 2])
def test_what_is_seldom_let_in_is_not_lost_in_rounding(slow):
    service = np.where(np.arange(3) == slow, 1e11, 1.0)
    solved = solve_blocking(closed([3, 2, 4], service, 5), "repeat")
    assert 1e11 * solved.throughput == pytest.approx(np.ones(3), rel=1e-9)


def test_more_room_lets_more_through():
    through = [
        solve_blocking(closed([room] * 3, [1.0, 2.0, 1.5], 5)).throughput[0] for room in (2, 3, 4)
    ]
    assert np.diff(through).min() > 0


def test_it_prints_with_units():
    printed = repr(solve_blocking(closed([2, 1], [1.0, 2.0], 2)))
    assert printed.startswith("Markov chain of 3 states, blocking after service (exact)")
    assert "throughput (1/s)" in printed
    assert "time (s)" in printed


PAIR = [Station("a", capacity=2), Station("b", capacity=2)]
JOBS = JobClass("j", population=3)
REFUSED = {
    "rule": (lambda: solve_blocking(closed([2, 2], [1, 1], 3), "lose"), "must be one of block, re"),
    "states": (
        lambda: solve_blocking(closed([2, 2], [1, 1], 3), "block", 0),
        "max_states must be",
    ),
    "open": (
        lambda: solve_blocking(Network(PAIR, [JobClass("j", 1.0)], [0.1, 0.1])),
        "network must have one class, closed, for blocking, got classes",
    ),
    "classes": (
        lambda: solve_blocking(Network(PAIR, [JOBS, JobClass("k", population=1)], [1, 1])),
        "network must have one class",
    ),
    "think": (
        lambda: solve_blocking(Network(PAIR, [JobClass("j", population=3, think_time=1)], [1, 1])),
        "think_time of class 'j' must be 0 for blocking, got 1: add a station",
    ),
    "order": (
        lambda: solve_blocking(Network([Station("a", discipline="PS"), PAIR[1]], [JOBS], [1, 1])),
        "station 'a' must be FCFS or delay, without speeds, for blocking, got PS",
    ),
    "speeds": (
        lambda: solve_blocking(Network([Station("a", speeds=(1, 2)), PAIR[1]], [JOBS], [1, 1])),
        "station 'a' must be FCFS or delay, without speeds, for blocking, got speeds",
    ),
    "service": (
        lambda: solve_blocking(Network(PAIR, [JOBS], [1, 0])),
        "station 'b' must be visited and serve for a time above 0",
    ),
    "cycle": (
        lambda: solve_blocking(star([3, 2, 9], [1, 1, 1], 5, [0.5, 0.5])),
        "population of class 'j' must be below 5, the room of stations a, b, or jobs could",
    ),
    "no place": (
        lambda: solve_blocking(closed([2, 2], [1, 1], 4), "repeat"),
        "must be below 4, the room of stations a, b, or jobs could block each other for ever",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    call, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        call()


class TestTooBig:
    def test_told_before_the_chain_is_walked(self):
        with pytest.raises(TooBigError, match="chain of 60 jobs has .* states or more, above most"):
            solve_blocking(closed([20] * 6, [1.0] * 6, 60))

    def test_told_on_the_way(self):
        with pytest.raises(TooBigError, match="more than 10 states"):
            solve_blocking(closed([2, 2, 2], [1.0] * 3, 4), max_states=10)

    def test_a_million_jobs(self):
        with pytest.raises(TooBigError, match="chain of 1000000 jobs"):
            solve_blocking(closed([math.inf] * 3, [1.0] * 3, 10**6))


def test_other_laws_are_said_to_be_inexact():
    solved = solve_blocking(Network(PAIR, [JOBS], [Deterministic(1.0), 1.0]))
    assert not solved.exact
    assert "scv of 0" in solved.warning or "scv 0" in solved.warning
