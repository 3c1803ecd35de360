"""Two programs timed on a machine that drifts: what the order of the runs does to the ratio."""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Box, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.measurement import SimulatedMachine
from perfmodel.validation import non_negative, positive

_LOOKS: dict[str, tuple[int, Fill]] = {"A": (1, "light"), "B": (2, "hatch")}


def drifting_runs(order: str = "ABBA", drift: float = 0.1, ratio: float = 0.95) -> Scene:
    """Draw the times of A and B measured in turn on a machine that gets slower.

    `order` has A and B at least once each, 12 letters at most; `drift` is the slowdown gained a
    second, relative to the start, where A takes one second; `ratio` the true time of B over that
    of A.

    >>> scene = drifting_runs("AABB", drift=0.1, ratio=1.0)
    >>> scene.values["measured B / A"] > 1.2
    True
    """
    if not set(order) == {"A", "B"} or len(order) > 12:
        raise ValueError(f"order must be A and B, 12 letters at most, got {order!r}")
    true = {"A": 1.0, "B": float(positive("ratio", ratio))}
    starts, times = _timed(order, float(non_negative("drift", drift)), true)
    runs, seen = np.array(list(order)), np.array(times)
    measured = float(seen[runs == "B"].mean() / seen[runs == "A"].mean())
    shapes = _bars(order, starts, times, drift, true)
    error = round(100 * (measured / true["B"] - 1), 1) + 0.0
    says = (
        f"In the order {order}, B seems to take {measured:.3f} times as long as A. "
        f"The true ratio is {true['B']:.3g}, so the drift causes an error of {error:+.1f} %."
    )
    return Scene(290, shapes, says, {"measured B / A": measured, "error (%)": error})


def _timed(order: str, drift: float, true: dict[str, float]) -> tuple[list[float], list[float]]:
    machine = SimulatedMachine(log_deviation=0.0, drift=drift)
    starts, times = [], []
    for name in order:
        starts.append(machine.seconds)
        machine.job(true[name])()
        times.append(machine.seconds - starts[-1])
    return starts, times


def _bars(
    order: str, starts: list[float], times: list[float], drift: float, true: dict[str, float]
) -> list[Shape]:
    most = max(1.6, 1.02 * max(times))
    up = Scale(0, most, 240, 40)
    across = Scale(0, starts[-1] + times[-1], 44, 320)
    shapes: list[Shape] = []
    for name, start, time in zip(order, starts, times, strict=True):
        colour, fill = _LOOKS[name]
        left, right = across(start) + 2, across(start + time) - 2
        shapes.append(Box(left, up(time), right - left, 240 - up(time), "", colour, fill))
        shapes.append(Text(name, (left + right) / 2, 252, bold=True))
    end = starts[-1] + times[-1]
    for name, colour in (("A", 1), ("B", 2)):
        ends = [(across(t), up(true[name] * (1 + drift * t))) for t in (0.0, end)]
        shapes.append(Line(ends, colour, "plain" if name == "A" else "dashed"))
    shapes += up.beside(44, "measured time (s)")
    shapes += [Line([(44, 240), (350, 240)]), Text("runs in the order of time", 182, 274)]
    names = sorted(true, key=lambda n: true[n])
    low, high = (up(true[name] * (1 + drift * end)) for name in names)
    gap = max(0.0, 14 - (low - high)) / 2
    shapes += [Text(names[0], 332, low + gap), Text(names[1], 332, high - gap)]
    return shapes
