"""Bard-Schweitzer and Linearizer: published values, how far from exact, and limits."""

import numpy as np
import pytest

from perfmodel.queueing.network import amva, mva
from perfmodel.queueing.network.model import JobClass, Network, Station
from queueing.network.test_mva import random_network

BOTH = [amva.bard_schweitzer, amva.linearizer]


def closed(demand, population, think=0.0, servers=1):
    stations = [Station(f"s{k}", servers, "PS") for k in range(len(demand[0]))]
    thinks = np.broadcast_to(think, len(demand))
    classes = [
        JobClass(f"c{j}", population=n, think_time=float(z))
        for j, (n, z) in enumerate(zip(population, thinks, strict=True))
    ]
    return Network(stations, classes, demand)


class TestPublished:
    def test_lazowska_terminals(self):
        solved = amva.bard_schweitzer(closed([[0.605, 2.1, 1.35]], [3], 15))
        assert solved.throughput == pytest.approx([0.150985872704])
        assert solved.response_time == pytest.approx([4.86940861597])
        assert solved.queue_length[0] == pytest.approx([0.0972699638, 0.402057292, 0.235884653])
        assert not solved.exact


class TestAccuracy:
    @pytest.mark.parametrize("seed", range(20))
    def test_linearizer_within_two_percent(self, seed):
        net = random_network(np.random.default_rng(seed))
        exact = mva.exact_mva(net)
        solved = amva.linearizer(net)
        assert solved.throughput == pytest.approx(exact.throughput, rel=0.02)

    def test_linearizer_is_closer_as_a_rule(self):
        errors = []
        for seed in range(20):
            net = random_network(np.random.default_rng(seed))
            exact = mva.exact_mva(net).throughput
            errors.append([np.abs(solve(net).throughput / exact - 1).max() for solve in BOTH])
        mean = np.mean(errors, axis=0)
        assert mean[1] < mean[0] / 4
        assert mean[0] < 0.06

    @pytest.mark.parametrize("solve", BOTH)
    def test_one_job_is_exact(self, solve):
        solved = solve(closed([[1, 2]], [1], 3))
        assert solved.residence_time[0] == pytest.approx([1, 2])
        assert solved.exact
        assert "(exact)" in repr(solved)

    @pytest.mark.parametrize("solve", BOTH)
    @pytest.mark.parametrize(
        ("network", "is_exact"),
        [
            (closed([[1, 2]], [1], 3, servers=2), True),
            (closed([[1, 2]], [2], 3), False),
            (closed([[1, 2], [2, 1]], [1, 1], 3), False),
            (closed([[2.0], [2.0]], [3, 4]), True),
            (closed([[2.0]], [4], 1), False),
            (closed([[2.0]], [4], servers=2), False),
        ],
    )
    def test_it_says_exact_where_it_is(self, solve, network, is_exact):
        solved, true = solve(network), mva.exact_mva(network)
        assert solved.exact == is_exact
        assert ("Seidmann" in solved.warning) == (network.stations[0].servers == 2 and not is_exact)
        if is_exact:
            assert solved.throughput == pytest.approx(true.throughput, rel=1e-9)
            assert solved.residence_time == pytest.approx(true.residence_time, rel=1e-9)
        else:
            assert np.abs(solved.throughput / true.throughput - 1).max() > 1e-4

    @pytest.mark.parametrize("solve", BOTH)
    def test_delays_only_are_exact(self, solve):
        think = [Station("a", discipline="delay"), Station("b", discipline="delay")]
        solved = solve(Network(think, [JobClass("u", population=7)], [[1.0, 2.0]]))
        assert solved.exact
        assert solved.throughput == pytest.approx([7 / 3])

    @pytest.mark.parametrize("solve", BOTH)
    def test_saturation_is_exact(self, solve):
        solved = solve(closed([[1, 2]], [100_000], 3))
        assert solved.throughput == pytest.approx([0.5], rel=1e-4)

    @pytest.mark.parametrize("solve", BOTH)
    def test_every_job_is_somewhere(self, solve):
        net = closed([[1, 2], [3, 0.5]], [7, 9], [3, 0])
        solved = solve(net)
        held = solved.queue_length.sum(axis=1) + solved.throughput * net.think_time
        assert held == pytest.approx(net.population)

    @pytest.mark.parametrize("solve", BOTH)
    def test_several_servers_are_labelled_and_roughly_right(self, solve):
        net = closed([[4, 0.5]], [20], 10, servers=4)
        solved = solve(net)
        assert "Seidmann" in solved.warning
        assert solved.throughput == pytest.approx(mva.exact_mva(net).throughput, rel=0.1)


def linearizer_by_hand(demand, people, think):
    """Three sweeps, in loops: the queues with all jobs and with one less, and their shares' gap."""
    classes, stations = demand.shape
    gap = np.zeros((classes, classes, stations))

    def queues(n):
        held = np.array([[n[j] * demand[j, k] for k in range(stations)] for j in range(classes)])
        for _ in range(3000):
            fresh = np.zeros_like(held)
            for j in range(classes):
                ahead = np.zeros(stations)
                for i in range(classes):
                    less = max(n[i] - (i == j), 0)
                    ahead += less * ((held[i] / n[i] if n[i] else 0) + gap[j, i])
                stay = demand[j] * (1 + ahead)
                fresh[j] = n[j] * stay / (think[j] + stay.sum())
            held = fresh
        return held

    for sweep in range(3):
        full = queues(people)
        if sweep < 2:
            fewer = [people - (np.arange(classes) == j) for j in range(classes)]
            shares = [queues(n) / np.maximum(n, 1)[:, None] for n in fewer]
            gap = np.array([share - full / people[:, None] for share in shares])
    return full


def test_linearizer_takes_three_sweeps():
    demand, people, think = np.array([[1.0, 3.0], [2.0, 0.5]]), np.array([3, 4]), [2.0, 0.0]
    seen = amva.linearizer(closed(demand, people.tolist(), think))
    expected = linearizer_by_hand(demand, people, think)
    assert seen.queue_length == pytest.approx(expected, rel=1e-6)


class TestSize:
    def test_fifty_by_fifty_in_few_iterations(self):
        rng = np.random.default_rng(1)
        net = closed(rng.uniform(0, 1, (50, 50)), rng.integers(1, 100, 50).tolist(), 1.0)
        solved = amva.bard_schweitzer(net, max_iterations=250)
        assert (solved.utilization.sum(axis=0) <= 1 + 1e-9).all()

    def test_leaps_end_where_small_steps_do(self, monkeypatch):
        net = closed([[1, 0.99, 0.98], [0.97, 1, 0.99]], [40, 60], 1.0)
        quick = amva.bard_schweitzer(net)
        monkeypatch.setattr(amva, "_leap", lambda step, before: 0.0)
        slow = amva.bard_schweitzer(net, tolerance=1e-12)
        assert quick.throughput == pytest.approx(slow.throughput, rel=1e-7)
        assert quick.queue_length == pytest.approx(slow.queue_length, rel=1e-5)
        assert quick.iterations < slow.iterations


class TestRefusals:
    @pytest.mark.parametrize("solve", BOTH)
    def test_open_class(self, solve):
        with pytest.raises(ValueError, match="class 'web' must be closed"):
            solve(Network([Station("cpu")], [JobClass("web", 1)], [0.5]))

    def test_load_dependent_station(self):
        net = Network([Station("cpu", speeds=(1, 2))], [JobClass("u", population=2)], [0.5])
        with pytest.raises(ValueError, match=r"station 'cpu' must not be load-dependent.*\(1\.0"):
            amva.bard_schweitzer(net)

    def test_too_few_rounds(self):
        with pytest.raises(ValueError, match="max_iterations must be enough.*got 2 rounds"):
            amva.bard_schweitzer(closed([[1, 2]], [9]), max_iterations=2)
