"""Chains: classes between which jobs switch, taken together, and what each asks of the stations.

A job keeps its chain for ever. The jobs of a chain are counted together, those of one of its
classes are not: they come and go as jobs change class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse.csgraph import connected_components

from perfmodel.queueing.network.elements import JobClass
from perfmodel.queueing.network.routing import (
    checked_route,
    cyclic_route,
    reachable,
    visit_ratios,
)
from perfmodel.queueing.network.switching.pairs import Pairs
from perfmodel.validation import Floats


@dataclass(frozen=True, eq=False)
class Chain:
    """Classes between which jobs switch."""

    job: JobClass
    """All jobs of the chain, under the name of the first class in which jobs begin."""
    members: np.ndarray
    """Numbers of the classes."""
    visits: Floats
    """Visits in each class to each station per job or cycle, shape (members, stations)."""


def chains_of(
    pairs: Pairs, classes: Sequence[JobClass | str], matrix: Floats, starts: Sequence[int]
) -> list[Chain]:
    """Return the chains in the order of their first classes.

    `classes` has a name where jobs only switch into the class; `matrix` the probabilities of going
    from pair to pair, shape (pairs, pairs); `starts` the pair at which jobs of each class begin.
    Refused by class and station are a class that is never reached, a chain that is part open and
    part closed, and a route that can't be walked.
    """
    stations = len(pairs.stations)
    begins = np.zeros(len(matrix))
    for job, start in zip(classes, starts, strict=True):
        begins[start] += isinstance(job, JobClass)
    reached = reachable(begins, matrix)
    _check_reached(pairs, reached.reshape(-1, stations))
    walked = np.where(reached[:, None], matrix, 0.0)
    shape = len(classes), stations
    switches = (walked > 0).reshape(*shape, *shape).any(axis=(1, 3))
    count, chain_of = connected_components(switches, directed=False)
    members = [np.flatnonzero(chain_of == c) for c in range(count)]
    return [_chain(pairs, classes, walked, starts, together) for together in members]


def _check_reached(pairs: Pairs, reached: np.ndarray) -> None:
    for name, places in zip(pairs.classes, reached, strict=True):
        if not places.any():
            raise ValueError(
                f"class {name!r} must be a JobClass or be reached by a route from one, got neither"
            )


def _chain(
    pairs: Pairs,
    classes: Sequence[JobClass | str],
    matrix: Floats,
    starts: Sequence[int],
    members: np.ndarray,
) -> Chain:
    begin = [(classes[m], starts[m]) for m in members if isinstance(classes[m], JobClass)]
    jobs = [job for job, _ in begin if isinstance(job, JobClass)]
    job, weights = _together(jobs)
    if not job.is_open:
        _, matrix = cyclic_route(matrix, begin[0][1])
    everywhere, entry = np.zeros(len(matrix)), np.zeros(len(matrix))
    for (_, start), weight in zip(begin, weights, strict=True):
        everywhere[start] += 1 / len(begin)
        entry[start] += weight
    checked_route(job.name, pairs.shown, everywhere, matrix)
    visits = visit_ratios(entry, matrix).reshape(-1, len(pairs.stations))
    return Chain(job, members, visits[members])


def _together(jobs: Sequence[JobClass]) -> tuple[JobClass, list[float]]:
    """Return the classes of a chain as one, and the share of jobs or cycles that begin in each.

    A closed chain's cycles begin in its first class; a job that leaves comes back as that.
    """
    first, *others = jobs
    names = [job.name for job in jobs]
    if any(job.is_open != first.is_open for job in others):
        raise ValueError(f"classes {names} switch into each other: must be all open or all closed")
    if first.is_open:
        rate = sum(job.arrival_rate or 0.0 for job in jobs)
        return replace(first, arrival_rate=rate), [(j.arrival_rate or 0.0) / rate for j in jobs]
    for job in others:
        if job.think_time:
            raise ValueError(
                f"think_time of class {job.name!r} must be 0, as cycles of its chain begin with "
                f"class {first.name!r}, got {job.think_time!r}: use a delay station"
            )
    people = sum(job.population or 0 for job in jobs)
    return replace(first, population=people), [1.0] + [0.0] * len(others)
