"""One network by all solvers: bounds enclose, methods that don't apply stay out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfmodel.queueing.network import solvers
from perfmodel.queueing.network.model import JobClass, Network, Station


def terminals(population=5, think=15.0, demand=(0.605, 2.1)):
    users = JobClass("users", population=population, think_time=think)
    stations = [Station("cpu"), Station("disk"), Station("late", discipline="delay")]
    return Network(stations, [users], [*demand, 1.0])


def fake(network):
    return [((0.1, 0.2), (3.0, 4.0))] * len(network.classes)


class TestCompare:
    @given(st.integers(1, 40), st.floats(0, 30), st.tuples(st.floats(0.05, 3), st.floats(0.05, 3)))
    def test_bounds_enclose_the_exact_value(self, population, think, demand):
        rows = solvers.compare(terminals(population, think, demand))
        exact = next(row for row in rows if row.exact)
        low, high = exact.throughput_low, exact.throughput_high
        for row in rows:
            if "bounds" in row.method:
                assert row.throughput_low <= low * (1 + 1e-9)
                assert row.throughput_high >= high * (1 - 1e-9)
                assert row.response_low <= exact.response_low * (1 + 1e-9)
                assert row.response_high >= exact.response_high * (1 - 1e-9)

    def test_methods(self):
        names = [row.method for row in solvers.compare(terminals(), fake)]
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
        (row,) = solvers.compare(net)
        assert (row.method, row.response_low) == ("BCMP, open", 1.0)

    def test_load_dependent_stations_leave_approximations_out(self):
        net = Network([Station("cpu", speeds=(1, 2))], [JobClass("u", population=2)], [0.5])
        assert [row.method for row in solvers.compare(net)] == ["convolution"]

    def test_too_big_leaves_exact_out(self):
        classes = [JobClass(f"c{j}", population=400) for j in range(5)]
        net = Network([Station("cpu", discipline="PS")], classes, [1.0])
        assert {row.method for row in solvers.compare(net)} == {"Bard-Schweitzer", "Linearizer"}

    def test_table(self):
        shown = solvers.table(solvers.compare(terminals(), fake), "Terminals")
        assert shown.text.startswith("Terminals: 7 rows of method")
        assert "0.1 to 0.2" in shown.html


class TestPlot:
    def test_marks(self):
        plot = solvers.plot(terminals(), [1, 5, 10], fake)
        styles = {mark.name: mark.style for mark in plot.marks}
        assert styles["exact MVA"] == "line"
        assert styles["asymptotic bounds"] == "band"
        assert styles["Linearizer"] == "dashed"
        assert styles["simulation"] == "points"

    def test_the_saturated_network_is_said_to_be(self):
        says = solvers.plot(terminals(), [1, 500]).says
        assert says.startswith("With 500 jobs the throughput is 0.4762 1/s, 100.0 %")

    def test_routing_is_kept_when_the_population_changes(self):
        users = JobClass("users", population=1)
        ring = Network([Station("a"), Station("b")], [users], [1, 1], routing=[[0.2, 0.8], [1, 0]])
        more = solvers.with_population(ring, 4)
        assert more.visits == pytest.approx(ring.visits)
        assert more.population.tolist() == [4]

    def test_two_classes_are_refused(self):
        jobs = [JobClass("a", population=1), JobClass("b", population=1)]
        with pytest.raises(ValueError, match=r"classes must be one closed class.*\['a', 'b'\]"):
            solvers.plot(Network([Station("cpu")], jobs, [1]), [1])
