"""An interactive system that the tests of several modules solve, and a solver of fixed bounds."""

from perfmodel.queueing.network.model import JobClass, Network, Station


def terminals(population=5, think=15.0, demand=(0.605, 2.1)):
    users = JobClass("users", population=population, think_time=think)
    stations = [Station("cpu"), Station("disk"), Station("late", discipline="delay")]
    return Network(stations, [users], [*demand, 1.0])


def fake(network):
    return [((0.1, 0.2), (3.0, 4.0))] * len(network.classes)
