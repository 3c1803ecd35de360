"""Routes of jobs through a network: how often a job visits each station before it leaves.

A route is an `entry` vector (where a job starts) and a matrix whose row i says where a job goes
after station i; what a row lacks to 1 is the probability of leaving. A closed class's job that
leaves has finished a cycle: it thinks and enters again.

>>> entry, matrix = np.array([1.0, 0.0]), np.array([[0.0, 0.5], [1.0, 0.0]])
>>> print(visit_ratios(entry, matrix))
[2. 1.]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.queueing.distributions.elimination import fundamental_matrix
from perfmodel.validation import Floats, finite, sample, within

ROUNDING = 1e-9


def visit_ratios(entry: Floats, matrix: Floats) -> Floats:
    """Return the mean visits that a job pays to each station, solving v = entry + v P.

    Parameters
    ----------
    entry : ndarray, shape (stations,)
        Probabilities of starting at each station.
    matrix : ndarray, shape (stations, stations)
        Probabilities of going from row to column; a row may sum to less than 1.

    Returns
    -------
    ndarray, shape (stations,)
        Visits per job (open class) or per cycle (closed class); 0 for a station never reached.

    Raises
    ------
    ValueError
        If the shapes do not fit, a probability is out of range, or a job could not leave.

    References
    ----------
    J. R. Jackson, Operations Research 5(4), 1957, traffic equations.
    """
    entry, matrix = within("entry", sample("entry", entry), 0, 1), finite("matrix", matrix)
    if matrix.shape != (entry.size, entry.size):
        raise ValueError(
            f"matrix must have shape {entry.size, entry.size} as entry, got {matrix.shape}"
        )
    within("matrix", matrix, 0, 1 + ROUNDING)
    reached = reachable(entry, matrix)
    if (reached & ~_can_leave(matrix)).any():
        raise ValueError(f"matrix must let every job leave, got {matrix.tolist()}")
    inner = matrix[np.ix_(reached, reached)]
    visits = np.zeros(entry.size)
    leave = 1 - matrix[reached].sum(axis=1)
    exits = np.where(leave > ROUNDING, leave, 0.0)
    visits[reached] = entry[reached] @ fundamental_matrix(inner, exits)
    return visits


def reachable(start: Floats, matrix: Floats) -> np.ndarray:
    """Return which stations a job can reach from where `start` is positive, as booleans.

    >>> print(reachable(np.array([1.0, 0.0]), np.zeros((2, 2))))
    [ True False]
    """
    seen = fresh = np.asarray(start) > 0
    while fresh.any():
        fresh = (matrix[fresh] > 0).any(axis=0) & ~seen
        seen = seen | fresh
    return seen


def checked_route(
    job: str, stations: Sequence[str], entry: Floats, matrix: Floats
) -> tuple[Floats, Floats]:
    """Return `entry` and `matrix` when a job can start, move and leave; otherwise refuse them.

    Raises `ValueError` if a probability is outside [0, 1], the entry does not sum to 1, a row sums
    to more than 1, or a station that is reached never lets a job leave; names the class and the
    station.
    """
    _check_probabilities(job, stations, entry, matrix)
    stuck = reachable(entry, matrix) & ~_can_leave(matrix)
    if stuck.any():
        station = max(np.flatnonzero(stuck).tolist(), key=lambda k: float(matrix[k, k]))
        raise ValueError(
            f"routing of class {job!r} must let every job leave or return, got station "
            f"{stations[station]!r} with row {matrix[station].tolist()}, which absorbs it"
        )
    return entry, matrix


def cyclic_route(matrix: Floats, start: int = 0) -> tuple[Floats, Floats]:
    """Return the route of jobs that circle for ever: coming back to the `start` ends a cycle.

    >>> entry, matrix = cyclic_route(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> print(entry, matrix.tolist())
    [1. 0.] [[0.0, 1.0], [0.0, 0.0]]
    """
    entry = np.zeros(len(matrix))
    entry[start] = 1.0
    rows = reachable(entry, matrix)
    if np.all(matrix[rows].sum(axis=1) > 1 - ROUNDING):
        matrix = matrix.copy()
        matrix[:, start] = 0.0
    return entry, matrix


def route_of_visits(visits: Floats) -> tuple[Floats, Floats]:
    """Return a route that pays `visits`: in the order of stations, or at random if not 0 and 1.

    >>> entry, matrix = route_of_visits(np.array([2.0, 1.0]))
    >>> print(visit_ratios(entry, matrix))
    [2. 1.]
    """
    if np.isin(visits, (0.0, 1.0)).all():
        return _in_order(visits)
    total = visits.sum()
    if total < 1:
        raise ValueError(
            f"visits must sum to 1 or more to be walked as a route, got {visits.tolist()}"
        )
    return visits / total, np.tile(visits / total * (1 - 1 / total), (visits.size, 1))


def _in_order(visits: Floats) -> tuple[Floats, Floats]:
    entry, matrix = np.zeros(visits.size), np.zeros((visits.size, visits.size))
    path = np.flatnonzero(visits)
    entry[path[0]] = 1.0
    matrix[path[:-1], path[1:]] = 1.0
    return entry, matrix


def _can_leave(matrix: Floats) -> np.ndarray:
    leaves = (matrix.sum(axis=1) < 1 - ROUNDING).astype(float)
    return reachable(leaves, matrix.T)


def _check_probabilities(job: str, stations: Sequence[str], entry: Floats, matrix: Floats) -> None:
    for station, name in enumerate(stations):
        row = matrix[station]
        if (row < 0).any() or row.sum() > 1 + ROUNDING:
            raise ValueError(
                f"routing of class {job!r} from station {name!r} must be probabilities that sum "
                f"to at most 1, got {row.tolist()}"
            )
    if (entry < 0).any() or abs(entry.sum() - 1) > ROUNDING:
        raise ValueError(
            f"entry of class {job!r} must be probabilities that sum to 1, got {entry.tolist()}"
        )
