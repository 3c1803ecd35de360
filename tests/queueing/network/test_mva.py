"""Exact MVA against hand values, convolution, the whole network's Markov chain, and its limits."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.network import bcmp, convolution, mva, state_space
from perfmodel.queueing.network.compiled_recursions import multi_class_mva
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.network.solution import TooBigError

NAMES = "abcdefgh"


def random_network(rng, several=False):
    """Up to four stations, three classes; `several` adds multi-server and load-dependent ones."""
    size, kinds = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    stations = []
    for name in NAMES[:size]:
        pick = rng.integers(4)
        if pick == 0:
            stations.append(Station(name, discipline="delay"))
        elif several and pick == 1:
            stations.append(Station(name, servers=int(rng.integers(2, 5)), discipline="PS"))
        elif several and pick == 2:
            speeds = rng.uniform(0.3, 3, rng.integers(1, 5))
            stations.append(Station(name, discipline="PS", speeds=tuple(speeds)))
        else:
            stations.append(Station(name, discipline="PS"))
    classes = [
        JobClass(f"class {j}", population=int(rng.integers(1, 7)), think_time=float(think))
        for j, think in enumerate(rng.choice([0, 0.5, 4], kinds))
    ]
    return Network(stations, classes, rng.uniform(0.05, 2, (kinds, size)))


def assert_same(one, other, rel):
    assert one.throughput == pytest.approx(other.throughput, rel=rel)
    assert one.queue_length == pytest.approx(other.queue_length, rel=rel, abs=1e-14)
    assert one.residence_time == pytest.approx(other.residence_time, rel=rel, abs=1e-14)


def demands_by_mva(demand, people, think):
    return mva.mva_of_demands(demand, people, think)


def demands_by_convolution(demand, people, think):
    return convolution.convolution_of_demands(demand, people, think, [np.ones(1), np.ones(1)])


class TestHandValues:
    def test_lazowska_terminals(self):
        users = JobClass("users", population=3, think_time=15)
        solved = mva.exact_mva(Network([Station(n) for n in "abc"], [users], [0.605, 2.1, 1.35]))
        assert solved.exact
        assert solved.throughput == pytest.approx([0.151516492347])
        assert solved.queue_length[0] == pytest.approx([0.0975660194, 0.394656554667, 0.2350300407])

    def test_two_classes(self):
        rate, residence = mva.mva_of_demands([[1, 3], [2, 4]], [1, 1], [0, 0])
        assert rate == pytest.approx([3 / 19, 2 / 19])
        assert residence == pytest.approx(np.array([[4 / 3, 5], [2.5, 7]]))

    def test_one_job_never_waits(self):
        _, residence = mva.mva_of_demands([[1, 2, 3]], [1], [10])
        assert residence.tolist() == [[1, 2, 3]]

    def test_balanced_stations_share_evenly(self):
        """N jobs at K equal stations: X = N / (D (N + K - 1))."""
        rate, _ = mva.mva_of_demands([[0.5] * 6], [20], [0])
        assert rate == pytest.approx([20 / (0.5 * 25)])

    def test_a_class_without_jobs_changes_nothing(self):
        with_none, residence = mva.mva_of_demands([[1, 3], [9, 9], [2, 4]], [2, 0, 1], [0, 0, 1])
        without, _ = mva.mva_of_demands([[1, 3], [2, 4]], [2, 1], [0, 1])
        assert with_none[[0, 2]].tolist() == without.tolist()
        assert with_none[1] == 0
        assert residence[1].tolist() == [0, 0]

    def test_curve_of_a_sweep_is_each_network_alone(self):
        demand = np.array([[1.0, 0.5], [0.2, 0.4], [3.0, 0.0]])
        curve = mva.throughput_curve(demand, 6, [0, 2, 1])
        for d, think, rates in zip(demand, [0, 2, 1], curve, strict=True):
            alone = [mva.mva_of_demands([d], [n], [think])[0][0] for n in range(1, 7)]
            assert rates == pytest.approx(alone, rel=1e-13)


class TestAgainstOtherMethods:
    @pytest.mark.parametrize("seed", range(40))
    def test_convolution(self, seed):
        net = random_network(np.random.default_rng(seed))
        one, other = mva.exact_mva(net), convolution.convolution_algorithm(net)
        assert other.method == "convolution"
        assert_same(one, other, 1e-9)

    @pytest.mark.parametrize("seed", range(8))
    def test_markov_chain(self, seed):
        rng = np.random.default_rng(seed)
        classes = [JobClass("a", population=2, think_time=1.5), JobClass("b", population=1)]
        stations = [Station("cpu", discipline="PS"), Station("d", discipline="delay")]
        net = Network(
            [*stations, Station("x", discipline="PS")], classes, rng.uniform(0.1, 2, (2, 3))
        )
        assert_same(mva.exact_mva(net), state_space.global_balance(net), 1e-10)

    def test_compiled_is_the_same_as_plain(self, monkeypatch):
        demand, people, think = (
            [[0.5, 0.2, 0.9], [1, 0.1, 0.4], [0.3, 0.3, 0.7]],
            [4, 9, 6],
            [1, 0, 2],
        )
        plain = mva.mva_of_demands(demand, people, think)
        monkeypatch.setattr("perfmodel.compilation.WORTH_COMPILING", 1)
        compiled = mva.mva_of_demands(demand, people, think)
        assert compiled[0] == pytest.approx(plain[0], rel=1e-14)
        assert compiled[1] == pytest.approx(plain[1], rel=1e-14)

    @given(st.permutations([0, 1, 2]))
    def test_order_of_classes_does_not_matter(self, order):
        demand, people = np.array([[0.5, 0.2], [1, 0.1], [0.3, 0.9]]), np.array([3, 5, 2])
        rate, _ = mva.mva_of_demands(demand, people, [1, 0, 2])
        mixed, _ = mva.mva_of_demands(demand[order], people[order], np.array([1, 0, 2])[order])
        assert mixed == pytest.approx(rate[order], rel=1e-13)


class TestLaws:
    @given(
        st.lists(st.floats(0.01, 10), min_size=1, max_size=5), st.integers(1, 60), st.floats(0, 50)
    )
    def test_little_and_the_bounds(self, demand, jobs, think):
        rate, residence = mva.mva_of_demands([demand], [jobs], [think])
        assert rate[0] * (think + residence.sum()) == pytest.approx(jobs)
        assert rate[0] <= min(1 / max(demand), jobs / (sum(demand) + think)) * (1 + 1e-12)
        assert rate[0] >= jobs / (think + jobs * sum(demand)) * (1 - 1e-12)

    def test_a_bottleneck_saturates(self):
        rate, _ = mva.mva_of_demands([[1, 2, 0.5]], [2000], [30])
        assert rate == pytest.approx([0.5], rel=1e-12)


class TestSize:
    def test_hundred_thousand_jobs_of_one_class(self):
        rate, residence = mva.mva_of_demands([[1.0, 0.5]], [100_000], [10.0])
        assert rate[0] == pytest.approx(1)
        assert residence[0] == pytest.approx([100_000 - 1 - 10, 1], rel=1e-9)

    def test_too_big_is_refused_with_size_and_way_out(self):
        classes = [JobClass(f"c{j}", population=400) for j in range(4)]
        net = Network([Station("cpu")], classes, [1.0])
        with pytest.raises(TooBigError, match=r"\[400, 400, 400, 400\] has 2\.59e\+10.*linearizer"):
            mva.exact_mva(net)

    def test_too_big_for_convolution_is_refused_too(self):
        classes = [JobClass(f"c{j}", population=400) for j in range(3)]
        with pytest.raises(TooBigError, match=r"convolution.*6\.45e\+07.*bard_schweitzer"):
            mva.exact_mva(Network([Station("cpu", servers=2)], classes, [1.0]))

    def test_memory_of_one_slab_only(self):
        """Population 30 x 20 x 10 keeps 21 x 11 vectors: the largest class is the time."""
        kept = []

        def watch(demand, population, think, strides, seen):
            kept.append(seen.shape)
            multi_class_mva(demand, population, think, strides, seen)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(mva, "compiled_if_long", lambda function, work: watch)
            mva.mva_of_demands([[1.0], [2.0], [0.5]], [10, 30, 20], [0, 0, 0])
        assert math.prod(kept[0]) == 21 * 11


class TestRefusals:
    @pytest.mark.parametrize("solve", [demands_by_mva, demands_by_convolution])
    @pytest.mark.parametrize(
        ("demand", "people", "think", "said"),
        [
            ([[1, 2]], [-3], [0], r"population must be whole and 0 or more, got \[-3\]"),
            ([[1, 2]], [2.7], [0], r"population must be whole and 0 or more, got \[2.7\]"),
            ([[1, 2]], [2, 3], [0], r"population must be 1 numbers.*got shape \(2,\)"),
            ([[1, 2]], [2], 0, r"think_time must be 1 numbers.*got shape \(\)"),
            ([[0, 0]], [2], [0], "service_demand of a class with jobs must not be all 0"),
            ([1, 2], [2], [0], r"service_demand must have shape \(classes, stations\)"),
            ([[1, np.nan]], [2], [0], "service_demand must be finite"),
        ],
    )
    def test_demands_that_do_not_fit(self, solve, demand, people, think, said):
        with pytest.raises(ValueError, match=said):
            solve(demand, people, think)

    def test_a_billion_jobs_of_one_class(self):
        with pytest.raises(TooBigError, match=r"above the limit of 5e\+09 steps"):
            mva.mva_of_demands([[1.0, 2.0]], [10**9], [0.0])

    def test_a_sweep_that_asks_for_nothing(self):
        with pytest.raises(ValueError, match="service_demand must not be all 0"):
            mva.throughput_curve([[1.0, 0.0], [0.0, 0.0]], 3)

    def test_open_class(self):
        with pytest.raises(ValueError, match=r"class 'web' must be closed.*arrival_rate 1\.0"):
            mva.exact_mva(Network([Station("cpu")], [JobClass("web", 1)], [0.5]))

    def test_finite_capacity(self):
        net = Network([Station("cpu", capacity=5)], [JobClass("u", population=2)], [0.5])
        with pytest.raises(ValueError, match="station 'cpu' must have unlimited capacity.*got 5"):
            mva.exact_mva(net)

    def test_no_product_form_is_said(self):
        classes = [JobClass("a", population=1), JobClass("b", population=1)]
        solved = mva.exact_mva(Network([Station("disk")], classes, [[1], [2]]))
        assert not solved.exact
        assert "station 'disk' is FCFS with means that differ by class" in solved.warning

    def test_scheduling_by_size_is_said(self):
        net = Network([Station("cpu", discipline="SRPT")], [JobClass("a", population=1)], [1])
        assert "'cpu' is SRPT" in bcmp.bcmp(net).warning

    def test_a_class_that_asks_for_no_time(self):
        with pytest.raises(ValueError, match="service_demand of a class with jobs must not be all"):
            mva.mva_of_demands([[0.0, 0.0]], [1], [0])
