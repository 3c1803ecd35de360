"""One network by all solvers: bounds enclose, methods that don't apply stay out."""

import pytest
from hypothesis import given, strategies as st

from perfmodel.queueing.network import solver_comparison
from perfmodel.queueing.network.model import JobClass, Network, Station
from queueing.network.interactive_system import fake, terminals


class TestCompare:
    @given(st.integers(1, 40), st.floats(0, 30), st.tuples(st.floats(0.05, 3), st.floats(0.05, 3)))
    def test_bounds_enclose_the_exact_value(self, population, think, demand):
        rows = solver_comparison.compare_solvers(terminals(population, think, demand))
        exact = next(row for row in rows if row.exact)
        low, high = exact.throughput_low, exact.throughput_high
        for row in rows:
            if "bounds" in row.method:
                assert row.throughput_low <= low * (1 + 1e-9)
                assert row.throughput_high >= high * (1 - 1e-9)
                assert row.response_low <= exact.response_low * (1 + 1e-9)
                assert row.response_high >= exact.response_high * (1 - 1e-9)

    def test_methods(self):
        names = [row.method for row in solver_comparison.compare_solvers(terminals(), fake)]
        assert names == [
            "asymptotic bounds",
            "balanced job bounds",
            "geometric bounds",
            "exact MVA",
            "Bard-Schweitzer",
            "Linearizer",
            "simulation",
        ]

    def test_an_open_network_has_one_solver(self):
        net = Network([Station("cpu")], [JobClass("u", 1)], [0.5])
        (row,) = solver_comparison.compare_solvers(net)
        assert (row.method, row.response_low) == ("BCMP, open", 1.0)

    def test_load_dependent_stations_leave_approximations_out(self):
        net = Network([Station("cpu", speeds=(1, 2))], [JobClass("u", population=2)], [0.5])
        assert [row.method for row in solver_comparison.compare_solvers(net)] == ["convolution"]

    def test_too_big_leaves_exact_out(self):
        classes = [JobClass(f"c{j}", population=400) for j in range(5)]
        net = Network([Station("cpu", discipline="PS")], classes, [1.0])
        assert {row.method for row in solver_comparison.compare_solvers(net)} == {
            "Bard-Schweitzer",
            "Linearizer",
        }

    def test_routing_is_kept_when_the_population_changes(self):
        users = JobClass("users", population=1)
        ring = Network([Station("a"), Station("b")], [users], [1, 1], routing=[[0.2, 0.8], [1, 0]])
        more = solver_comparison.with_population(ring, 4)
        assert more.visits == pytest.approx(ring.visits)
        assert more.population.tolist() == [4]
