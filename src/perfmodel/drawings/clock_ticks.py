"""What a clock with ticks sees of a short function: differences of whole ticks."""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.measurement.clock import time_calls
from perfmodel.validation import positive, whole

_READINGS, _TICKS = 6, 12
_PHASES = (0.1, 0.3, 0.5, 0.7, 0.85, 0.95)


def clock_ticks(duration: float, calls: int = 1) -> Scene:
    """Draw six timings of a function by a clock that shows whole ticks only.

    Parameters
    ----------
    duration : float
        Of one call in ticks, above 0.
    calls : int
        Calls between two readings of the clock, so that the error is shared by them.

    Examples
    --------
    >>> clock_ticks(0.4).values["smallest reading (ticks)"]
    0.0
    """
    one, inner = float(positive("duration", duration)), whole("calls", calls, 1)
    readings = np.array([_reading(phase, one, inner) for phase in _PHASES])
    time = Scale(0, _TICKS, 16, 290)
    shapes: list[Shape] = []
    for tick in range(_TICKS + 1):
        shapes.append(Line([(time(tick), 30), (time(tick), 224)], style="thin"))
    for i, (phase, seen) in enumerate(zip(_PHASES, readings, strict=True)):
        y = 38 + i * 31
        end = min(1 + phase + one * inner, float(_TICKS))
        shapes.append(Box(time(1 + phase), y, time(end) - time(1 + phase), 20, "", 1, "solid"))
        shapes.append(Text(f"{seen:.3g}", 326, y + 10, bold=True))
    shapes += [Text("a call", 326, 6 + 8), Text("clock's ticks", 150, 14)]
    shapes += time.below(228, "time (ticks)")
    low, high = float(readings.min()), float(readings.max())
    many = f", as a mean of {inner} calls" if inner > 1 else ""
    says = (
        f"A call that takes {one:.3g} tick{'s' * (one != 1)} is measured as {low:.3g} to "
        f"{high:.3g}{many}. The error is at most one tick, which is {100 / (one * inner):.3g} % of "
        f"the time measured."
    )
    values = {"smallest reading (ticks)": low, "largest reading (ticks)": high}
    return Scene(264, shapes, says, values)


def _reading(phase: float, duration: float, calls: int) -> float:
    """Return what `time_calls` measures, in ticks, if it starts `phase` after a tick."""
    now = [1 + phase]

    def call() -> None:
        now[0] += duration

    ticks = time_calls(call, calls, lambda: int(np.floor(now[0] + 1e-9)))
    return 1e9 * ticks
