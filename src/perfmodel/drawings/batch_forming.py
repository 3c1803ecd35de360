"""Requests gather into batches: one closes when it is full or when its first has waited enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Box, Circle, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import non_negative, sample, whole

ARRIVALS = (0.0, 0.5, 0.8, 1.1, 4.0, 5.2, 7.5, 7.7, 7.8, 8.0, 8.1, 10.5)


class FormedBatch(NamedTuple):
    """A batch: its requests by number, when it closed, and why."""

    requests: tuple[int, ...]
    closed: float
    full: bool


def form_batches(arrivals: ArrayLike, largest: int, timeout: float) -> list[FormedBatch]:
    """Return the batches that close at `largest` requests or `timeout` after their first.

    `arrivals` rise; they are in the unit of `timeout`, which is 0 or more.

    >>> [(len(batch.requests), batch.closed) for batch in form_batches([0, 1, 2, 9], 2, 3.0)]
    [(2, 1.0), (1, 5.0), (1, 12.0)]
    """
    came, most = sample("arrivals", arrivals), whole("largest", largest, 1)
    patience = float(non_negative("timeout", timeout))
    batches: list[FormedBatch] = []
    first = 0
    while first < came.size:
        late = came[first] + patience
        here = int(np.searchsorted(came, late, side="right")) - first
        full = here >= most
        count = min(here, most)
        closed = float(came[first + count - 1]) if full else float(late)
        batches.append(FormedBatch(tuple(range(first, first + count)), closed, full))
        first += count
    return batches


def batch_forming(largest: int, timeout: float, arrivals: Sequence[float] = ARRIVALS) -> Scene:
    """Draw requests as they come, the batches that they form, and how long each waits for it.

    Arrivals are 16 at most, they and `timeout` in milliseconds.

    >>> batch_forming(4, 2.0).values["requests a batch"]
    2.4
    """
    batches = form_batches(arrivals, largest, timeout)
    end = max(16.0, batches[-1].closed)
    time = Scale(0, end, 16, 344)
    row = 150 / len(arrivals)
    shapes: list[Shape] = []
    for batch in batches:
        shapes += _batch(batch, arrivals, time, row)
    shapes += time.below(50 + 150 + 18, "time (ms), one row a request")
    shapes += legend(16, 12, [("waits; batch full", 1, "solid")])
    shapes += legend(190, 12, [("waits; time-out", 2, "hatch")])
    waits = [batch.closed - arrivals[i] for batch in batches for i in batch.requests]
    mean, size = float(np.mean(waits)), len(arrivals) / len(batches)
    full = sum(batch.full for batch in batches)
    says = (
        f"A batch has {size:.3g} request{'s' * (size != 1)} on average, and a request waits "
        f"{mean:.2f} ms for its batch to close. {full} of the {len(batches)} batches closed full."
    )
    return Scene(254, shapes, says, {"requests a batch": size, "mean wait (ms)": mean})


def _batch(batch: FormedBatch, arrivals: Sequence[float], time: Scale, row: float) -> list[Shape]:
    colour, end = (1 if batch.full else 2), time(batch.closed)
    shapes: list[Shape] = []
    for i in batch.requests:
        start, y = time(arrivals[i]), 50 + i * row
        fill: Fill = "solid" if batch.full else "hatch"
        if end > start:
            shapes.append(Box(start, y + 2, end - start, row - 4, "", colour, fill))
        shapes.append(Circle(start, y + row / 2, 3, "", colour, "solid"))
    first, last = (50 + i * row for i in (batch.requests[0], batch.requests[-1] + 1))
    shapes.append(Line([(end, first - 4), (end, last + 4)], style="thick"))
    if len(batch.requests) > 1:
        shapes.append(Text(str(len(batch.requests)), end + 9, (first + last) / 2, bold=True))
    return shapes
