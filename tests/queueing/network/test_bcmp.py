"""Open and mixed networks: textbook values, single stations, and a truncated Markov chain."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.network import bcmp, state_space
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.station.erlang import erlang_c
from queueing.network.test_mva import assert_same

PS = [Station("cpu", discipline="PS"), Station("disk", discipline="PS")]


class TestOpen:
    def test_bolch_example_7_4(self):
        routing = [[0, 0.5, 0.5, 0], [1, 0, 0, 0], [0.6, 0, 0, 0], [1, 0, 0, 0]]
        jobs = [JobClass("jobs", arrival_rate=4)]
        stations = [Station(name) for name in "abcd"]
        net = Network(stations, jobs, [0.04, 0.03, 0.06, 0.05], routing=routing, entry=[0, 0, 0, 1])
        solved = bcmp.bcmp(net)
        assert solved.exact
        assert solved.queue_length[0] == pytest.approx([4, 3 / 7, 1.5, 0.25])

    def test_two_classes(self):
        jobs = [JobClass("a", arrival_rate=3 / 19), JobClass("b", arrival_rate=2 / 19)]
        solved = bcmp.bcmp(Network(PS, jobs, [[1, 3], [2, 4]]))
        assert solved.residence_time == pytest.approx(np.array([[19 / 12, 28.5], [19 / 6, 38]]))

    def test_several_servers_are_erlang_c(self):
        net = Network([Station("cpu", servers=5)], [JobClass("u", 1 / 6)], [20.0])
        expected = 20 + erlang_c(5, 10 / 3) * 20 / (5 - 10 / 3)
        assert bcmp.bcmp(net).response_time == pytest.approx([float(expected)])

    def test_a_million_servers(self):
        net = Network([Station("cloud", servers=10**6)], [JobClass("u", 999_000)], [1.0])
        wait = float(erlang_c(10**6, 999_000)) / 1000
        assert bcmp.bcmp(net).response_time == pytest.approx([1 + wait], rel=1e-12)

    def test_speeds_that_spell_out_three_servers(self):
        jobs = [JobClass("u", 2.5)]
        three = bcmp.bcmp(Network([Station("a", servers=3)], jobs, [1.0]))
        spelt = bcmp.bcmp(Network([Station("a", speeds=(1, 2, 3))], jobs, [1.0]))
        assert spelt.response_time == pytest.approx(three.response_time, rel=1e-12)

    def test_nobody_waits_at_a_delay(self):
        net = Network([Station("z", discipline="delay")], [JobClass("u", 100)], [3.0])
        assert bcmp.bcmp(net).queue_length.tolist() == [[300]]

    @given(st.floats(0.01, 0.99), st.integers(1, 30))
    def test_more_servers_of_the_same_total_speed_are_slower(self, load, servers):
        jobs = [JobClass("u", load)]
        fast = bcmp.bcmp(Network([Station("a")], jobs, [1.0])).response_time[0]
        many = Network([Station("a", servers=servers)], jobs, [float(servers)])
        assert bcmp.bcmp(many).response_time[0] >= fast * (1 - 1e-12)

    @pytest.mark.parametrize("servers", [1, 2])
    def test_unstable_is_named(self, servers):
        net = Network([Station("cpu", servers)], [JobClass("u", 4)], [0.5 * servers])
        with pytest.raises(ValueError, match="station 'cpu' must have utilization below 1.*got 2"):
            bcmp.bcmp(net)


class TestMixed:
    def test_lazowska(self):
        jobs = [
            JobClass("o1", arrival_rate=1),
            JobClass("o2", arrival_rate=0.5),
            JobClass("c1", population=1),
            JobClass("c2", population=1),
        ]
        demand = [[0.25, 1 / 6], [0.5, 1], [0.5, 1], [1, 4 / 3]]
        solved = bcmp.bcmp(Network(PS, jobs, demand))
        assert solved.residence_time == pytest.approx(
            np.array([[14 / 19, 24 / 19], [28 / 19, 7.578947368], [4 / 3, 5], [2.5, 7]])
        )
        assert solved.queue_length[:2] == pytest.approx(
            np.array([[14 / 19, 24 / 19], [14 / 19, 3.789473684]])
        )

    def test_convolution_says_the_same_as_mva(self):
        jobs = [JobClass("o", 0.3), JobClass("c", population=5, think_time=1)]
        demand = [[0.5, 1], [1, 2]]
        spelt = [Station("cpu", discipline="PS", speeds=(1, 1)), PS[1]]
        one = bcmp.bcmp(Network(PS, jobs, demand))
        other = bcmp.bcmp(Network(spelt, jobs, demand))
        assert (one.method, other.method) == ("BCMP, mixed (MVA)", "BCMP, mixed (convolution)")
        assert_same(one, other, 1e-11)

    def test_several_servers_against_a_truncated_chain(self):
        jobs = [JobClass("o", 0.6), JobClass("c", population=3, think_time=2)]
        demand = [[1.0], [1.5]]
        solved = bcmp.bcmp(Network([Station("a", 2, "PS")], jobs, demand))
        room = Station("a", 2, "PS", capacity=80)
        chain = state_space.global_balance(Network([room], jobs, demand))
        assert_same(solved, chain, 1e-9)

    def test_closed_only_goes_to_mva(self):
        net = Network(PS, [JobClass("c", population=2)], [1, 2])
        assert bcmp.bcmp(net).method == "exact MVA"

    def test_a_vanishing_open_class_leaves_the_closed_one_alone(self):
        closed = JobClass("c", population=4, think_time=1)
        alone = bcmp.bcmp(Network(PS, [closed], [1, 2]))
        beside = bcmp.bcmp(Network(PS, [closed, JobClass("o", 1e-9)], [1, 2]))
        assert beside.throughput[0] == pytest.approx(alone.throughput[0], rel=1e-7)

    def test_many_closed_jobs_take_what_the_open_ones_leave(self):
        jobs = [JobClass("o", 7.5), JobClass("c", population=400, think_time=1)]
        solved = bcmp.bcmp(Network([Station("a", 8, "PS")], jobs, [1.0]))
        assert solved.throughput[1] == pytest.approx(0.5, rel=1e-9)
        closed = 400 / 0.5 - 1
        beside = (0.5 * closed + 1) / (8 - 7.5)
        assert solved.response_time == pytest.approx([beside, closed], rel=1e-9)
