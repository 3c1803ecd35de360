"""Little's law: the area between arrivals and departures, cut into columns and into rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import stairs
from perfmodel.queueing import departures, population_area, population_at, time_spent
from perfmodel.units import number
from perfmodel.validation import positive, within

ARRIVALS = (0.0, 1.0, 1.5, 4.0, 7.0, 7.5)
SIZES = (2.0, 1.5, 1.0, 2.0, 0.5, 1.5)


def area_under_queue(
    until: float, policy: str = "FCFS", arrivals: ArrayLike = ARRIVALS, sizes: ArrayLike = SIZES
) -> Scene:
    """Draw the number inside (above) and each job's response time (below) up to an instant.

    `until` is in seconds, above 0 and at most 10 or the last departure; `policy` is as for
    `perfmodel.queueing.departures`; `arrivals` are 0 or more and rise, `sizes` are seconds of work.

    >>> scene = area_under_queue(10.0)
    >>> scene.values["area by columns (job s)"] == scene.values["area by rows (job s)"]
    True
    """
    came = np.asarray(arrivals, float)
    left = departures(came, sizes, policy)
    end = max(10.0, float(left.max()))
    now = float(within("until", positive("until", until), 0, end))
    columns, rows = population_area(came, left, 0, now), time_spent(came, left, 0, now)
    time = Scale(0, end, 40, 344)
    shapes = _columns(time, came, left, now) + _rows(time, came, left, now)
    for top, bottom in ((28, 138), (174, 286)):
        shapes.append(Line([(time(now), top), (time(now), bottom)], style="dashed"))
    shapes += time.below(286, "time (s)")
    says = (
        f"Both areas are {number(columns)} job s. Divided by the {number(now)} s so far, they give "
        f"a mean of {number(columns / now)} jobs inside."
    )
    values = {"area by columns (job s)": columns, "area by rows (job s)": rows}
    return Scene(322, shapes, says, {**values, "mean number inside": columns / now})


def _columns(time: Scale, came: np.ndarray, left: np.ndarray, now: float) -> list[Shape]:
    events = np.unique(np.concatenate([[0.0], came, left]))
    inside = [*population_at(came, left, (events[1:] + events[:-1]) / 2), 0.0]
    up = Scale(0, max(4.0, *inside), 132, 36)
    shapes: list[Shape] = []
    for start, end, count in zip(events, events[1:], inside, strict=False):
        if start < now and count:
            right = time(min(end, now))
            shapes.append(Box(time(start), up(count), right - time(start), 132 - up(count), "", 1))
    path = stairs(list(events), inside, time, up)
    shapes.append(Line([*path, (time.end, 132)], 1))
    return [*shapes, *_axis(up, 132, "jobs inside: columns"), Line([(40, 132), (344, 132)])]


def _axis(up: Scale, base: float, title: str) -> list[Shape]:
    marks = [Text(number(v), 33, up(v), anchor="end") for v in up.ticks(4)]
    return [
        *marks,
        Line([(40, base), (40, up(up.high))]),
        Text(title, 8, up(up.high) - 18, anchor="start"),
    ]


def _rows(time: Scale, came: np.ndarray, left: np.ndarray, now: float) -> list[Shape]:
    height = 100 / came.size
    shapes: list[Shape] = [Text("each job's stay: rows", 8, 164, anchor="start")]
    for i, (start, end) in enumerate(zip(came, left, strict=True)):
        y = 178 + i * height
        shapes.append(Text(str(i + 1), 33, y + height / 2 - 1, anchor="end"))
        if start < now:
            right = time(min(end, now))
            shapes.append(Box(time(start), y, right - time(start), height - 3, "", 2, "hatch"))
        shapes.append(Line([(time(start), y + height - 3), (time(end), y + height - 3)], 2))
    return shapes


def queueing_instants(
    arrivals: Sequence[float] = ARRIVALS, sizes: Sequence[float] = SIZES
) -> list[float]:
    """Return the instants at which something comes or goes under FCFS, for a slider.

    >>> queueing_instants([0, 1], [2, 2])
    [1.0, 2.0, 4.0]
    """
    came = np.asarray(arrivals, float)
    events = np.unique(np.concatenate([came, departures(came, sizes)]))
    return [float(t) for t in events if t > 0]
