"""What `simulate` hands back: intervals for the comparison of solvers, tables, what is missing."""

import pytest

from perfmodel.queueing.distributions.service import Deterministic
from perfmodel.queueing.network import mva
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation.simulate import simulate, simulated_intervals


def test_intervals_hold_the_exact_values_of_each_class():
    clips = JobClass("clips", population=20, think_time=30.0)
    batch = JobClass("batch", population=10)
    stations = [Station("cpu", discipline="PS"), Station("link", discipline="PS")]
    network = Network(stations, [clips, batch], [[0.15, 0.95], [1.0, 0.08]])
    exact = mva.exact_mva(network)
    by_class = simulated_intervals(network)
    assert len(by_class) == 2
    for (rate, time), x, r in zip(by_class, exact.throughput, exact.response_time, strict=True):
        assert rate[0] < x < rate[1]
        assert time[0] < r < time[1]


def test_a_result_is_a_table_with_units_and_intervals():
    users = [JobClass("users", arrival_rate=0.5)]
    web = Network([Station("web"), Station("unused")], users, [[0.5, 1.0]], visits=[[1, 0]])
    run = simulate(web, 3000, 1, percentiles=[95], progress=False)
    shown = repr(run).splitlines()
    assert shown[0].startswith("event simulation: 3,000 customers, seed 1, 95 % intervals, ")
    assert shown[1].split() == (
        ["class", "station", "throughput", "(1/s)", "utilization", "jobs", "time", "(s)"]
    )
    assert "unused" not in repr(run)
    assert [row.split()[1] for row in shown[2:]] == ["web", "all", "95"]
    value, low, high = (
        f"{e[0]:.4g}"
        for e in (run.response_time.value, run.response_time.low, run.response_time.high)
    )
    assert shown[3].endswith(f"{value} [{low}, {high}]")
    assert run._repr_html_().startswith("<table><caption>event simulation")


def test_a_measure_without_an_interval_says_so_and_how_long_a_run_must_be():
    web = Network([Station("web")], [JobClass("users", arrival_rate=0.9)], [1.0])
    run = simulate(web, 2000, 1, progress=False)
    assert "(no interval)" in repr(run)
    assert repr(run).splitlines()[-1] == run.warning
    assert run.customers_needed["response_time"] == pytest.approx(64_800, rel=0.05)
    assert run.customers_needed["response_percentiles"] == pytest.approx(648_000, rel=0.05)
    assert "(about 6" in run.warning


def test_values_alone_are_not_said_to_be_solved_as_exponential():
    web = Network([Station("web")], [JobClass("users", 0.5)], [[Deterministic(1.0)]])
    assert "exponential" not in simulate(web, 5000, progress=False).solution().warning
