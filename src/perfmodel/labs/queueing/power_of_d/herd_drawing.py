"""Twelve servers and a board: what becomes of them until it is written anew, under two rules."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.queueing.power_of_d.fleet import rates_by_board
from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.queueing.fleet.mean_field import follow_drift
from perfmodel.validation import Floats, one_number, within

BOARD = np.array([0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3])
LOAD, OLDEST = 0.9, 3.0
_LEFT, _WIDE, _JOB = 24, 27, 9


def mean_queues(age: float, looks: int | None) -> Floats:
    """Return the mean number of jobs at each server of the board after some time.

    `age` is in mean service times, 0 to 3; a job looks up so many servers, or all if `looks` is
    None.

    >>> print(mean_queues(1.0, None)[[0, -1]].round(2), mean_queues(1.0, 2)[[0, -1]].round(2))
    [4.62 2.02] [1.22 2.17]
    """
    time = float(within("age", one_number("age", age), 0.0, OLDEST))
    rates = rates_by_board(np.bincount(BOARD) / BOARD.size, LOAD, looks)[BOARD][:, np.newaxis]
    places = 40

    def drift(shares: Floats) -> Floats:
        flow = rates * shares[:, :-1] - shares[:, 1:]
        change = np.zeros_like(shares)
        change[:, :-1] -= flow
        change[:, 1:] += flow
        return change

    end = follow_drift(drift, np.eye(places)[BOARD], [0.0, max(time, 1e-9)])[-1]
    return np.asarray(end @ np.arange(places))


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
        f"A board of age {age:g}: the two servers it shows empty hold {every[0]:.1f} jobs "
        f"each if all run there, {two[0]:.1f} if each job looks up two."
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
