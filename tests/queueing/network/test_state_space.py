"""A whole network as one Markov chain: against hand values and what product forms cannot say."""

import pytest

from perfmodel.queueing.network import bcmp, state_space
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.solution import TooBigError


class TestValues:
    def test_menasce_has_six_states(self):
        stations = [Station(name) for name in ("cpu", "fast", "slow")]
        net = Network(
            stations,
            [JobClass("jobs", population=2)],
            [10, 15, 30],
            routing=[[0, 0.5, 0.5], [1, 0, 0], [1, 0, 0]],
        )
        solved = state_space.global_balance(net)
        assert len(state_space.network_chain(net).states) == 6
        assert 60 * solved.throughput[0] == pytest.approx(2.71304347826)
        assert solved.queue_length[0] == pytest.approx([0.591304347826, 0.417391304, 0.991304348])

    def test_lost_jobs_of_two_servers_and_five_places(self):
        station = Station("cpu", servers=2, capacity=5)
        solved = state_space.global_balance(Network([station], [JobClass("u", 3)], [0.5]))
        assert solved.throughput == pytest.approx([2.74465849387])
        assert solved.queue_length[0, 0] == pytest.approx(2.00595446585)

    def test_open_routes_with_feedback(self):
        routing, job = [[0, 0.5], [1, 0]], JobClass("u", 0.4)
        ample = [Station(name, capacity=60) for name in "ab"]
        solved = state_space.global_balance(Network(ample, [job], [0.5, 0.7], routing=routing))
        stations = [Station(name) for name in "ab"]
        expected = bcmp.bcmp(Network(stations, [job], [0.5, 0.7], routing=routing))
        assert solved.queue_length[0] == pytest.approx(expected.queue_length[0], rel=1e-9)
        assert solved.throughput == pytest.approx(expected.throughput, rel=1e-9)

    def test_fcfs_by_class_is_said_to_be_inexact(self):
        jobs = [JobClass("a", population=1), JobClass("b", population=1)]
        solved = state_space.global_balance(Network([Station("disk")], jobs, [[1], [2]]))
        assert not solved.exact
        assert "'disk' is FCFS" in solved.warning


class TestRefusals:
    def test_unlimited_room_for_an_open_class(self):
        with pytest.raises(ValueError, match="station 'cpu' must have a finite capacity.*'u'"):
            state_space.global_balance(Network([Station("cpu")], [JobClass("u", 1)], [0.5]))

    def test_too_little_room_for_a_closed_class(self):
        station = Station("cpu", capacity=2)
        with pytest.raises(
            ValueError, match="station 'cpu' must have room for all.*capacity 2: use"
        ):
            state_space.global_balance(Network([station], [JobClass("u", population=3)], [0.5]))

    def test_no_service(self):
        net = Network([Station("a"), Station("b")], [JobClass("u", population=1)], [0.5, 0])
        with pytest.raises(ValueError, match="service of class 'u' at station 'b' must be above 0"):
            state_space.global_balance(net)

    def test_too_many_states(self):
        net = Network([Station(n) for n in "abcd"], [JobClass("u", population=50)], [1.0] * 4)
        with pytest.raises(TooBigError, match="more than 1000 states"):
            state_space.global_balance(net, max_states=1000)
