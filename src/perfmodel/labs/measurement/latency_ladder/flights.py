"""A drawing of loads on their way: one chain of pointers, or several that know nothing of it."""

from __future__ import annotations

from perfmodel.live.drawing import Box, Scale, Scene, Shape, Text
from perfmodel.measurement import chained_bandwidth
from perfmodel.validation import whole

ROOM, MOST, TURNS = 4, 8, 6
"""Lines that the drawn core can wait for at once, chains drawn at most, latencies drawn."""
LATENCY = 100e-9
"""Seconds of a load in the drawing."""


def loads_in_flight(chains: int) -> Scene:
    """Draw the loads of independent chains of pointers on a core with room for `ROOM` lines.

    The core has room for `ROOM` lines.

    >>> loads_in_flight(4).values["lines in 600 ns"]
    24.0
    """
    count = whole("chains", chains, 1, MOST)
    at_once = min(count, ROOM)
    time = Scale(0, 1e9 * LATENCY * TURNS, 68, 340)
    shapes: list[Shape] = [Text("loads on their way", 204, 12)]
    for row in range(count):
        shapes.append(Text(f"chain {row + 1}", 60, 34 + 22 * row, anchor="end"))
    for turn in range(TURNS):
        left, right = (time(1e9 * LATENCY * when) for when in (turn, turn + 1))
        for place in range(at_once):
            y = 26 + 22 * ((turn * at_once + place) % count)
            shapes.append(Box(left + 1, y, right - left - 2, 16, "", 1, "solid"))
    shapes += time.below(30 + 22 * MOST, "time (ns)")
    lines = at_once * TURNS
    rate = float(chained_bandwidth(at_once, LATENCY)) / 1e9
    says = (
        f"{count} chain{'s' * (count > 1)}, room for {ROOM} lines: {lines} lines in "
        f"{1e9 * LATENCY * TURNS:.0f} ns, which is {rate:.3g} GB/s."
    )
    values = {f"lines in {1e9 * LATENCY * TURNS:.0f} ns": float(lines), "bandwidth (GB/s)": rate}
    return Scene(66 + 22 * MOST, shapes, says, values)
