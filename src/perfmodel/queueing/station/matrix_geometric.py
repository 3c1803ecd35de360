"""M/PH/1 and MAP/PH/1 by matrix-geometric methods: exact means and percentiles of bursty queues.

The number of jobs and the phases of arrivals and service form a Markov chain whose levels repeat.
Above the first level the steady state falls off as the powers of a matrix R, found here by
logarithmic reduction: it takes a dozen steps where the utilization is 0.99.

Sources: M. F. Neuts, "Matrix-Geometric Solutions in Stochastic Models", Johns Hopkins, 1981; G.
Latouche and V. Ramaswami, "A logarithmic reduction algorithm for quasi-birth-death processes",
J. Applied Probability 30(3), 1993.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.phase_type import ArrivalProcess, PhaseType
from perfmodel.queueing.distributions.uniformisation import (
    mixed_quantile,
    mixed_tail,
    steps_needed,
)
from perfmodel.queueing.station.result import StationResult, stable
from perfmodel.validation import Floats, non_negative, whole

_NEGLIGIBLE = 1e-13
_MOST_LEVELS = 20_000


@dataclass(frozen=True, eq=False, kw_only=True)
class PhaseQueue(StationResult):
    """A MAP/PH/1 queue in its steady state, first come first served."""

    arrivals: ArrivalProcess
    service: PhaseType
    empty: Floats
    """Probability of each arrival phase with nobody present."""
    first: Floats
    """Probability of each pair of arrival and service phase with one job present."""
    growth: Floats
    """R: with n jobs present the probabilities are first R^(n - 1)."""

    def number_probabilities(self, length: int) -> Floats:
        """Return the probabilities of 0, 1, ... jobs present, `length` of them."""
        levels, present = [self.empty.sum()], self.first
        for _ in range(whole("length", length, 1) - 1):
            levels.append(present.sum())
            present = present @ self.growth
        return np.array(levels)

    def waiting_tail(self, time: ArrayLike) -> Floats:
        """Return P(waiting time > t) of an arriving job, t in seconds."""
        t = non_negative("time", time)
        return mixed_tail(t, *self._waiting_steps(float(np.max(t))))

    def waiting_quantile(self, probability: ArrayLike) -> Floats:
        """Return the waiting time that a share `probability` of the jobs stays within."""
        return mixed_quantile(self._waiting_steps, probability, float(self.response_time))

    def response_tail(self, time: ArrayLike) -> Floats:
        """Return P(response time > t) of an arriving job, t in seconds."""
        t = non_negative("time", time)
        return mixed_tail(t, *self._response_steps(float(np.max(t))))

    def response_quantile(self, probability: ArrayLike) -> Floats:
        """Return the response time that a share `probability` of the jobs stays within."""
        return mixed_quantile(self._response_steps, probability, float(self.response_time))

    def _waiting_steps(self, horizon: float) -> tuple[float, Floats]:
        return _service_steps(self._seen_on_arrival()[1:], self.service, horizon)

    def _response_steps(self, horizon: float) -> tuple[float, Floats]:
        return _service_steps(self._seen_on_arrival(), self.service, horizon)

    def _seen_on_arrival(self) -> Floats:
        """Return what an arrival finds: row n, the service phase with n jobs present."""
        phases = self.service.start.size
        marks = np.kron(self.arrivals.marked.sum(1)[:, np.newaxis], np.eye(phases))
        idle = (self.empty @ self.arrivals.marked).sum()
        rows, present = [idle * self.service.start], self.first
        while present.sum() > _NEGLIGIBLE:
            if len(rows) == _MOST_LEVELS:
                raise ValueError(
                    f"utilization must leave fewer than {_MOST_LEVELS} likely levels for "
                    f"percentiles, got {float(self.utilization):g}; the means still hold"
                )
            rows.append(present @ marks)
            present = present @ self.growth
        return np.array(rows) / self.arrivals.rate


def solve_phase_queue(arrivals: ArrivalProcess, service: PhaseType) -> PhaseQueue:
    """Solve MAP/PH/1, first come first served; with Poisson arrivals it is M/PH/1.

    Parameters
    ----------
    arrivals : ArrivalProcess
        A Poisson, renewal or modulated process, or any other MAP.
    service : PhaseType
        Law of the service time.

    Returns
    -------
    PhaseQueue
        Percentiles by its methods. A renewal process of a phase-type law gives
        the exact PH/PH/1.

    Raises
    ------
    ValueError
        If the utilization is not below 1.

    Examples
    --------
    >>> service = PhaseType.hyperexponential(1.0, 4.0)
    >>> print(solve_phase_queue(ArrivalProcess.poisson(0.8), service).response_time.round(9))
    11.0
    >>> regular = ArrivalProcess.renewal(PhaseType.erlang(1.25, 2))
    >>> service = PhaseType.hyperexponential(1.0, 2.0)
    >>> print(solve_phase_queue(regular, service).waiting_time.round(6))
    4.833672
    """
    utilization = stable(arrivals.rate * service.moment(1))
    up, local, down = _blocks(arrivals, service)
    growth = _growth(up, local, down)
    empty, first = _boundary(arrivals, service, local + growth @ down, growth)
    beyond = np.linalg.inv(np.eye(growth.shape[0]) - growth)
    number = float(first @ beyond @ beyond.sum(1))
    few = utilization > 0.999
    return PhaseQueue.from_waiting(
        arrivals.rate,
        service.moment(1),
        number / arrivals.rate - service.moment(1),
        "MAP/PH/1, matrix-geometric",
        warning="utilization above 0.999: expect fewer digits" if few else "",
        arrivals=arrivals,
        service=service,
        empty=empty,
        first=first,
        growth=growth,
    )


def _blocks(arrivals: ArrivalProcess, service: PhaseType) -> tuple[Floats, Floats, Floats]:
    ahead, phases = np.eye(arrivals.quiet.shape[0]), np.eye(service.start.size)
    up = np.kron(arrivals.marked, phases)
    local = np.kron(arrivals.quiet, phases) + np.kron(ahead, service.generator)
    down = np.kron(ahead, np.outer(service.exits, service.start))
    return np.asarray(up), np.asarray(local), np.asarray(down)


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
        if np.abs(1 - first_passage.sum(1)).max() < 1e-14 or climbed.max() < 1e-300:
            break
    return np.asarray(np.linalg.solve((-local - up @ first_passage).T, up.T).T)


def _boundary(
    arrivals: ArrivalProcess, service: PhaseType, repeated: Floats, growth: Floats
) -> tuple[Floats, Floats]:
    """Solve the balance of the two lowest levels, normalised over all of them."""
    idle = arrivals.quiet.shape[0]
    enter = np.kron(arrivals.marked, service.start[np.newaxis, :])
    leave = np.kron(np.eye(idle), service.exits[:, np.newaxis])
    balance = np.block([[arrivals.quiet, enter], [leave, repeated]])
    whole_levels = np.linalg.solve(np.eye(growth.shape[0]) - growth, np.ones(growth.shape[0]))
    balance[:, 0] = np.concatenate([np.ones(idle), whole_levels])
    levels = np.linalg.solve(balance.T, np.eye(balance.shape[0])[0])
    return levels[:idle], levels[idle:]


def _service_steps(line: Floats, service: PhaseType, horizon: float) -> tuple[float, Floats]:
    """Return a pace and P(jobs of the line are left) after each step of uniformised service.

    Row n of `line` is the law of the phase in service with n jobs behind it.
    """
    pace = float(np.max(-service.generator.diagonal()))
    stay = np.eye(service.start.size) + service.generator / pace
    left, present = [], line
    for _ in range(steps_needed(pace * horizon)):
        left.append(present.sum())
        done = present @ (service.exits / pace)
        present = present @ stay
        present[:-1] += np.outer(done[1:], service.start)
    return pace, np.array(left)
