"""What the drawings of networks say and hold."""

import pytest

from perfmodel.queueing.network import drawings, recursion_tables, solver_comparison
from perfmodel.queueing.network.model import JobClass, Network, Station
from queueing.network.interactive_system import fake, terminals


def test_table():
    shown = drawings.comparison_table(
        solver_comparison.compare_solvers(terminals(), fake), "Terminals"
    )
    assert shown.text.startswith("Terminals: 7 rows of method")
    assert "0.1 to 0.2" in shown.html


def test_marks():
    plot = drawings.throughput_plot(terminals(), [1, 5, 10], fake)
    styles = {mark.name: mark.style for mark in plot.marks}
    assert styles["exact MVA"] == "line"
    assert styles["asymptotic bounds"] == "band"
    assert styles["Linearizer"] == "dashed"
    assert styles["simulation"] == "points"


def test_the_saturated_network_is_said_to_be():
    says = drawings.throughput_plot(terminals(), [1, 500]).says
    assert says.startswith("With 500 jobs the throughput is 0.4762 1/s, 100.0 %")


def test_two_classes_are_refused():
    jobs = [JobClass("a", population=1), JobClass("b", population=1)]
    with pytest.raises(ValueError, match=r"classes must be one closed class.*\['a', 'b'\]"):
        drawings.throughput_plot(Network([Station("cpu")], jobs, [1]), [1])


def test_a_recursion_is_shown_with_its_caption():
    steps = recursion_tables.mva_table(terminals(2, think=4.0))
    text = drawings.recursion_table(steps).text
    assert text.startswith("Exact MVA with a think time of 4 s: 2 rows of n, R cpu (s)")
