"""Convolution with several servers and load-dependent speeds, up to large populations."""

import numpy as np
import pytest
from scipy.special import gammaln

from perfmodel.queueing.network import convolution, mva, state_space
from perfmodel.queueing.network.model import JobClass, Network, Station
from queueing.network.test_mva import assert_same, random_network


def repair_shop(machines, servers, up=8.0, repair=2.0):
    station = Station("shop", servers=servers)
    return Network([station], [JobClass("m", population=machines, think_time=up)], [repair])


class TestHandValues:
    def test_bolch_example_8_1(self):
        stations = [Station("a", servers=2), Station("b", servers=3), Station("c")]
        jobs = JobClass("jobs", population=3)
        net = Network(stations, [jobs], [1 / 0.8, 1 / 0.6, 1 / 0.4], visits=[1, 0.667, 0.2])
        solved = mva.exact_mva(net)
        assert solved.method == "convolution"
        assert np.exp(solved.log_constants) == pytest.approx(
            [1, 2.861667, 4.219568, 4.467898], 1e-6
        )
        assert solved.queue_length[0] == pytest.approx(
            [1.2898102904, 1.04987910333, 0.660310606273]
        )
        assert solved.utilization[0] == pytest.approx(
            [0.590261864689, 0.349959701109, 0.472209491751]
        )

    def test_machine_repair(self):
        solved = mva.exact_mva(repair_shop(10, 2))
        assert solved.throughput == pytest.approx([0.854266240581])
        assert solved.queue_length[0] == pytest.approx([3.16587007535])
        assert solved.marginals[0][2:].sum() == pytest.approx(0.773303040904)

    def test_menasce_state(self):
        stations = [Station(name) for name in ("cpu", "fast", "slow")]
        jobs = JobClass("jobs", population=2)
        solved = convolution.convolution_algorithm(
            Network(stations, [jobs], [10, 15, 30], visits=[1, 0.5, 0.5])
        )
        assert solved.marginals[0][2] == pytest.approx(0.1391304347826087)


class TestAgainstMarkovChains:
    @pytest.mark.parametrize("seed", range(6))
    def test_two_classes_with_every_kind_of_station(self, seed):
        rng = np.random.default_rng(seed)
        stations = [
            Station("many", servers=2, discipline="PS"),
            Station("wild", speeds=tuple(rng.uniform(0.3, 3, 2)), discipline="PS"),
            Station("late", discipline="delay"),
        ]
        classes = [JobClass("a", population=3), JobClass("b", population=2, think_time=0.7)]
        net = Network(stations, classes, rng.uniform(0.1, 2, (2, 3)))
        assert_same(convolution.convolution_algorithm(net), state_space.global_balance(net), 1e-10)

    @pytest.mark.parametrize("machines", [30, 300, 1000, 10_000])
    def test_machine_repair_of_any_size_by_birth_and_death(self, machines):
        servers, up, repair = 3, 8.0, 0.9
        n = np.arange(1, machines + 1)
        steps = np.log((machines - n + 1) / up * repair / np.minimum(n, servers))
        logs = np.concatenate([[0.0], np.cumsum(steps)])
        chance = np.exp(logs - logs.max())
        chance /= chance.sum()
        mean = float(chance @ np.arange(machines + 1))
        solved = convolution.convolution_algorithm(repair_shop(machines, servers, up, repair))
        assert solved.queue_length[0, 0] == pytest.approx(mean, rel=1e-9)
        assert solved.throughput[0] == pytest.approx((machines - mean) / up, rel=1e-9)
        assert solved.marginals[0] == pytest.approx(chance, rel=1e-7, abs=1e-14)


class TestStability:
    @pytest.mark.parametrize("population", [300, 1000, 10_000])
    def test_never_negative_or_nan(self, population):
        stations = [Station("a", servers=16), Station("b", servers=4), Station("c")]
        users = JobClass("users", population=population, think_time=50)
        solved = convolution.convolution_algorithm(Network(stations, [users], [8.0, 2.2, 0.4]))
        for measure in (solved.queue_length, solved.residence_time, *solved.marginals):
            assert np.isfinite(measure).all()
            assert (measure >= 0).all()
        total = solved.queue_length.sum() + 50 * solved.throughput[0]
        assert total == pytest.approx(population, rel=1e-9)
        assert solved.throughput[0] <= 4 / 2.2 * (1 + 1e-12)

    def test_infinitely_many_servers_are_a_delay(self):
        users = JobClass("users", population=20, think_time=3)
        several = [Station("a", servers=20), Station("b")]
        delay = [Station("a", discipline="delay"), Station("b")]
        one, other = (
            convolution.convolution_algorithm(Network(s, [users], [2, 1])) for s in (several, delay)
        )
        assert_same(one, other, 1e-11)

    def test_constant_of_one_delay_station(self):
        net = Network([Station("z", discipline="delay")], [JobClass("u", population=50)], [7.0])
        n = np.arange(51)
        expected = n * np.log(7.0) - gammaln(n + 1)
        assert convolution.convolution_algorithm(net).log_constants == pytest.approx(
            expected, rel=1e-12
        )


class TestLaws:
    @pytest.mark.parametrize("seed", range(12))
    def test_every_job_is_somewhere(self, seed):
        net = random_network(np.random.default_rng(100 + seed), several=True)
        solved = convolution.convolution_algorithm(net)
        held = solved.queue_length.sum(axis=1) + solved.throughput * net.think_time
        assert held == pytest.approx(net.population, rel=1e-10)
        for chance in solved.marginals:
            assert not chance.size or chance.sum() == pytest.approx(1)

    def test_a_second_server_helps(self):
        rates = [mva.exact_mva(repair_shop(10, c)).throughput[0] for c in (1, 2, 3, 10)]
        assert rates == sorted(rates)
        assert rates[-1] == pytest.approx(10 / 10)

    def test_compiled_is_the_same_as_plain(self, monkeypatch):
        net = repair_shop(40, 3)
        plain = convolution.convolution_algorithm(net)
        monkeypatch.setattr("perfmodel.compilation.WORTH_COMPILING", 1)
        assert_same(convolution.convolution_algorithm(net), plain, 1e-12)
