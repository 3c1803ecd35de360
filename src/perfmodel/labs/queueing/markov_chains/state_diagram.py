"""States as circles, moves as arrows with their rates: the picture before the equations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from perfmodel.labs.queueing.markov_chains.disk_arrays import HOUR, YEAR, DiskGroup
from perfmodel.labs.queueing.markov_chains.two_stations import (
    Loop,
    finished_rate,
    jobs_at_processor,
)
from perfmodel.live.drawing import Circle, Line, Point, Scene, Shape, Text
from perfmodel.queueing import first_passage_time
from perfmodel.units import number

_RADIUS = 21.0
_APART = 6.0
"""Half the distance of two arrows that lead to and fro."""


@dataclass(frozen=True)
class Move:
    """An arrow from one state to another, with the words of its rate."""

    start: Any
    end: Any
    rate: str


def state_diagram(
    places: Mapping[Any, Point],
    names: Mapping[Any, str],
    moves: list[Move],
    notes: Mapping[Any, str],
) -> list[Shape]:
    """Return the shapes of a chain: circles, arrows that keep to one side, and notes beneath.

    `places` are the middles of the circles. A move is drawn to the left of the way from start to
    end where there is a way back.
    """
    back = {(move.end, move.start) for move in moves}
    shapes: list[Shape] = []
    for move in moves:
        both = (move.start, move.end) in back
        shapes += _arrow(places[move.start], places[move.end], move.rate, both)
    for state, (x, y) in places.items():
        shapes.append(Circle(x, y, _RADIUS, names[state], 1, "light"))
        if state in notes:
            shapes.append(Text(notes[state], x, y + _RADIUS + 24))
    return shapes


def _arrow(start: Point, end: Point, words: str, both: bool) -> list[Shape]:
    length = math.dist(start, end)
    along = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
    aside = (along[1], -along[0])
    off = _APART if both else 0.0

    def at(way: float, side: float) -> Point:
        x, y = (start[i] + along[i] * way + aside[i] * side for i in (0, 1))
        return x, y

    x, y = at(length / 2, off + 12)
    anchor: Literal["start", "middle", "end"] = "middle"
    if abs(aside[0]) >= 0.2:
        anchor = "start" if aside[0] > 0 else "end"
    line = Line([at(_RADIUS + 1, off), at(length - _RADIUS - 1, off)], head=True)
    return [line, Text(words, x, y, anchor=anchor)]


def group_states(repair_hours: float, disks: int = 2, life_hours: float = 30_000) -> Scene:
    """Draw a group of disks that survives one failure, with the mean time to loss of each state.

    >>> group_states(10).says
    'With repairs of 10 h, data are lost after 5,142 years on average.'
    """
    group = DiskGroup(disks, (life_hours * HOUR,) * 2, repair_hours * HOUR)
    times = first_passage_time(group.chain(), [2]) / YEAR
    last = disks - 1
    moves = [
        Move(0, 1, f"{disks} f"),
        Move(1, 0, "r"),
        Move(1, 2, f"{last} f" if last > 1 else "f"),
    ]
    notes = {0: _years(times[0]), 1: _years(times[1]), 2: "no way out"}
    shapes = state_diagram(
        {0: (50, 56), 1: (180, 56), 2: (310, 56)}, {0: "whole", 1: "one", 2: "lost"}, moves, notes
    )
    head = f"f = 1/{number(life_hours)} h, r = 1/{number(repair_hours)} h; time to loss:"
    shapes.append(Text(head, 180, 14))
    says = (
        f"With repairs of {number(repair_hours)} h, data are lost after "
        f"{_years(times[0])} on average."
    )
    return Scene(112, shapes, says, {"time to loss (years)": float(times[0])})


def _years(value: float) -> str:
    return f"{round(value):,} years" if value >= 100 else f"{value:.3g} years"


def loop_states(disk_time: float, jobs: int = 4, cpu_time: float = 0.05) -> Scene:
    """Draw the states of a loop of processor and disk, with the fraction of time in each.

    Times are in seconds, and the loop has 1 to 4 jobs; a fifth of the turns at the processor are a
    job's last.

    >>> loop_states(0.04).says
    'With a disk of 40 ms, 3.73 jobs a second finish. The processor is idle 6.77 % of the time.'
    """
    loop = Loop(jobs, cpu_time, disk_time, 0.2)
    shares = jobs_at_processor(loop)
    places = {n: (40 + 280 * n / jobs, 44.0) for n in range(jobs + 1)}
    down, up = number(round((1 - loop.finish) / cpu_time, 1)), number(round(1 / disk_time, 1))
    moves = [Move(n, n + 1, up) for n in range(jobs)] + [Move(n + 1, n, down) for n in range(jobs)]
    notes = {n: f"{100 * share:.3g} %" for n, share in enumerate(shares)}
    shapes = state_diagram(places, {n: str(n) for n in places}, moves, notes)
    shapes.append(Text("jobs at the processor; rates in 1/s; fraction of time", 180, 112))
    rate = finished_rate(loop)
    says = (
        f"With a disk of {number(1000 * disk_time)} ms, {rate:.3g} jobs a second finish. The "
        f"processor is idle {100 * shares[0]:.3g} % of the time."
    )
    values = {"finished (1/s)": rate, "processor idle (%)": float(100 * shares[0])}
    return Scene(126, shapes, says, values)
