"""A job's time alone and beside others: only what waits for memory is stretched."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.prediction.cloudformer.hosts import BANDWIDTH, performance
from perfmodel.live.drawing import Box, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import whole, within

DEMAND = 20e9
"""Bytes per second that each machine of the drawing asks for."""
_LONGEST, _HIGH = 2.5, 26.0


def wait_bars(machines: int, memory_share: float) -> Scene:
    """Draw the time of one piece of work on a host of equal machines; no cache is lost.

    There are 14 machines at most, each asking for 20 GB/s; alone, a fraction `memory_share` of the
    time is spent waiting for memory.

    >>> wait_bars(14, 1).values
    {'performance kept (%)': 50.0}
    """
    count, share = whole("machines", machines, 1), float(within("memory_share", memory_share, 0, 1))
    if count > 14:
        raise ValueError(f"machines must be 14 at most, got {machines!r}")
    kept = float(performance(np.array(count * DEMAND), np.array(share)))
    time = Scale(0, _LONGEST, 16, 344)
    shapes: list[Shape] = legend(16, 14, [("computes", 1, "solid")])
    shapes += legend(130, 14, [("waits for memory", 2, "hatch")])
    for y, name, waits in ((46, "alone", share), (108, "beside others", 1 / kept - (1 - share))):
        shapes.append(Text(name, 16, y, "start"))
        if share < 1:
            shapes.append(Box(time(0), y + 12, time.length(1 - share), _HIGH, "", 1, "solid"))
        if share > 0:
            shapes.append(Box(time(1 - share), y + 12, time.length(waits), _HIGH, "", 2, "hatch"))
    shapes += time.below(160, "time (1 = alone)")
    asked = f"{count} machines ask for {count * DEMAND / 1e9:.0f} of {BANDWIDTH / 1e9:.0f} GB/s"
    longer = f"{1 / kept:.3g} times as long" if kept < 1 else "as long as alone"
    says = f"{asked}: the work takes {longer}, so {100 * kept:.3g} % of the performance is kept."
    return Scene(196, shapes, says, {"performance kept (%)": 100 * kept})
