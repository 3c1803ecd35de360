"""Several servers whose service has phases: how many of the busy ones are in each.

Servers are identical, so only the counts matter: with c of them and m phases there are (c + m - 1)!
/ (c! (m - 1)!) ways to be busy.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np

from perfmodel.queueing.distributions.phase_type import PhaseType
from perfmodel.validation import Floats

_MOST_SERVERS, _MOST_STATES = 1000, 200


def refuse_many(servers: int, service: PhaseType, arrival_phases: int) -> None:
    """Refuse servers and phases whose chain would take minutes.

    >>> refuse_many(30, PhaseType.erlang(1.0, 8), 1)
    Traceback (most recent call last):
        ...
    ValueError: servers and phases must give at most 200 ways to be busy, got 10295472 with ...
    """
    phases = service.start.size
    ways = comb(servers + phases - 1, phases - 1) * arrival_phases
    if servers > _MOST_SERVERS:
        raise ValueError(f"servers must be at most {_MOST_SERVERS}, got {servers}")
    if ways > _MOST_STATES:
        raise ValueError(
            f"servers and phases must give at most {_MOST_STATES} ways to be busy, got {ways} with "
            f"{servers} servers, {phases} phases of service and {arrival_phases} of arrivals"
        )


def starting(service: PhaseType, busy: int) -> Floats:
    """Return the chances of each state with one more server busy, shape (states, more states).

    >>> print(starting(PhaseType.hyperexponential(1.0, 1.0), 1))
    [[0.5 0.5 0. ]
     [0.  0.5 0.5]]
    """
    here, after = _places(service.start.size, busy), _places(service.start.size, busy + 1)
    chances = np.zeros((len(here), len(after)))
    for counts, row in here.items():
        for phase, chance in enumerate(service.start):
            chances[row, after[_changed(counts, phase, 1)]] = chance
    return chances


def ending(service: PhaseType, busy: int) -> Floats:
    """Return the rates to each state with one server less busy, in 1/s.

    >>> print(ending(PhaseType.exponential(0.5), 3))
    [[6.]]
    """
    here, after = _places(service.start.size, busy), _places(service.start.size, busy - 1)
    rates, exits = np.zeros((len(here), len(after))), service.exits
    for counts, row in here.items():
        for phase, servers in enumerate(counts):
            if servers:
                rates[row, after[_changed(counts, phase, -1)]] = servers * exits[phase]
    return rates


def moving(service: PhaseType, busy: int) -> Floats:
    """Return the rates between states of `busy` servers in 1/s, all ways out on the diagonal.

    >>> print(moving(PhaseType.erlang(1.0, 2), 1))
    [[-2.  2.]
     [ 0. -2.]]
    """
    places = _places(service.start.size, busy)
    rates = np.zeros((len(places), len(places)))
    for counts, row in places.items():
        for phase, servers in enumerate(counts):
            for onward, rate in enumerate(service.generator[phase]):
                if servers and rate:
                    moved = _changed(_changed(counts, phase, -1), onward, 1)
                    rates[row, places[moved]] += servers * rate
    return rates


def _places(phases: int, busy: int) -> dict[tuple[int, ...], int]:
    """Number the states: how many of the busy servers are in each phase."""
    return {counts: place for place, counts in enumerate(_splits(phases, busy))}


def _splits(phases: int, busy: int) -> Iterator[tuple[int, ...]]:
    if phases == 1:
        yield (busy,)
        return
    for here in range(busy, -1, -1):
        for others in _splits(phases - 1, busy - here):
            yield (here, *others)


def _changed(counts: tuple[int, ...], phase: int, by: int) -> tuple[int, ...]:
    return (*counts[:phase], counts[phase] + by, *counts[phase + 1 :])
