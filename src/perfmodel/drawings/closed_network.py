"""A closed queueing network: users think, then use a CPU and disks, and come back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perfmodel.live.drawing import Box, Line, Queue, Scene, Server, Shape, Text
from perfmodel.queueing import mva_of_demands
from perfmodel.units import number
from perfmodel.validation import positive, whole

DEMANDS = {"CPU": 0.03, "disk 1": 0.05, "disk 2": 0.02}
"""Seconds of service at each station for one interaction."""
_PLACES = 8


def closed_network(
    users: int, think_time: float = 1.0, demands: Mapping[str, float] | None = None
) -> Scene:
    """Draw where 1 to 200 users of an interactive system are, by exact mean-value analysis.

    `think_time` is in seconds, above 0; `demands` are seconds of service by station, two to four.

    >>> print(closed_network(1).says.split('. ')[1])
    The bottleneck, disk 1, is busy 4.55 % of the time.
    """
    stations = dict(demands or DEMANDS)
    count, think = whole("users", users, 1), float(positive("think_time", think_time))
    need = np.array([*stations.values()])
    rate, residence = mva_of_demands(need[None], [count], [think])
    busy, inside = rate[0] * need, rate[0] * residence[0]
    worst = int(np.argmax(need))
    names = list(stations)
    shapes = _thinking(float(rate[0] * think), count)
    tops = np.linspace(128, 128 + 74 * (len(names) - 1), len(names))
    for i, (name, y) in enumerate(zip(names, tops, strict=True)):
        shapes += _station(name, float(y), float(busy[i]), float(inside[i]), i == worst)
    shapes += _wires([float(y) for y in tops])
    says = (
        f"With {count} user{'s' * (count > 1)} the throughput is {rate[0]:.2f} interactions/s. "
        f"The bottleneck, {names[worst]}, is busy {100 * busy[worst]:.3g} % of the time."
    )
    values = {"throughput (1/s)": float(rate[0]), f"utilization of {names[worst]}": busy[worst]}
    return Scene(float(tops[-1]) + 40, shapes, says, values)


def _thinking(thinking: float, count: int) -> list[Shape]:
    return [
        Box(70, 14, 220, 46, f"{number(round(thinking, 1))} of {count} users\nthink", 3, "light"),
    ]


def _station(name: str, y: float, busy: float, inside: float, worst: bool) -> list[Shape]:
    waiting = max(0.0, inside - busy)
    jobs = [""] * min(_PLACES, round(waiting))
    colour = 2 if worst else 1
    words = f"{name}: {waiting:.1f} wait, {100 * busy:.0f} % busy"
    return [
        Text(words, 62, y - 31, anchor="start", bold=worst),
        Queue(62, y, _PLACES, jobs, colour),
        Line([(222, y), (246, y)], head=True),
        Server(264, y, 17, "", min(busy, 1.0), colour),
    ]


def _wires(tops: list[float]) -> list[Shape]:
    low = tops[-1]
    shapes: list[Shape] = [
        Line([(70, 37), (24, 37), (24, low), (60, low)], head=True),
        Line([(281, low), (330, low), (330, 37), (292, 37)], head=True),
    ]
    for y in tops[:-1]:
        shapes += [Line([(24, y), (60, y)], head=True), Line([(281, y), (330, y)])]
    return shapes
