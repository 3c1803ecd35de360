"""A machine whose power repeats in a known cycle, and meters that read it at certain times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.benchmarking import time_average
from perfmodel.live.drawing import Circle, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import stairs
from perfmodel.validation import Floats, finite, non_negative, one_of, positive, whole, within

_SLACK = 1e-9
"""Seconds by which a time may be early through rounding and still count as on a boundary."""


class Phase(NamedTuple):
    """A part of the cycle: how long it takes (s), and the power that it draws (W)."""

    name: str
    duration: float
    power: float


@dataclass(frozen=True)
class PowerCycle:
    """Phases that repeat for ever, from time 0.

    >>> cycle = PowerCycle((Phase("compute", 0.09, 650.0), Phase("exchange", 0.04, 300.0)))
    >>> round(cycle.mean_power, 2), print(cycle.power_at([0.0, 0.1, 0.14]))
    [650. 300. 650.]
    (542.31, None)
    """

    phases: tuple[Phase, ...]

    @property
    def period(self) -> float:
        """Seconds until it begins again."""
        return float(sum(phase.duration for phase in self.phases))

    @property
    def mean_power(self) -> float:
        """The true mean over time, watts."""
        return sum(phase.duration * phase.power for phase in self.phases) / self.period

    def phase_at(self, times: ArrayLike) -> np.ndarray:
        """Return the place of the phase at `times` (s), from 0."""
        ends = np.cumsum([phase.duration for phase in self.phases])
        moment = np.mod(finite("times", times) + _SLACK, self.period)
        return np.minimum(np.searchsorted(ends, moment, side="right"), len(ends) - 1)

    def power_at(self, times: ArrayLike) -> Floats:
        """Return watts at `times` (s)."""
        watts = np.array([phase.power for phase in self.phases], dtype=np.float64)
        return np.asarray(watts[self.phase_at(times)])


TRAINING = PowerCycle((Phase("compute", 0.09, 650.0), Phase("exchange", 0.04, 300.0)))
"""A made-up training step of 130 ms, of the length and power that the study's tables show."""


def clock_times(
    gap: float, duration: float, offset: float = 0.0, jitter: float = 0.0, seed: int = 0
) -> Floats:
    """Return readings every `gap` seconds, each off by chance by up to `jitter` (< 0.5) gaps.

    >>> print(clock_times(0.5, 2.0))
    [0.  0.5 1.  1.5]
    """
    step, length = float(positive("gap", gap)), float(positive("duration", duration))
    fraction = float(within("jitter", jitter, 0, 0.499))
    times = float(non_negative("offset", offset)) + step * np.arange(int(np.ceil(length / step)))
    shift = np.random.default_rng(whole("seed", seed)).uniform(-fraction, fraction, times.size)
    return np.asarray(times + step * shift, dtype=np.float64)


def event_times(cycle: PowerCycle, gaps: dict[str, float], duration: float) -> Floats:
    """Return the times of events, whose gaps in seconds depend on the phase that they start.

    >>> print(event_times(TRAINING, {"compute": 0.03, "exchange": 0.04}, 0.13))
    [0.   0.03 0.06 0.09]
    """
    starts = np.cumsum([0.0, *(phase.duration for phase in cycle.phases)])
    once = np.concatenate(
        [
            start + np.arange(0, phase.duration - 1e-9, float(positive("gaps", gaps[phase.name])))
            for start, phase in zip(starts, cycle.phases, strict=False)
        ]
    )
    cycles = int(np.ceil(float(positive("duration", duration)) / cycle.period))
    times = (cycle.period * np.arange(cycles)[:, None] + once).ravel()
    return np.asarray(times[times < duration - 1e-9], dtype=np.float64)


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
        f"The mean of the readings is {mean:.0f} W. The mean over time is "
        f"{TRAINING.mean_power:.0f} W."
    )
    values = {"mean of the readings (W)": mean, "weighted by time (W)": held}
    return Scene(242, shapes, says, values | {"mean over time (W)": TRAINING.mean_power})
