"""MAP/PH/c by matrix-geometric methods: exact means and percentiles of bursty queues.

The number of jobs and the phases of arrivals and of the busy servers form a Markov chain whose
levels repeat once all servers are busy. From there the steady state falls off as the powers of a
matrix R, found here by logarithmic reduction: it takes a dozen steps where the utilization is 0.99.

Sources: M. F. Neuts, "Matrix-Geometric Solutions in Stochastic Models", Johns Hopkins, 1981; G.
Latouche and V. Ramaswami, "A logarithmic reduction algorithm for quasi-birth-death processes",
J. Applied Probability 30(3), 1993.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from perfmodel.queueing.distributions.phase_forms import arrivals_of, phase_type_of
from perfmodel.queueing.distributions.phase_type import ArrivalProcess, PhaseType
from perfmodel.queueing.distributions.service import Service
from perfmodel.queueing.distributions.uniformisation import (
    mixed_quantile,
    mixed_tail,
    steps_needed,
)
from perfmodel.queueing.station.result import StationResult, stable
from perfmodel.queueing.station.server_phases import ending, moving, refuse_many, starting
from perfmodel.validation import Floats, non_negative, whole

_NEGLIGIBLE = 1e-13
_MOST_LEVELS = 20_000
_LONG, _ENDLESS = 1000, 1e9
"""Levels that an excursion above c jobs visits in the mean: where rounding shows, and where it
takes half of the digits."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PhaseQueue(StationResult):
    """A MAP/PH/c queue in its steady state, first come first served."""

    arrivals: ArrivalProcess
    service: PhaseType
    below: tuple[Floats, ...]
    """Probabilities with 0, 1, ... c - 1 jobs present, of the phases of arrivals and servers."""
    first: Floats
    """Those with c jobs present: arrival phases times ways in which the servers are busy."""
    growth: Floats
    """R: with c + n jobs present the probabilities are first R^n."""

    @property
    def servers(self) -> int:
        """Number of servers c."""
        return len(self.below)

    def number_probabilities(self, length: int) -> Floats:
        """Return the probabilities of 0, 1, ... jobs present, `length` of them."""
        levels, present = [level.sum() for level in self.below], self.first
        for _ in range(whole("length", length, 1) - self.servers):
            levels.append(present.sum())
            present = present @ self.growth
        return np.array(levels[: int(length)])

    def waiting_tail(self, time: ArrayLike) -> Floats:
        """Return P(waiting time > t) of an arriving job, t in seconds."""
        t = non_negative("time", time)
        return mixed_tail(t, *self._waiting_steps(float(np.max(t))))

    def waiting_quantile(self, probability: ArrayLike) -> Floats:
        """Return the waiting time that a share `probability` of the jobs stays within."""
        return mixed_quantile(self._waiting_steps, probability, float(self.waiting_time))

    def response_tail(self, time: ArrayLike) -> Floats:
        """Return P(response time > t) of an arriving job, t in seconds."""
        t = non_negative("time", time)
        return mixed_tail(t, *self._response_steps(float(np.max(t))))

    def response_quantile(self, probability: ArrayLike) -> Floats:
        """Return the response time that a share `probability` of the jobs stays within."""
        return mixed_quantile(self._response_steps, probability, float(self.response_time))

    def _waiting_steps(self, horizon: float) -> tuple[float, Floats]:
        pace, waiting, _ = self._steps(horizon)
        return pace, waiting

    def _response_steps(self, horizon: float) -> tuple[float, Floats]:
        pace, waiting, served = self._steps(horizon)
        return pace, waiting + served

    def _steps(self, horizon: float) -> tuple[float, Floats, Floats]:
        """Return a pace, and P(waiting) and P(in service) of a job after each step at that pace."""
        service, c = self.service, self.servers
        pace = c * float(np.max(-service.generator.diagonal()))
        moves = moving(service, c) / pace
        stay = csr_array(np.eye(moves.shape[0]) + moves)
        ends = csr_array(ending(service, c) @ starting(service, c - 1) / pace)
        serving = np.eye(service.start.size) + service.generator / pace
        present = self._line_on_arrival()
        own = (1 - present.sum()) * service.start
        waiting, served = [], []
        for _ in range(steps_needed(pace * horizon)):
            waiting.append(present.sum())
            served.append(own.sum())
            done, present = present @ ends, present @ stay
            present[:-1] += done[1:]
            own = own @ serving + done[0].sum() * service.start
        return pace, np.array(waiting), np.array(served)

    def _line_on_arrival(self) -> Floats:
        """Return what an arrival that waits finds: row n, the servers with n jobs in line."""
        ways = self.first.size // self.arrivals.quiet.shape[0]
        marks = np.kron(self.arrivals.marked.sum(1)[:, np.newaxis], np.eye(ways))
        rows, present = [self.first @ marks], self.first @ self.growth
        while present.sum() > _NEGLIGIBLE:
            if len(rows) == _MOST_LEVELS:
                raise ValueError(
                    f"utilization must leave fewer than {_MOST_LEVELS} likely levels for "
                    f"percentiles, got {float(self.utilization):g}; the means still hold"
                )
            rows.append(present @ marks)
            present = present @ self.growth
        return np.array(rows) / self.arrivals.rate


def solve_phase_queue(
    arrivals: ArrivalProcess | PhaseType | Service, service: PhaseType | Service, servers: int = 1
) -> PhaseQueue:
    """Solve MAP/PH/c, first come first served; with Poisson arrivals it is M/PH/c.

    Parameters
    ----------
    arrivals : ArrivalProcess, PhaseType or Service
        A Poisson, renewal or modulated process, or any other MAP; or the law of independent times
        between arrivals.
    service : PhaseType or Service
        Law of the service time: phase-type, exponential, Erlang or hyperexponential.
    servers : int
        c, 1 or more. The servers' and the arrivals' phases may combine in at most 200 ways.

    Returns
    -------
    PhaseQueue
        Percentiles by its methods. A renewal process of a phase-type law gives
        the exact PH/PH/c.

    Raises
    ------
    ValueError
        If the utilization is not below 1, a law has no phases (the message says how to fit one), or
        there are too many servers and phases.

    Examples
    --------
    >>> service = PhaseType.hyperexponential(1.0, 4.0)
    >>> print(solve_phase_queue(ArrivalProcess.poisson(0.8), service).response_time.round(9))
    11.0
    >>> from perfmodel.queueing.distributions.service import Erlang, Hyperexponential
    >>> bursty = Hyperexponential.balanced(1.0, 2.0)
    >>> print(solve_phase_queue(Erlang(1.25, 2), bursty).waiting_time.round(6))
    4.833672
    >>> print(solve_phase_queue(Erlang(0.3125, 2), bursty, servers=4).waiting_time.round(6))
    0.822642
    """
    process, law = arrivals_of(arrivals), phase_type_of(service, "service")
    c = whole("servers", servers, 1)
    refuse_many(c, law, process.quiet.shape[0])
    utilization = stable(process.rate * law.moment(1) / c)
    levels = _levels(process, law, c)
    up, local, down = levels[-1]
    repeated = down @ np.kron(np.eye(process.quiet.shape[0]), starting(law, c - 1))
    growth = _growth(up, local, repeated)
    beyond = np.linalg.inv(np.eye(growth.shape[0]) - growth)
    excursion = beyond.sum(1)
    if not 0 < excursion.max() < _ENDLESS:
        raise ValueError(
            "arrivals and service must not make queues of a billion jobs, as where an overload "
            f"lasts for very long, got a mean excursion of {excursion.max():.3g} levels"
        )
    below, first = _boundary(levels, growth, repeated, excursion)
    queue = float(first @ growth @ beyond @ excursion)
    few = utilization > 0.999 or excursion.max() > _LONG
    return PhaseQueue.from_waiting(
        process.rate,
        law.moment(1),
        queue / process.rate,
        f"MAP/PH/{c}, matrix-geometric",
        servers=c,
        warning="queues of a thousand jobs or more: expect fewer digits" if few else "",
        arrivals=process,
        service=law,
        below=below,
        first=first,
        growth=growth,
    )


def _levels(
    arrivals: ArrivalProcess, service: PhaseType, servers: int
) -> list[tuple[Floats, Floats, Floats]]:
    """Return the rates up, within and down with 0, 1, ... c jobs present."""
    calm = np.eye(arrivals.quiet.shape[0])
    levels: list[tuple[Floats, Floats, Floats]] = []
    for busy in range(servers + 1):
        moves = moving(service, busy)
        stay = np.eye(moves.shape[0])
        up = starting(service, busy) if busy < servers else stay
        down = ending(service, busy) if busy else np.zeros((1, 0))
        local = np.kron(arrivals.quiet, stay) + np.kron(calm, moves)
        above, below = np.kron(arrivals.marked, up), np.kron(calm, down)
        levels.append((np.asarray(above), np.asarray(local), np.asarray(below)))
    return levels


def _growth(up: Floats, local: Floats, down: Floats) -> Floats:
    """Return R = up (-local - up G)^-1, with G by logarithmic reduction."""
    identity = np.eye(local.shape[0])
    higher, lower = np.linalg.solve(-local, up), np.linalg.solve(-local, down)
    first_passage, climbed = lower.copy(), higher.copy()
    for _ in range(64):
        both = identity - higher @ lower - lower @ higher
        higher, lower = (np.linalg.solve(both, twice @ twice) for twice in (higher, lower))
        first_passage = first_passage + climbed @ lower
        climbed = climbed @ higher
        if np.abs(1 - first_passage.sum(1)).max() < 1e-14 or climbed.max() < 1e-18:
            break
    return np.asarray(np.linalg.solve((-local - up @ first_passage).T, up.T).T)


def _boundary(
    levels: list[tuple[Floats, Floats, Floats]],
    growth: Floats,
    repeated: Floats,
    excursion: Floats,
) -> tuple[tuple[Floats, ...], Floats]:
    """Return the probabilities below level c and at it, eliminated level by level from there.

    `repeated` are the rates down from level c + 1 to c, `excursion` the levels at and above c that
    are visited in the mean.
    """
    inside, ratios = levels[-1][1] + growth @ repeated, []
    for (up, local, _), (_, _, down) in zip(levels[-2::-1], levels[:0:-1], strict=True):
        ratios.append(np.linalg.solve(-inside.T, up.T).T)
        inside = local + ratios[-1] @ down
    inside[:, 0] = 1
    present = [np.linalg.solve(inside.T, np.eye(inside.shape[0])[0])]
    for ratio in reversed(ratios):
        present.append(present[-1] @ ratio)
    total = sum(level.sum() for level in present[:-1]) + present[-1] @ excursion
    return tuple(level / total for level in present[:-1]), present[-1] / total
