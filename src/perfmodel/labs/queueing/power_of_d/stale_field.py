"""The mean field of a fleet whose list of queue lengths is old, and a drawing of the herd.

Servers are sorted by their queue length on the board, and each sort follows a differential
equation. Together the equations give the next board. This is repeated until the cycle settles.

Source: M. Mitzenmacher, "How useful is old information?", IEEE Transactions on Parallel and
Distributed Systems 11(1), 2000, for the model with periodic updates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from perfmodel.labs.queueing.power_of_d.fleet import rates_by_board
from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.queueing.fleet.mean_field import follow_drift
from perfmodel.validation import Floats, one_number, positive, whole, within

SETTLED = 1e-6
"""Change of the shares from one update to the next, per mean service time, that counts as none."""

LONGEST = 2000.0
"""Mean service times that are followed at most."""


@dataclass(frozen=True)
class StaleCycle:
    """The cycle between two updates, for very many servers."""

    response_time: float
    """Mean in mean service times."""
    shares: Floats
    """Share of the servers with each number of jobs at an update, shape (levels,)."""
    jobs: Floats
    """Mean jobs at a server from one update to the next, at even instants."""


def stale_cycle(
    utilization: float, looks: int | None, period: float, levels: int = 60
) -> StaleCycle:
    """Solve the cycle in which very many servers settle when the board is updated periodically.

    `period` is in mean service times, 0.05 or more. It raises ValueError if queues become longer
    than `levels`, or nothing settles.

    >>> print(round(stale_cycle(0.9, 2, 0.05).response_time, 2))
    2.63
    """
    rho = float(within("utilization", one_number("utilization", utilization, positive), 0, 0.999))
    age, size = one_number("period", period, positive), whole("levels", levels, low=10)
    within("period", age, 0.05, LONGEST)
    return _settled(rho, None if looks is None else whole("looks", looks, low=1), age, size)


@lru_cache(maxsize=256)
def _settled(rho: float, drawn: int | None, age: float, size: int) -> StaleCycle:
    """Return the cycle; kept, as a figure asks for the same ones each time that it is drawn."""
    shares = np.eye(size)[0]
    for _ in range(math.ceil(LONGEST / age)):
        path = _over_a_period(shares, rates_by_board(shares, rho, drawn), age)
        change, shares = np.abs(path[-1] - shares).sum(), path[-1]
        if shares[-1] > 1e-7:
            raise ValueError(f"levels must be more than {size}, as queues grow longer, got {size}")
        if change < SETTLED * age:
            jobs = path @ np.arange(size)
            mean = float((jobs[1:] + jobs[:-1]).mean() / 2)
            shares.flags.writeable = jobs.flags.writeable = False
            return StaleCycle(mean / rho, shares, jobs)
    raise ValueError(f"period must lead to a cycle within {LONGEST:g} services, got {age:g}")


def _over_a_period(shares: Floats, rates: Floats, age: float) -> Floats:
    """Return the shares of each length at even instants of a period, shape (instants, levels)."""
    shown = np.flatnonzero(shares > 1e-12)
    sorts = np.zeros((shown.size, shares.size))
    sorts[np.arange(shown.size), shown] = shares[shown]
    up = rates[shown][:, np.newaxis]
    steps = math.ceil(age / min(0.1, 1.0 / (1.0 + float(rates.max()))))
    path = [sorts.sum(axis=0)]
    for _ in range(steps):
        sorts = _advance(sorts, up, age / steps)
        path.append(sorts.sum(axis=0))
    return np.array(path)


def _advance(sorts: Floats, up: Floats, step: float) -> Floats:
    """Follow all sorts for one step of Runge and Kutta's fourth order."""
    first = _drift(sorts, up)
    second = _drift(sorts + step / 2 * first, up)
    third = _drift(sorts + step / 2 * second, up)
    fourth = _drift(sorts + step * third, up)
    return sorts + step / 6 * (first + 2 * second + 2 * third + fourth)


def _drift(sorts: Floats, up: Floats) -> Floats:
    """Return the change of each share: rows are sorts, columns numbers of jobs."""
    flow = up * sorts[:, :-1]
    flow -= sorts[:, 1:]
    change = np.zeros_like(sorts)
    np.negative(flow, out=change[:, :-1])
    change[:, 1:] += flow
    return change


BOARD = np.array([0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3])
LOAD, OLDEST = 0.9, 3.0
_LEFT, _WIDE, _JOB = 24, 27, 9


def mean_queues(age: float, looks: int | None) -> Floats:
    """Return the mean number of jobs at each server of the board after some time.

    `age` is in mean service times, 0 to 3; a job looks up `looks` servers, or all if `looks` is
    None.

    >>> print(mean_queues(1.0, None)[[0, -1]].round(2), mean_queues(1.0, 2)[[0, -1]].round(2))
    [4.62 2.02] [1.22 2.17]
    """
    time = float(within("age", one_number("age", age), 0.0, OLDEST))
    rates = rates_by_board(np.bincount(BOARD) / BOARD.size, LOAD, looks)[BOARD][:, np.newaxis]
    levels = 40

    def drift(shares: Floats) -> Floats:
        flow = rates * shares[:, :-1] - shares[:, 1:]
        change = np.zeros_like(shares)
        change[:, :-1] -= flow
        change[:, 1:] += flow
        return change

    end = follow_drift(drift, np.eye(levels)[BOARD], [0.0, max(time, 1e-9)])[-1]
    return np.asarray(end @ np.arange(levels))


def herd(age: float) -> Scene:
    """Draw the board and what has become of its servers, under two rules.

    >>> round(float(herd(1.0).values["two looked up (jobs)"]), 2)
    1.22
    """
    every, two = mean_queues(age, None), mean_queues(age, 2)
    shapes: list[Shape] = []
    for top, title, queues in (
        (40, "to the shortest on the board", every),
        (212, "to the shorter of two on the board", two),
    ):
        shapes.append(Text(title, 180, top - 12, bold=True))
        shapes += _row(top + 120, queues)
    shapes += legend(24, 368, [("on the board", 0, "light")])
    shapes += legend(190, 368, [("mean now", 1, "solid")])
    says = (
        f"The two servers that look empty have {every[0]:.1f} jobs each if all jobs go there. With "
        f"two looks they have {two[0]:.1f} jobs each."
    )
    values = {"all run there (jobs)": every[0], "two looked up (jobs)": two[0]}
    return Scene(384, shapes, says, values)


def _row(floor: float, queues: Floats) -> list[Shape]:
    shapes: list[Shape] = [Line([(_LEFT - 4, floor), (_LEFT + 12 * _WIDE, floor)])]
    for server, (shown, now) in enumerate(zip(BOARD, queues, strict=True)):
        x = _LEFT + server * _WIDE
        if shown:
            shapes.append(Box(x, floor - _JOB * shown, 10, _JOB * shown, "", 0, "light"))
        if now > 0.01:
            shapes.append(Box(x + 11, floor - _JOB * now, 10, _JOB * now, "", 1, "solid"))
    return shapes
