"""Pollaczek and Khinchine: the work left of the job in service, as triangles under its path."""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Area, Line, Scale, Scene, Shape, Text
from perfmodel.queueing import mg1
from perfmodel.units import number
from perfmodel.validation import within

_GAP, _MEAN, _END = 1.0, 2.0, 12.0


def residual_triangles(deviation: float) -> Scene:
    """Draw what is left of the service in progress: a triangle of side S for every job.

    Four jobs of mean size 2 s, 2 - `deviation` and 2 + `deviation` in turn, with a second's pause
    after each. The utilization stays the same; the area grows with the mean of the sizes' squares.

    Parameters
    ----------
    deviation : float
        Seconds that sizes lie above and below their mean, 0 to 2.

    Examples
    --------
    >>> residual_triangles(1.0).values["mean of the squares (s^2)"]
    5.0
    """
    away = float(within("deviation", deviation, 0, _MEAN))
    sizes = np.array([_MEAN - away, _MEAN + away] * 2)
    areas = sizes**2 / 2
    squares = float((sizes**2).mean())
    residual = float(areas.sum() / _END)
    rate = sizes.size / _END
    wait = float(
        mg1(arrival_rate=rate, mean_service=_MEAN, scv=sizes.var() / _MEAN**2).waiting_time
    )
    time, up = Scale(0, _END, 36, 348), Scale(0, 4.2, 232, 36)
    shapes = _triangles(time, up, sizes, areas)
    shapes += [*up.beside(36, "work left in service (s)"), *time.below(232, "time (s)")]
    level = up(residual)
    shapes.append(Line([(36, level), (348, level)], 2, "dashed"))
    shapes += [
        Line([(196, 18), (222, 18)], 2, "dashed"),
        Text("mean over all time", 228, 18, anchor="start"),
    ]
    says = (
        f"An arrival finds {residual:.3g} s left on average, with 0 for idle moments. This is the "
        f"triangles' area over {_END:.0f} s. Including the queue, a job waits {wait:.3g} s."
    )
    values = {"mean of the squares (s^2)": squares, "mean work left (s)": residual}
    return Scene(268, shapes, says, {**values, "mean wait (s)": wait})


def _triangles(time: Scale, up: Scale, sizes: np.ndarray, areas: np.ndarray) -> list[Shape]:
    shapes: list[Shape] = []
    starts = np.cumsum(sizes + _GAP) - sizes - _GAP
    for start, size, area in zip(starts, sizes, areas, strict=True):
        corners = [(time(start), up(0)), (time(start), up(size)), (time(start + size), up(0))]
        if size:
            shapes.append(Area(corners, 1, "light"))
        if size >= 1:
            label = f"{number(area)} s²"
            shapes.append(Text(label, time(start) + 10, up(size) - 1, anchor="start"))
    return shapes
