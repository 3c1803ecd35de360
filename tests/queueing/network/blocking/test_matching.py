"""Throughput by a network with room: exact for two stations, near for more."""

import math

import numpy as np
import pytest

from perfmodel.queueing.network.blocking.balance import solve_blocking
from perfmodel.queueing.network.blocking.matching import matched_throughput
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.mva import exact_mva
from perfmodel.queueing.network.solution import TooBigError
from tests.queueing.network.blocking.networks import closed, star


def drawn(count):
    """Yield cycles and stars of three and four stations of one to four places."""
    rng = np.random.default_rng(0)
    for number in range(count):
        capacity, service = rng.integers(1, 5, 3 + number // 2 % 2), rng.uniform(0.5, 2.0, 4)
        jobs = int(rng.integers(1, capacity.sum()))
        if number % 2:
            yield closed(capacity, service[: capacity.size], jobs)
        else:
            shares = rng.dirichlet(np.ones(capacity.size - 1))
            most = int(capacity[0] + capacity[1:].min()) - 1
            yield star(capacity, service[: capacity.size], min(jobs, most), shares)


@pytest.mark.parametrize("capacity", [(1, 1), (1, 4), (3, 2), (5, 5)])
def test_two_stations_are_exact(capacity):
    for jobs in range(1, sum(capacity)):
        network = closed(capacity, [1.0, 1.7], jobs)
        exact = solve_blocking(network).throughput[0]
        assert matched_throughput(network) == pytest.approx(exact, rel=1e-9)


def test_more_stations_are_near():
    errors = [
        matched_throughput(network) / solve_blocking(network).throughput[0] - 1
        for network in drawn(60)
    ]
    assert np.mean(np.abs(errors)) < 0.03
    assert np.max(np.abs(errors)) < 0.15


def test_with_room_for_all_it_is_mean_value_analysis():
    ample = star([math.inf] * 3, [1.0, 2.0, 1.5], 7, [0.6, 0.4])
    assert matched_throughput(ample) == pytest.approx(exact_mva(ample).throughput[0], rel=1e-12)


def test_a_large_network_is_no_trouble():
    """Rooms of thirty hardly ever fill with sixty jobs on eight stations."""
    line = closed([30] * 8, [1.0] * 8, 60)
    assert matched_throughput(line) == pytest.approx(60 / 67, rel=0.01)


def test_several_servers_are_refused():
    with pytest.raises(ValueError, match="station 'a' must have one server for a match, got 2"):
        matched_throughput(closed([2, 2], [1, 1], 2, servers=[2, 1]))
    delay = [Station("a", discipline="delay"), Station("b")]
    network = closed([2, 2], [1, 1], 2)
    with pytest.raises(ValueError, match="station 'a' must have one server .* got a delay"):
        matched_throughput(Network(delay, network.classes, [1, 1]))


def test_too_many_ways_are_refused():
    names = [Station(f"s{number}") for number in range(900)]
    network = Network(names, [JobClass("j", population=900)], [1.0] * 900)
    with pytest.raises(TooBigError, match="jobs must stand in at most 1e"):
        matched_throughput(network)
