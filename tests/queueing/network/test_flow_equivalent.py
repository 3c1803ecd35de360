"""Flow equivalence is exact in product-form networks; limits and layers against Markov chains."""

import pytest

from perfmodel.queueing.network import flow_equivalent, markov_chain, mva
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
