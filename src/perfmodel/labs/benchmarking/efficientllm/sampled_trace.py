"""Two steps of training: the power, when a meter reads it, and the two means."""

from __future__ import annotations

import numpy as np

from perfmodel.benchmarking import time_average
from perfmodel.labs.benchmarking.efficientllm.power_cycle import TRAINING, clock_times, event_times
from perfmodel.live.drawing import Circle, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import stairs
from perfmodel.validation import one_of

EVENTS = {"compute": 0.010, "exchange": 0.040}
METERS = ("10 ms", "43 ms", "one step", "at events")
_STEPS = 3


def readings(meter: str) -> np.ndarray:
    """Return the times (s) at which a meter of `METERS` reads three steps.

    >>> readings("one step")
    array([0.01, 0.14, 0.27])
    """
    if meter == "at events":
        return event_times(TRAINING, EVENTS, _STEPS * TRAINING.period)
    gaps = {"10 ms": 0.010, "43 ms": 0.043, "one step": TRAINING.period}
    one_of("meter", meter, gaps)
    times = clock_times(gaps[meter], _STEPS * TRAINING.period, 0.01)
    return times[times < _STEPS * TRAINING.period]


def sampled_trace(meter: str) -> Scene:
    """Draw the power of three steps, the readings of a meter, and the mean of its readings.

    `meter` is one of `METERS`: a clock with that gap, or a reading at each event, which come every
    10 ms in the compute phase and once in the exchange.

    >>> sampled_trace("one step").values["mean of the readings (W)"]
    650.0
    """
    times = readings(meter)
    watts = TRAINING.power_at(times)
    mean, end = float(watts.mean()), _STEPS * TRAINING.period
    across, up = Scale(0, 1e3 * end, 40, 348), Scale(0, 700, 206, 56)
    ends = np.cumsum([p.duration for p in TRAINING.phases] * _STEPS)
    starts = [0.0, *ends]
    levels = [*(p.power for p in TRAINING.phases * _STEPS), TRAINING.power_at(0.0).item()]
    shapes: list[Shape] = [*up.beside(40, "power (W)")]
    shapes.append(Line(stairs([1e3 * t for t in starts], levels, across, up)))
    shapes += [
        Circle(across(1e3 * t), up(w), 4, "", 1, "solid") for t, w in zip(times, watts, strict=True)
    ]
    for value, style in ((TRAINING.mean_power, "plain"), (mean, "dashed")):
        line = [(across(0), up(value)), (across(1e3 * end), up(value))]
        shapes.append(Line(line, 2, "dashed" if style == "dashed" else "thick"))
    shapes.append(Text("thick: mean over time; dashed: mean of the readings", 348, 12, "end"))
    shapes += across.below(206, "time (ms); circles: readings")
    held = time_average([*times, end], [*watts, watts[-1]], "held")
    says = (
        f"{times.size} readings have the mean {mean:.0f} W; the power's mean over time is "
        f"{TRAINING.mean_power:.0f} W."
    )
    values = {"mean of the readings (W)": mean, "weighted by time (W)": held}
    return Scene(242, shapes, says, values | {"mean over time (W)": TRAINING.mean_power})
