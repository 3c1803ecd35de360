"""A network whose jobs change class, the ordinary network of its chains, and its solution.

>>> passes = SwitchingNetwork(
...     [Station("press")],
...     [JobClass("front", population=1), "back"],
...     service=[[2.0], [3.0]],
...     routing={
...         ("front", "press"): {("back", "press"): 1.0},
...         ("back", "press"): {("front", "press"): 1.0},
...     },
... )
>>> print(passes.chains.service_demand)
[[5.]]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.network.bcmp import bcmp
from perfmodel.queueing.network.elements import JobClass, Station
from perfmodel.queueing.network.model import Network, named_members
from perfmodel.queueing.network.product_form import product_form_violations
from perfmodel.queueing.network.solution import Solution
from perfmodel.queueing.network.switching.chains import Chain, chains_of
from perfmodel.queueing.network.switching.pairs import Pairs, Routes
from perfmodel.validation import Floats

_MOST_PAIRS = 2000


@dataclass(frozen=True, eq=False)
class SwitchingNetwork:
    """Stations, classes, and routes on which jobs change class.

    Parameters
    ----------
    stations : sequence of Station
    classes : sequence of JobClass or str
        A `JobClass` where jobs begin, a name where they only switch into the class. Populations
        and arrival rates of one chain add up; its cycles begin with its first `JobClass`, the only
        one with a think time.
    service : nested sequence, shape (classes, stations) or (stations,)
        As for `Network`.
    routing : dict of dict
        From a pair (class, station) to others, with probabilities; what these lack to 1 leaves the
        network, or ends a closed job's cycle. If none is lacking, coming back to where the chain's
        first class begins ends the cycle.
    entry : dict, optional
        The station at which jobs of a class begin; the first station if left out.

    Raises
    ------
    ValueError
        If anything is missing, out of range or unknown, if a class is never reached, if open and
        closed classes switch into each other, if a route absorbs jobs, or if there are more than
        2,000 pairs; the message names class and station.

    Examples
    --------
    >>> calls = SwitchingNetwork(
    ...     [Station("web")], [JobClass("first", arrival_rate=2), "retry"], service=[[0.2], [0.2]],
    ...     routing={("first", "web"): {("retry", "web"): 0.1}},
    ... )
    >>> print(calls.visits.tolist(), calls.chains.utilization.round(3))
    [[1.0], [0.1]] [[0.44]]
    """

    stations: Sequence[Station]
    classes: Sequence[JobClass | str]
    service: Sequence[Any] | ArrayLike
    routing: Routes
    entry: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what can't be walked or solved."""
        object.__setattr__(self, "stations", named_members("stations", self.stations))
        object.__setattr__(self, "classes", _checked_classes(self.classes))
        pairs = len(self.stations) * len(self.classes)
        if pairs > _MOST_PAIRS:
            raise ValueError(f"classes times stations must be at most {_MOST_PAIRS}, got {pairs}")
        _ = self.by_class

    @cached_property
    def _chains(self) -> list[Chain]:
        names = tuple(job if isinstance(job, str) else job.name for job in self.classes)
        pairs = Pairs(names, tuple(station.name for station in self.stations))
        return chains_of(pairs, self.classes, pairs.matrix(self.routing), pairs.starts(self.entry))

    @cached_property
    def chain_of(self) -> np.ndarray:
        """The number of each class's chain, shape (classes,)."""
        number = np.zeros(len(self.classes), dtype=np.intp)
        for c, chain in enumerate(self._chains):
            number[chain.members] = c
        return number

    @cached_property
    def visits(self) -> Floats:
        """Visits in each class per job or cycle of its chain, shape (classes, stations)."""
        paid = np.zeros((len(self.classes), len(self.stations)))
        for chain in self._chains:
            paid[chain.members] = chain.visits
        return paid

    @cached_property
    def by_class(self) -> Network:
        """The classes with the jobs of their chains and their own visits in a cycle of these.

        Its populations are those of chains, so that it is to be read, not to be solved.
        """
        jobs = []
        for job, c in zip(self.classes, self.chain_of, strict=True):
            name = job if isinstance(job, str) else job.name
            jobs.append(replace(self._chains[c].job, name=name))
        return Network(self.stations, jobs, self.service, self.visits)

    @cached_property
    def chains(self) -> Network:
        """The network of chains, which any solver of product forms takes."""
        size = (len(self._chains), len(self.stations))
        demand, visits = np.zeros(size), np.zeros(size)
        np.add.at(demand, self.chain_of, self.by_class.service_demand)
        np.add.at(visits, self.chain_of, self.visits)
        service = np.divide(demand, visits, out=np.zeros(size), where=visits > 0)
        return Network(self.stations, [chain.job for chain in self._chains], service, visits)


def solve_switching(
    network: SwitchingNetwork, solve: Callable[[Network], Solution] = bcmp
) -> Solution:
    """Solve a network whose jobs change class: by chains, whose results are then shared by class.

    Parameters
    ----------
    network : SwitchingNetwork
        Open, closed or mixed.
    solve : callable
        What solves the network of chains: `bcmp`, `exact_mva` or `convolution_algorithm`, all
        exact, or for large populations `linearizer` or `bard_schweitzer`.

    Returns
    -------
    Solution
        One row a class: `throughput` is that of its chain, in jobs or cycles per second, visits
        and `residence_time` are a job's in this class per cycle of the chain.

    Raises
    ------
    ValueError
        If `network` is no SwitchingNetwork, `solve` no function, or `solve` refuses the network.

    References
    ----------
    F. Baskett, K. M. Chandy, R. R. Muntz, F. G. Palacios, Journal of the ACM 22(2), 1975;
    S. C. Bruell, G. Balbo, Computational Algorithms for Closed Queueing Networks, 1980.

    Examples
    --------
    >>> calls = SwitchingNetwork(
    ...     [Station("web")], [JobClass("first", arrival_rate=2), "retry"], service=[[0.2], [0.2]],
    ...     routing={("first", "web"): {("retry", "web"): 0.1}},
    ... )
    >>> print(solve_switching(calls).residence_time.round(4).tolist())
    [[0.3571], [0.0357]]
    """
    if not isinstance(network, SwitchingNetwork):
        raise ValueError(f"network must be a SwitchingNetwork, got {network!r}")
    if not callable(solve):
        raise ValueError(f"solve must be a function such as bcmp, got {solve!r}")
    solved, chain_of = solve(network.chains), network.chain_of
    if not isinstance(solved, Solution):
        raise ValueError(f"solve must return a Solution, as bcmp does, got {solved!r}")
    demand, total = network.by_class.service_demand, network.chains.service_demand[chain_of]
    share = np.divide(demand, total, out=np.zeros_like(demand), where=total > 0)
    reasons = product_form_violations(network.by_class)
    warnings = [*_own_warnings(solved), *reasons]
    return replace(
        solved,
        network=network.by_class,
        method=f"{solved.method} of chains",
        exact=solved.exact and not reasons,
        throughput=solved.throughput[chain_of],
        residence_time=share * solved.residence_time[chain_of],
        warning="; ".join(warnings),
    )


def _own_warnings(solved: Solution) -> list[str]:
    """Return a solver's warning, except for product forms: classes decide them, not chains."""
    known = product_form_violations(solved.network)
    return [part for part in solved.warning.split("; ") if part and part not in known]


def _checked_classes(classes: object) -> tuple[JobClass | str, ...]:
    held = tuple(classes) if isinstance(classes, list | tuple) else ()
    names = [job if isinstance(job, str) else getattr(job, "name", "") for job in held]
    fine = all(isinstance(job, JobClass | str) for job in held) and all(map(str.strip, names))
    if not held or not fine or len(set(names)) < len(names):
        raise ValueError(
            f"classes must be one or more JobClass or words, of different names, got {classes!r}"
        )
    return held
