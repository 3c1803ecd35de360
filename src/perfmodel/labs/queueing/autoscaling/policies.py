"""Servers for each minute, from a fixed, observed or forecast load, and a drawing of late servers.

A server that is ordered comes after a start-up time. All policies staff by the square-root rule;
they differ in the load that they put in.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.queueing import square_root_staffing
from perfmodel.validation import Floats, non_negative, positive, sample, whole, within


def staffed(counts: ArrayLike, mean_service: float, wait_probability: float) -> Floats:
    """Return the servers for each minute's count of requests, by the square-root rule.

    `counts` are requests a minute, observed or forecast; the fraction `wait_probability` of them
    may wait.

    >>> print(staffed([60.0, 100.0], 60.0, 0.2))
    [ 69. 111.]
    """
    per_second = positive("counts", sample("counts", counts)) / 60
    return square_root_staffing(
        per_second * float(positive("mean_service", mean_service)), wait_probability
    )


def seen_before(counts: ArrayLike, start_up: int, window: int) -> Floats:
    """Return for each minute the mean count of the minutes that could be seen when it was decided.

    The mean is of the last `window` minutes that ended `start_up` minutes before; of what there was
    at the beginning, and of the first minute where there was nothing.

    >>> print(seen_before([2, 4, 6, 8, 10], start_up=1, window=2))
    [2. 2. 2. 3. 5.]
    """
    observed = non_negative("counts", sample("counts", counts))
    delay, width = whole("start_up", start_up), whole("window", window, low=1)
    total = np.concatenate([[0.0], observed.cumsum()])
    last = np.maximum(np.arange(observed.size) - delay, 1)
    first = np.maximum(last - width, 0)
    return np.asarray((total[last] - total[first]) / (last - first))


LOW, HIGH = 40.0, 80.0
_RISE, _FALL = (10, 25), (40, 55)


def late_servers(start_up: int) -> Scene:
    """Draw the load of each minute of an hour, and the servers that follow it late.

    Orders follow the load of the minute before; a server serves `start_up` minutes after its order,
    0 to 20.

    >>> late_servers(10).values["most servers short"]
    30.0
    """
    delay = int(within("start_up", start_up, 0, 20))
    load = np.interp(np.arange(60), [*_RISE, *_FALL], [LOW, HIGH, HIGH, LOW]).round()
    servers = seen_before(load, delay, 1)
    short, idle = np.maximum(load - servers, 0), np.maximum(servers - load, 0)
    time, up = Scale(0, 60, 40, 348), Scale(0, 90, 198, 50)
    shapes: list[Shape] = [*up.beside(40, "servers"), *time.below(198, "time (min)")]
    shapes += [
        _gap(minute, float(load[minute]), float(servers[minute]), time, up)
        for minute in map(int, np.flatnonzero(load != servers))
    ]
    for counts, colour in ((load, 2), (servers, 1)):
        line = [(time(i + 0.5), up(count)) for i, count in enumerate(counts)]
        shapes.append(Line(line, colour, "plain" if colour == 2 else "dashed"))
    shapes.append(Text("solid: load without a server; open: idle", 348, 34, "end"))
    says = (
        f"With a start-up time of {delay} min, up to {short.max():.0f} servers are missing. In the "
        f"whole hour, {short.sum() / 60:.1f} server hours are missing and {idle.sum() / 60:.1f} "
        "are idle."
    )
    missing = float(short.sum() / 60)
    values = {"most servers short": float(short.max()), "short (server hours)": missing}
    return Scene(236, shapes, says, values)


def _gap(minute: int, load: float, servers: float, time: Scale, up: Scale) -> Box:
    """Return the box between the load and the servers of a minute."""
    size = (time.length(1), abs(up(load) - up(servers)))
    corner = (time(minute), up(max(load, servers)))
    return Box(
        *corner, *size, "", 2 if load > servers else 1, "solid" if load > servers else "none"
    )
