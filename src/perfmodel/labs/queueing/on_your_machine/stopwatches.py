"""Coordinated omission: when requests are due, when a polite tester sends them, what it times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.labs.queueing.on_your_machine.timetable import recorded_politely
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.queueing.operational_analysis.sample_path import departures

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
    left = departures(due, sizes)
    recorded = recorded_politely(due, left, connections)
    time = Scale(0, max(12.0, float(left.max())), 36, 348)
    row = 150 / len(due)
    shapes: list[Shape] = []
    for i, (came, size, gone, seen) in enumerate(zip(due, sizes, left, recorded, strict=True)):
        y = 64 + i * row
        sent, start = time(gone - seen), time(gone - size)
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
    mean, true = float(recorded.mean()), float(np.mean(left - np.asarray(due)))
    says = f"The tester writes down {mean:.3g} s on average; its users see {true:.3g} s."
    return Scene(252, shapes, says, {"recorded mean (s)": mean, "true mean (s)": true})
