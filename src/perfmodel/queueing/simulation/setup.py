"""From a network to the flat arrays of the event core."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any

import numpy as np

from perfmodel.engine.fields import NONE
from perfmodel.queueing.network.elements import Station
from perfmodel.queueing.network.model import Network
from perfmodel.queueing.simulation.options import Options
from perfmodel.queueing.simulation.state import (
    BY_LATEST,
    BY_PRIORITY,
    BY_REMAINING,
    BY_SIZE,
    FIFO,
    GENERAL,
    LEVELS,
    RANDOM,
    RANKED,
    SHARED,
    Plan,
)
from perfmodel.validation import Floats

# order, rank and whether it preempts, by discipline
DISCIPLINES = {
    "FCFS": (FIFO, 0, 0),
    "delay": (SHARED, 0, 0),
    "PS": (SHARED, 0, 0),
    "LCFS-PR": (RANKED, BY_LATEST, 1),
    "SJF": (RANKED, BY_SIZE, 0),
    "PSJF": (RANKED, BY_SIZE, 1),
    "SRPT": (RANKED, BY_REMAINING, 1),
    "FB": (LEVELS, 0, 0),
    "priority": (RANKED, BY_PRIORITY, 0),
    "preemptive": (RANKED, BY_PRIORITY, 1),
}
THINK = Station("think", discipline="delay")
UNLIMITED = 2**60


def plan_of(
    network: Network, options: Options, customers: int, sampled: bool, loop: int = GENERAL
) -> Plan:
    """Return the event core's plan of a run of `customers` jobs or cycles."""
    thinks = bool((network.think_time > 0).any())
    stations = [*network.stations, *([THINK] if thinks else [])]
    names = [s.name for s in network.stations]
    batches = [options.batches.get(s.name) if s is not THINK else None for s in stations]
    factors = [b.factors() if b else (1.0,) for b in batches]
    branches = [[names.index(b) for b in options.forks.get(s.name, ())] for s in stations]
    speed, hop, odds = _speeds(stations), *_hops(network, options, len(stations))
    column, columns = _columns(network, options, len(stations), sampled)
    nodes, classes = len(stations), len(network.classes)
    rows = max(200, min(1000, 2_000_000 // (8 * classes * (nodes + 1))))
    groups = [[names.index(name) for name in d.stations] for d in options.dispatch]
    order, rank, preempts = np.array([DISCIPLINES[s.discipline] for s in stations]).T.copy()
    made: dict[str, Any] = {
        "nodes": nodes,
        "classes": classes,
        "depth": speed.shape[1],
        "target": customers,
        "every": max(1, customers // rows),
        "trail_rows": rows,
        "largest_batch": max(map(len, factors)),
        "loses": int(options.when_full == "lose"),
        "dispatches": int(bool(options.dispatch)),
        "loop": loop,
        "population": network.classes[0].population or 0,
        "columns": columns,
        "column_size": 0,
        "column_full": 0,
        "slots": 0,
        "order": order,
        "rank": rank,
        "preempts": preempts,
        "limit": np.array(
            [UNLIMITED if order[i] == SHARED else s.servers for i, s in enumerate(stations)]
        ),
        "capacity": np.array([min(s.capacity, UNLIMITED) for s in stations]).astype(np.int64),
        "varies": np.array([_varies(s) for s in stations], dtype=np.int64),
        "speed": speed.ravel(),
        "hop": hop.ravel(),
        "odds": odds.ravel(),
        "priority": np.array([c.priority for c in network.classes]),
        "closed": (~network.is_open).astype(np.int64),
        "think": np.where(network.think_time > 0, nodes - 1, NONE),
        "column": column,
        "fork": np.array([0, *accumulate(map(len, branches))]),
        "branch": np.array([b for row in branches for b in row] or [NONE]),
        "most": np.array([b.max_size if b else 1 for b in batches]),
        "least": np.array([b.min_size if b else 1 for b in batches]),
        "group": _groups(groups, nodes),
        "looks": np.array([d.num_choices for d in options.dispatch] or [0]),
        "member": np.array([station for row in groups for station in row] or [NONE]),
        "members": np.array([0, *accumulate(map(len, groups))]),
        "stretch": _filled(factors).ravel(),
    }
    return Plan(**made)


def _groups(groups: list[list[int]], nodes: int) -> np.ndarray:
    group_of = np.full(nodes, NONE)
    for number, members in enumerate(groups):
        group_of[members] = number
    return group_of


def _varies(station: Station) -> bool:
    return station.discipline in ("PS", "FB") or bool(station.speeds)


def _speeds(stations: list[Station]) -> Floats:
    tables = [s.speeds or tuple(range(1, s.servers + 1)) for s in stations]
    return _filled(
        [
            tuple(map(float, t)) if _varies(s) else (1.0,)
            for s, t in zip(stations, tables, strict=True)
        ]
    )


def _filled(rows: list[tuple[float, ...]]) -> Floats:
    """Return the rows as one array, short ones going on with their last value."""
    width = max(map(len, rows))
    return np.array([[*row, *[row[-1]] * (width - len(row))] for row in rows], dtype=np.float64)


def _hops(network: Network, options: Options, nodes: int) -> tuple[np.ndarray, Floats]:
    """Return next nodes, (classes, nodes + 1), and cumulated odds, (classes, nodes + 1, nodes)."""
    stations = len(network.stations)
    probability = np.zeros((len(network.classes), nodes + 1, nodes))
    for job in range(len(network.classes)):
        entry, matrix = options.route(network, job)
        probability[job, :stations, :stations] = matrix
        probability[job, nodes, :stations] = entry
    total = probability.sum(axis=2)
    hop = np.where(total < 1e-12, NONE, RANDOM)
    sure = probability.max(axis=2) > 1 - 1e-9
    hop[sure] = probability.argmax(axis=2)[sure]
    odds = probability.cumsum(axis=2)
    odds[total > 1 - 1e-9, -1] = math.inf
    last = nodes - 1 - np.argmax(probability[:, :, ::-1] > 0, axis=2)
    for job, row in np.argwhere(total > 1 - 1e-9):
        odds[job, row, last[job, row] :] = math.inf
    return hop, odds


def _columns(
    network: Network, options: Options, nodes: int, sampled: bool
) -> tuple[np.ndarray, int]:
    """Return where each row of the tally is sampled; the response of a one-stop class once."""
    classes = len(network.classes)
    column = np.full(classes * (nodes + 1), NONE)
    used = 0
    for job, visits in enumerate(options.visits(network) if sampled else []):
        for node in np.flatnonzero(visits):
            column[node * classes + job] = used
            used += 1
        if not one_stop(network, options, job):
            column[nodes * classes + job] = used
            used += 1
    return column, max(used, 1)


def one_stop(network: Network, options: Options, job: int) -> bool:
    """Tell whether a class visits one station, once, so that both response times are one."""
    visits = options.visits(network)[job]
    hops = options.walked(network)[job]
    return bool(np.count_nonzero(visits) == 1 and hops.max() == 1)
