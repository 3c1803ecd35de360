"""Flow equivalence is exact in product-form networks; limits and layers against Markov chains."""

import numpy as np
import pytest

from perfmodel.queueing.network import flow_equivalent, markov_chain, mva
from perfmodel.queueing.network.flow_equivalent import ServerLayer
from perfmodel.queueing.network.model import JobClass, Network, Station


def server(population, think=5.0):
    users = JobClass("users", population=population, think_time=think)
    return Network([Station("cpu"), Station("disk", servers=2)], [users], [0.5, 0.8])


class TestFlowEquivalence:
    def test_a_subsystem_replaced_changes_nothing_outside(self):
        jobs = JobClass("jobs", population=7, think_time=2)
        stations = [Station("web", servers=2), Station("cpu"), Station("disk")]
        whole = mva.exact_mva(Network(stations, [jobs], [0.7, 1.0, 1.3], visits=[1, 2, 1]))
        inner = Network(stations[1:], [jobs], [1.0, 1.3], visits=[2, 1])
        stand_in = flow_equivalent.flow_equivalent(inner)
        outer = mva.exact_mva(Network([stations[0], stand_in], [jobs], [0.7, 1.0]))
        assert outer.throughput == pytest.approx(whole.throughput, rel=1e-12)
        assert outer.queue_length[0, 0] == pytest.approx(whole.queue_length[0, 0], rel=1e-12)
        assert outer.queue_length[0, 1] == pytest.approx(whole.queue_length[0, 1:].sum(), rel=1e-12)

    def test_speeds_are_throughputs(self):
        speeds = flow_equivalent.flow_equivalent(server(6)).speeds
        expected = [mva.exact_mva(server(n, think=0)).throughput[0] for n in range(1, 7)]
        assert speeds == pytest.approx(expected, rel=1e-12)

    def test_several_classes_are_refused(self):
        jobs = [JobClass("a", population=1), JobClass("b", population=1)]
        with pytest.raises(ValueError, match=r"classes must be one.*\['a', 'b'\]"):
            flow_equivalent.flow_equivalent(Network([Station("cpu")], jobs, [1]))


class TestAdmissionLimit:
    def test_no_limit_is_the_network_itself(self):
        limited, free = flow_equivalent.admission_limit(server(10), 10), mva.exact_mva(server(10))
        assert limited.exact
        assert limited.throughput == pytest.approx(free.throughput, rel=1e-12)

    def test_one_at_a_time_is_a_single_server(self):
        solved = flow_equivalent.admission_limit(server(10), 1)
        alone = Network([Station("all")], server(10).classes, [1.3])
        assert solved.throughput == pytest.approx(mva.exact_mva(alone).throughput, rel=1e-12)
        assert not solved.exact

    def test_close_to_the_full_chain(self):
        """State: jobs at the CPU, at the disk, and waiting to be let in; three are let in."""
        think, people, limit = 5.0, 8, 3

        def moves(state):
            cpu, disk, waiting = state
            outside = people - cpu - disk - waiting
            full = cpu + disk == limit
            if outside:
                yield (cpu + (not full), disk, waiting + full), outside / think
            if cpu:
                yield (cpu - 1, disk + 1, waiting), 1 / 0.5
            if disk:
                enters = waiting > 0
                yield (cpu + enters, disk - 1, waiting - enters), min(disk, 2) / 0.8

        chain = markov_chain.explore_chain((0, 0, 0), moves)
        chance = markov_chain.steady_state(chain)
        rate = chain.mean(chance, lambda s: min(s[1], 2) / 0.8)
        solved = flow_equivalent.admission_limit(server(people, think), limit)
        assert solved.throughput[0] == pytest.approx(float(rate), rel=0.01)
        assert not solved.exact

    @pytest.mark.parametrize("limit", [1, 2, 5])
    def test_several_classes_are_refused(self, limit):
        """One class's speed would be given to all: too fast even against no limit at all."""
        jobs = [
            JobClass("people", population=3, think_time=5),
            JobClass("batch", population=2, think_time=10),
        ]
        both = Network([Station("cpu"), Station("disk")], jobs, [[0.5, 0.4], [1.0, 0.2]])
        with pytest.raises(ValueError, match=r"classes must be one.*limit.*\['people', 'batch'\]"):
            flow_equivalent.admission_limit(both, limit)

    def test_an_open_class_is_refused(self):
        open_jobs = Network([Station("cpu")], [JobClass("jobs", 0.5)], [1.0])
        with pytest.raises(ValueError, match="closed"):
            flow_equivalent.admission_limit(open_jobs, 2)

    def test_bad_limit(self):
        with pytest.raises(ValueError, match="limit must be a whole number, 1 or more, got 0"):
            flow_equivalent.admission_limit(server(3), 0)


class TestLayers:
    def test_ample_threads_are_a_plain_network(self):
        web = ServerLayer("web", 0.5, threads=12, processors=1, calls=2)
        base = ServerLayer("database", 0.4, threads=12, processors=2)
        solved = flow_equivalent.solve_layers([web, base], 12, think_time=5)
        users = JobClass("users", population=12, think_time=5)
        stations = [Station("web"), Station("database", servers=2)]
        plain = mva.exact_mva(Network(stations, [users], [0.5, 0.4], visits=[1, 2]))
        assert solved.throughput == pytest.approx(plain.throughput[0], rel=1e-12)
        assert solved.utilization == pytest.approx(plain.utilization[0], rel=1e-12)

    def test_one_thread_serialises_both_layers(self):
        web, base = (
            ServerLayer("web", 0.5, threads=1, calls=2),
            ServerLayer("database", 0.4, threads=1),
        )
        solved = flow_equivalent.solve_layers([web, base], 1000, think_time=5)
        assert solved.throughput == pytest.approx(1 / 1.3, rel=1e-9)

    def test_more_threads_help_until_processors_are_full(self):
        base = ServerLayer("database", 0.4, threads=50)
        rates = [
            flow_equivalent.solve_layers(
                [ServerLayer("web", 0.1, n, calls=1), base], 200
            ).throughput
            for n in (1, 2, 4, 40)
        ]
        assert rates == sorted(rates)
        assert rates[-1] == pytest.approx(1 / 0.4, rel=1e-3)

    def test_little(self):
        solved = flow_equivalent.solve_layers(
            [ServerLayer("web", 0.5, threads=3)], 20, think_time=4
        )
        assert solved.throughput * (solved.response_time + 4) == pytest.approx(20)
        assert solved.queue_length + 4 * solved.throughput == pytest.approx(20)
        assert solved.response_time - solved.waiting_time == pytest.approx(0.5)

    @pytest.mark.parametrize("layers", [[], [ServerLayer("web", 0.5, threads=3, calls=1)]])
    def test_a_chain_must_end(self, layers):
        with pytest.raises(ValueError, match="layers must end with one that makes no calls"):
            flow_equivalent.solve_layers(layers, 5)

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"service_time": 0}, "service_time of layer 'web' must be above 0"),
            ({"threads": 0}, "threads of layer 'web'.*got 0"),
            ({"processors": 1.5}, "processors of layer 'web'.*got 1.5"),
            ({"calls": -1}, "calls of layer 'web' must be 0 or more"),
        ],
    )
    def test_bad_layer(self, values, message):
        with pytest.raises(ValueError, match=message):
            ServerLayer(**{"name": "web", "service_time": 1.0, "threads": 2, **values})

    def test_processor_utilization_never_exceeds_one(self):
        rng = np.random.default_rng(3)
        for _ in range(10):
            web = ServerLayer(
                "web", rng.uniform(0.1, 1), int(rng.integers(1, 9)), 2, rng.uniform(0, 3)
            )
            base = ServerLayer("base", rng.uniform(0.1, 1), int(rng.integers(1, 9)), 1)
            busy = flow_equivalent.solve_layers([web, base], 60).utilization
            assert (busy <= 1 + 1e-12).all()
