"""Requests for two networks in turns on one accelerator: who waits, reloads and is inferred."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.queueing.edge_cluster.inputs import MIXTURES
from perfmodel.labs.queueing.edge_cluster.shared_accelerator import replay
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import whole

REQUESTS = 8
_END, _TOP, _ROW = 540.0, 54.0, 20.0
_NAMES = ("Inc", "SSD")


def reload_turns(row: int) -> Scene:
    """Draw eight requests that come at one instant for the two networks of mixture B.

    A network has `row` requests, 1 to 4, before the other's turn.

    >>> reload_turns(4).values["reloads"]
    2
    """
    mixture = MIXTURES["B"]
    same = whole("row", row, 1)
    if same > REQUESTS // 2:
        raise ValueError(f"row must be 1 to {REQUESTS // 2}, got {row!r}")
    network = np.arange(REQUESTS) // same % 2
    times, reloads = mixture.service_time, mixture.switch_overhead
    ends = 1e3 * replay(network, np.zeros(REQUESTS), times, reloads)
    starts = np.append(0, ends[:-1])
    runs = ends - 1e3 * times[network]
    time = Scale(0, _END, 46, 350)
    shapes: list[Shape] = legend(46, 14, [("reload", 2, "hatch")])
    shapes += legend(136, 14, [("inference", 1, "solid")])
    shapes += [Line([(240, 14), (262, 14)], 2, "dashed"), Text("waits", 268, 14, "start")]
    for i, (start, run, end) in enumerate(zip(starts, runs, ends, strict=True)):
        shapes += _turn(time, _TOP + i * _ROW, _NAMES[network[i]], (start, run, end))
    shapes += time.below(_TOP + REQUESTS * _ROW, "time (ms), one row a request")
    count, lost = int((runs - starts > 1e-9).sum()), float((runs - starts).sum())
    says = (
        f"{count} of {REQUESTS} requests reload the weights, {lost:.0f} ms in all; the last answer "
        f"comes after {ends[-1]:.0f} ms."
    )
    values = {"reloads": count, "reloading (ms)": lost, "last answer (ms)": float(ends[-1])}
    return Scene(_TOP + REQUESTS * _ROW + 38, shapes, says, values)


def _turn(time: Scale, y: float, name: str, instants: tuple[float, float, float]) -> list[Shape]:
    """Return a request's wait, its reload if there is one, and its inference."""
    start, run, end = instants
    shapes: list[Shape] = [Text(name, 40, y, "end")]
    if start > 0:
        shapes.append(Line([(time(0), y), (time(start), y)], 2, "dashed"))
    if run - start > 1e-9:
        shapes.append(Box(time(start), y - 7, time.length(run - start), 14, "", 2, "hatch"))
    return [*shapes, Box(time(run), y - 7, time.length(end - run), 14, "", 1, "solid")]
