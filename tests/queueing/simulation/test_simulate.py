"""Simulated intervals in the form that the comparison of solvers takes."""

from perfmodel.queueing.network import mva
from perfmodel.queueing.network.model import JobClass, Network, Station
from perfmodel.queueing.simulation.simulate import simulated_intervals


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
