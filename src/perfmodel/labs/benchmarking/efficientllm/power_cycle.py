"""A machine whose power repeats in a known cycle, and meters that read it at certain times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, non_negative, positive, whole, within

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

    def __post_init__(self) -> None:
        """Refuse a cycle without phases, or with a phase that takes no time."""
        if not self.phases:
            raise ValueError("phases must be one or more, got none")
        for phase in self.phases:
            positive("duration", phase.duration)
            non_negative("power", phase.power)

    @property
    def period(self) -> float:
        """Seconds until it begins anew."""
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
    """Return the times at which a meter with a clock reads.

    Readings every `gap` seconds from `offset` on; `jitter` is the share of a gap, below one half,
    by which each comes early or late by chance.

    >>> print(clock_times(0.5, 2.0))
    [0.  0.5 1.  1.5]
    """
    step, length = float(positive("gap", gap)), float(positive("duration", duration))
    share = float(within("jitter", jitter, 0, 0.499))
    times = float(non_negative("offset", offset)) + step * np.arange(int(np.ceil(length / step)))
    shift = np.random.default_rng(whole("seed", seed)).uniform(-share, share, times.size)
    return np.asarray(times + step * shift, dtype=np.float64)


def event_times(cycle: PowerCycle, gaps: dict[str, float], duration: float) -> Floats:
    """Return the times of readings that events trigger, whose pace depends on the phase.

    `gaps` are the seconds between two events in each phase, by its name; each phase begins with an
    event.

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
