"""Closed networks with full stations, from the balance equations of their chain.

A job that is served at one machine needs a place at the next. Where there is none, a job holds the
machine until there is (blocking after service, as parts do in a line), or is served again and tries
again (repetitive service, as a packet that is sent until it is taken).

Sources: H. G. Perros, "Queueing Networks with Blocking", Oxford University Press, 1994; R. O.
Onvural, "Survey of closed queueing networks with blocking", ACM Computing Surveys 22(2), 1990; S.
Kundu and I. F. Akyildiz, "Deadlock free buffer allocation in closed queueing networks", Queueing
Systems 4, 1989 (the room that a cycle needs).
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from perfmodel.queueing.network.blocking.finite_capacity import (
    FiniteCapacityStations,
    check_deadlock,
    finite_capacity_stations,
    placements,
)
from perfmodel.queueing.network.blocking.solution import BlockingSolution
from perfmodel.queueing.network.blocking.transitions import hold_server, serve_again
from perfmodel.queueing.network.markov_chain import explore_chain
from perfmodel.queueing.network.markov_chain.iteration import iterated_state
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.network.product_form import product_form_violations
from perfmodel.queueing.network.solution import TooBigError
from perfmodel.validation import Floats, one_of, whole

Blocking = Literal["block", "repeat"]
_MOVES = {"block": hold_server, "repeat": serve_again}
_MOST_STATES, _MOST_WAITING = 1_000_000, 1000


def solve_blocking(
    network: Network, when_full: Blocking = "block", max_states: int = 50_000
) -> BlockingSolution:
    """Solve a closed network of one class whose stations hold a limited number of jobs.

    Parameters
    ----------
    network : Network
        One closed class without think time (add a delay station); FCFS or delay stations, of
        `capacity` jobs in all, waiting and in service, with exponential service.
    when_full : {"block", "repeat"}
        What a job does that finds its next station full: hold its server until there is room, the
        first to wait being let in first (blocking after service; `simulate` calls it so, too); or
        be served again, and then draw again where to go (repetitive service).
    max_states : int
        States to hold at most, up to a million; 30,000 take up to a minute.

    Returns
    -------
    BlockingSolution
        Exact for exponential service.

    Raises
    ------
    TooBigError
        If there are more states, or more than 1,000 jobs could hold servers at once.
    ValueError
        If the network is not of this kind, or jobs could block each other for ever: all servers of
        a cycle of full stations would wait for the next. The message says how many jobs may be.

    Examples
    --------
    >>> from perfmodel.queueing.network.model import JobClass, Network, Station
    >>> line = Network([Station("press", capacity=2), Station("oven", capacity=1)],
    ...                [JobClass("parts", population=2)], [1.0, 2.0])
    >>> solve_blocking(line)
    Markov chain of 3 states, blocking after service (exact)
    station  throughput (1/s)  utilization  blocked  queue length  time (s)  finds no room  full
    press    0.4286            0.4286       0.5714   1.143         2.667     0.6667         0.1429
    oven     0.4286            0.8571       0        0.8571        2         0              0.8571
    """
    one_of("when_full", when_full, get_args(Blocking))
    limit = whole("max_states", max_states, 1, _MOST_STATES)
    rooms, population = finite_capacity_stations(network), int(network.population[0])
    check_deadlock(network, rooms, holds=when_full == "block")
    if when_full == "block":
        _check_waiting(rooms, population)
    least = placements(rooms.capacity, population)
    if least > limit:
        raise TooBigError(
            f"the chain of {population} jobs has {least:.3g} states or more, above most_states, "
            f"{limit}: use the simulation"
        )
    move = _MOVES[when_full]
    chain = explore_chain(rooms.filled(population), lambda state: move(rooms, state), limit)
    jobs = np.array([state[0] for state in chain.states])
    held = np.array([rooms.blocked_servers(state[1]) for state in chain.states])
    return _measured(network, rooms, when_full, iterated_state(chain), jobs, held)


def _check_waiting(rooms: FiniteCapacityStations, population: int) -> None:
    """Refuse more jobs that hold servers than a state can list."""
    full = rooms.capacity[rooms.capacity < population]
    holders = np.minimum(rooms.servers, rooms.capacity).sum()
    waiting = min(population - full.min(), holders) if full.size else 0
    if waiting > _MOST_WAITING:
        raise TooBigError(
            f"at most {_MOST_WAITING} jobs may wait for room, each holding a server, but of a "
            f"population of {population} {waiting:g} could: use the simulation"
        )


def _measured(
    network: Network,
    rooms: FiniteCapacityStations,
    when_full: str,
    chance: Floats,
    jobs: np.ndarray,
    held: np.ndarray,
) -> BlockingSolution:
    full = jobs >= rooms.capacity
    serving = np.minimum(jobs, rooms.servers) - held
    elsewhere = rooms.routing * (1 - np.eye(rooms.rate.size))
    ended = chance @ serving * rooms.rate
    refused = chance @ (serving * (full @ elsewhere.T)) * rooms.rate
    let_in = chance @ (serving * (~full @ elsewhere.T + rooms.routing.diagonal())) * rooms.rate
    repeats = when_full == "repeat"
    blocked = refused / rooms.rate if repeats else chance @ held
    servers = np.where(np.isinf(rooms.servers), 1.0, rooms.servers)
    reasons = product_form_violations(network)
    kind = "repetitive service" if repeats else "blocking after service"
    return BlockingSolution(
        network=network,
        method=f"Markov chain of {len(chance)} states, {kind}",
        exact=not reasons,
        throughput=let_in if repeats else ended,
        utilization=(let_in if repeats else ended) / rooms.rate / servers,
        blocked=blocked,
        queue_length=chance @ jobs,
        blocking_probability=refused / ended,
        full_probability=chance @ full,
        warning="; ".join(reasons),
    )
