"""A timetable as a polite load tester would have recorded it, and a drawing of its stopwatches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.queueing.operational_analysis.sample_path import departures
from perfmodel.validation import Floats, sample, whole


def recorded_politely(arrivals: ArrayLike, ends: ArrayLike, connections: int) -> Floats:
    """Return the response times that a generator with few connections would have written down.

    It sends a request when it is due and one of its connections is free, and starts its stopwatch
    only then. At one server, first come first served, the requests end when they would anyway. All
    are in seconds, shape (n,), in order. With one connection these are service times, and no
    waiting at all.

    >>> for connections in (1, 2, 3):
    ...     print(recorded_politely([0, 1, 2], [5, 6, 7], connections))
    [5. 1. 1.]
    [5. 5. 2.]
    [5. 5. 5.]
    """
    due, departures = sample("arrivals", arrivals), sample("ends", ends)
    if due.shape != departures.shape:
        raise ValueError(
            f"ends must have the shape {due.shape} of arrivals, got {departures.shape}"
        )
    at_once = min(whole("connections", connections, low=1), departures.size)
    free = np.concatenate([np.full(at_once, -np.inf), departures[:-at_once]])
    return np.asarray(departures - np.maximum(due, free))


DUE = (0.0, 1.0, 2.0, 3.0, 4.0)
SIZES = (4.0, 1.0, 2.0, 1.0, 2.0)


def stopwatches(
    connections: int, due: Sequence[float] = DUE, sizes: Sequence[float] = SIZES
) -> Scene:
    """Draw each request from when it is due, with the part that a polite tester's stopwatch sees.

    `due` and `sizes` are in seconds, of six requests at most.

    >>> stopwatches(1).values
    {'recorded mean (s)': 2.0, 'true mean (s)': 4.8}
    """
    ends = departures(due, sizes)
    recorded = recorded_politely(due, ends, connections)
    time = Scale(0, max(12.0, float(ends.max())), 36, 348)
    row = 150 / len(due)
    shapes: list[Shape] = []
    for i, (came, size, gone, recorded_time) in enumerate(
        zip(due, sizes, ends, recorded, strict=True)
    ):
        y = 64 + i * row
        sent, start = time(gone - recorded_time), time(gone - size)
        shapes.append(Text(str(i + 1), 28, y + row / 2 - 4, anchor="end"))
        shapes.append(Line([(time(came), y - 2), (time(came), y + row - 6)], style="thick"))
        if sent > time(came):
            middle = y + row / 2 - 4
            shapes.append(Line([(time(came), middle), (sent, middle)], 2, "dashed"))
        if start > sent + 0.01:
            shapes.append(Box(sent, y, start - sent, row - 8, "", 1, "hatch"))
        shapes.append(Box(start, y, time(gone) - start, row - 8, "", 1, "solid"))
    shapes += [Line([(16, 15), (40, 15)], 2, "dashed"), Text("held back", 46, 15, anchor="start")]
    shapes += legend(130, 15, [("in the queue", 1, "hatch")])
    shapes += legend(250, 15, [("served", 1, "solid")])
    shapes.append(Text("upright: due. Boxes: on the stopwatch", 16, 40, anchor="start"))
    shapes += time.below(216, "time (s)")
    mean, true = float(recorded.mean()), float(np.mean(ends - np.asarray(due)))
    says = f"The tester records {mean:.3g} s on average, and its users wait {true:.3g} s."
    return Scene(252, shapes, says, {"recorded mean (s)": mean, "true mean (s)": true})
