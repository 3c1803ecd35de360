"""Amdahl's and Gustafson's laws as bars of time, one lane a processor."""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Box, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.scaling import amdahl_limit, amdahl_speedup, gustafson_speedup
from perfmodel.validation import whole, within

_HEIGHT = 270
_ROOM = 128.0
"""Height of all lanes together."""


def amdahl_bars(serial_fraction: float, processors: int) -> Scene:
    """Draw a fixed job on one processor and on `processors`: the serial part doesn't shrink.

    `serial_fraction` is of the time on one processor, 0 to 1; there are 1 to 32 `processors`.

    >>> amdahl_bars(0.5, 2).values["speedup"]
    1.3333333333333333
    """
    share, count = (
        within("serial_fraction", serial_fraction, 0, 1),
        whole("processors", processors, 1),
    )
    serial = float(share)
    speedup = float(amdahl_speedup(serial, count))
    limit = float(amdahl_limit(serial)) if serial else np.inf
    time = Scale(0, 1, 16, 344)
    shapes = _job(time, 40, serial, 1 - serial, "1 processor")
    shapes += _split(time, serial, 1 / speedup - serial, count)
    shapes += time.below(234, "time (1 = on one processor)")
    says = f"With {_counted(count)} the speedup is {speedup:.3g}."
    if np.isfinite(limit):
        says += f" The serial {100 * serial:.3g} % limit it to at most {limit:.4g}."
    return Scene(
        _HEIGHT, shapes, says, {"speedup": speedup, "time (1 = one processor)": 1 / speedup}
    )


def gustafson_bars(serial_fraction: float, processors: int, longest: int = 16) -> Scene:
    """Draw a fixed time on `processors`, and how long one processor would take for that work.

    `serial_fraction` is of the time on all processors, 0 to 1; the axis has room for `longest` of
    them.

    >>> gustafson_bars(0.5, 2).values["scaled speedup"]
    1.5
    """
    serial = float(within("serial_fraction", serial_fraction, 0, 1))
    count = whole("processors", processors, 1)
    speedup = float(gustafson_speedup(serial, count))
    time = Scale(0, whole("longest", longest, count), 16, 344)
    shapes = _job(time, 40, serial, (1 - serial) * count, "that work on 1 processor")
    shapes += _split(time, serial, 1 - serial, count)
    shapes += time.below(234, f"time (1 = on {_counted(count)})")
    do = "do" if count > 1 else "does"
    says = (
        f"In the same time {_counted(count)} {do} {speedup:.3g} times the work. "
        f"The parallel part grows with their number; the serial part doesn't."
    )
    return Scene(_HEIGHT, shapes, says, {"scaled speedup": speedup})


def _counted(count: int) -> str:
    return f"{count} processor" + "s" * (count > 1)


def _job(time: Scale, y: float, serial: float, parallel: float, title: str) -> list[Shape]:
    wide = time.length(serial), time.length(parallel)
    return [
        Text(title, time.start, y - 22, anchor="start", bold=True),
        Box(time(0), y - 10, wide[0], 22, "", 2, "solid"),
        Box(time(serial), y - 10, wide[1], 22, "", 1, "light"),
    ]


def _split(time: Scale, serial: float, parallel: float, count: int) -> list[Shape]:
    """Return the lanes: the first works through the serial part, all share the parallel one."""
    lane = min(22.0, _ROOM / count)
    top = 92.0
    shapes: list[Shape] = [
        Text(f"{_counted(count)}, one lane each", time.start, 75, anchor="start", bold=True)
    ]
    for i in range(count):
        y, height = top + i * lane, lane - (2 if lane > 8 else 0.8)
        if i == 0:
            shapes.append(time.bar(0, y, serial, height, "", 2, "solid"))
        shapes.append(time.bar(serial, y, parallel, height, "", 1, "light"))
    end = time(serial + parallel)
    if end < 220:
        ends = f"ends at {serial + parallel:.3g}"
        shapes.append(Text(ends, end + 6, top + 8, anchor="start"))
    shapes += legend(208, 18, [("serial", 2, "solid")])
    return [*shapes, *legend(276, 18, [("parallel", 1, "light")])]
