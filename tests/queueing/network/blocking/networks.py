"""Closed networks with little room that the tests of blocking share."""

import numpy as np

from perfmodel.queueing.network.model import JobClass, Network, Station


def closed(capacity, service, population, routing=None, servers=None):
    """Return a closed network, a cycle in the stations' order where no routing is given."""
    many = servers or [1] * len(capacity)
    stations = [
        Station(name, servers=count, capacity=room)
        for name, room, count in zip("abcdefgh", capacity, many, strict=False)
    ]
    cycle = np.roll(np.eye(len(capacity)), 1, axis=1) if routing is None else routing
    return Network(stations, [JobClass("j", population=population)], service, routing=cycle)


def star(capacity, service, population, shares, servers=None):
    """Return a network whose jobs go from the first station to one of the others, and back."""
    size = len(capacity)
    routing = np.zeros((size, size))
    routing[0, 1:], routing[1:, 0] = shares, 1.0
    return closed(capacity, service, population, routing, servers)
