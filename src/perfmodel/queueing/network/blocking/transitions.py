"""How jobs move between stations with small buffers: where they can go, and where they are blocked.

>>> import numpy as np
>>> routing = np.array([[0.0, 1.0], [1.0, 0.0]])
>>> rooms = FiniteCapacityStations(np.ones(2), np.array([3.0, 1.0]), np.ones(2), routing)
>>> print([state for state, _ in hold_server(rooms, ((2, 1), ((), ())))])
[((2, 1), ((), (0,))), ((3, 0), ((), ()))]
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from perfmodel.queueing.network.blocking.finite_capacity import FiniteCapacityStations, State


def hold_server(stations: FiniteCapacityStations, state: State) -> Iterator[tuple[State, float]]:
    """Yield the next states and rates if a job holds its server until there is room for it."""
    jobs, waiting = state
    for i, held in enumerate(stations.blocked_servers(waiting)):
        rate = (min(jobs[i], stations.servers[i]) - held) * stations.rate[i]
        for j in np.flatnonzero(stations.routing[i]).tolist() if rate > 0 else ():
            if jobs[j] < stations.capacity[j]:
                after = _let_in(jobs, waiting, i, j)
            else:
                after = jobs, (*waiting[:j], (*waiting[j], i), *waiting[j + 1 :])
            yield after, rate * stations.routing[i, j]


def serve_again(stations: FiniteCapacityStations, state: State) -> Iterator[tuple[State, float]]:
    """Yield the next states and rates if a job that finds no room is served again, and then again.

    After each service it draws again where to go.
    """
    jobs, waiting = state
    for i, present in enumerate(jobs):
        rate = min(present, stations.servers[i]) * stations.rate[i]
        for j in np.flatnonzero(stations.routing[i]).tolist() if rate > 0 else ():
            if jobs[j] < stations.capacity[j]:
                yield _let_in(jobs, waiting, i, j), rate * stations.routing[i, j]


def _let_in(
    jobs: tuple[int, ...], waiting: tuple[tuple[int, ...], ...], origin: int, goal: int
) -> State:
    """Return the state after a job moved, and all that could thereby move in their turn."""
    present, queues = list(jobs), list(waiting)
    present[goal] += 1
    while queues[origin]:
        ahead, *rest = queues[origin]
        queues[origin] = tuple(rest)
        origin = ahead
    present[origin] -= 1
    return tuple(present), tuple(queues)
