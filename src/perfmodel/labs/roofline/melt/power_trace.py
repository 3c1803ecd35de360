"""Energy from samples of power: how to integrate, how often to sample, what to leave out.

The trace is made up, so its exact energy is known. A device idles, reads a question in one burst,
and then generates tokens, each a short spike on a plateau.

>>> session = Session()
>>> abs(energy(*session.sampled(5000)) / session.energy() - 1) < 1e-3
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate

from perfmodel.live.drawing import Circle, Line, Scale, Scene, Shape
from perfmodel.live.drawing.shapes import Point
from perfmodel.validation import Floats, positive, sample, within

Rule = Literal["rectangle", "trapezoid"]


@dataclass(frozen=True)
class Session:
    """One question to a language model on a battery, as power over time.

    Watts `idle` before the question, `burst` while it is read, `plateau` between tokens, and
    `spike` on top for each token, for a share `duty` of its time. Times are in seconds, `rate` in
    tokens/s.
    """

    idle: float = 1.0
    burst: float = 12.0
    plateau: float = 6.0
    spike: float = 4.0
    idle_time: float = 1.0
    burst_time: float = 0.8
    tokens: int = 100
    rate: float = 13.6
    duty: float = 0.45

    @property
    def started(self) -> float:
        """Seconds until the question arrives."""
        return self.idle_time

    @property
    def generating(self) -> float:
        """Seconds until the first token's work begins."""
        return self.idle_time + self.burst_time

    @property
    def duration(self) -> float:
        """Seconds in all."""
        return self.generating + self.tokens / self.rate

    def power(self, time: ArrayLike) -> Floats:
        """Return the watts at each of `time` (s)."""
        t = np.asarray(time, dtype=float)
        phase = (t - self.generating) * self.rate % 1
        decode = self.plateau + self.spike * (phase < self.duty)
        reading = np.where(t < self.generating, self.burst, decode)
        return np.where(t < self.started, self.idle, reading)

    def energy(self) -> float:
        """Return the exact joules of the whole session."""
        return self.idle * self.idle_time + self.burst * self.burst_time + self.decode_energy()

    def decode_energy(self) -> float:
        """Return the exact joules of generating alone."""
        return (self.plateau + self.spike * self.duty) * self.tokens / self.rate

    def sampled(self, frequency: float, offset: float = 0.0) -> tuple[Floats, Floats]:
        """Return sample times (s) and powers (W), `frequency` a second, the first at `offset`."""
        count = int((self.duration - offset) * positive("frequency", frequency)) + 1
        times = offset + np.arange(count) / frequency
        return times, self.power(times)


def energy(times: ArrayLike, power: ArrayLike, rule: Rule = "rectangle") -> float:
    """Integrate samples of power.

    Joules from seconds, increasing, and watts. By the rectangle rule each sample stands for the
    time since the one before, by the trapezoid rule each pair for the time between.

    >>> energy([0, 1, 3], [5, 2, 4]), energy([0, 1, 3], [5, 2, 4], "trapezoid")
    (10.0, 9.5)
    """
    t, p = sample("times", times, at_least=2), sample("power", power, at_least=2)
    if t.shape != p.shape:
        raise ValueError(f"times and power must have one length, got {t.size} and {p.size}")
    steps = np.diff(t)
    if not (steps > 0).all():
        raise ValueError("times must increase from sample to sample")
    if rule == "rectangle":
        return float(steps @ p[1:])
    if rule == "trapezoid":
        return float(integrate.trapezoid(p, t))
    raise ValueError(f"rule must be 'rectangle' or 'trapezoid', got {rule!r}")


TOKENS = 8
"""That are generated while the meter is watched."""
_POWER = Scale(0, 12, 196, 36)
"""Watts."""


def meter_samples(frequency: float, offset: float, session: Session | None = None) -> Scene:
    """Draw the power of eight tokens and what a meter, late by `offset` tokens, makes of it.

    >>> round(meter_samples(13.6, 0.1).values["mean seen (W)"], 3)  # meets every spike
    10.0
    """
    trace = session or Session()
    token, span = 1 / trace.rate, TOKENS / trace.rate
    time = Scale(0, span, 40, 350)
    start = float(within("offset", offset, 0, 1)) * token
    step = 1 / float(positive("frequency", frequency))
    times = start + step * np.arange(int((span - start) / step) + 1)
    power = trace.power(trace.generating + times)
    mean = float(power.mean())
    true = trace.decode_energy() / (trace.tokens / trace.rate)
    shapes: list[Shape] = [
        time.bar(a, _POWER(p), b - a, 196 - _POWER(p), "", 2, "light")
        for a, b, p in zip(times, times[1:], power[1:], strict=False)
    ]
    shapes.append(Line(_spikes(trace, token, time), colour=1, style="thick"))
    shapes += [
        Circle(time(t), _POWER(p), 3.5, "", 2, "solid") for t, p in zip(times, power, strict=True)
    ]
    shapes += [*time.below(196, "time (s)"), *_POWER.beside(40, "power (W)")]
    says = (
        f"The energy is {_off(mean / true - 1)}. The samples have a mean of {mean:.3g} W, and the "
        f"true mean is {true:.3g} W."
    )
    return Scene(238, shapes, says, {"mean seen (W)": mean, "true mean (W)": true})


def _spikes(session: Session, token: float, time: Scale) -> list[Point]:
    low, high = _POWER(session.plateau), _POWER(session.plateau + session.spike)
    corners: list[Point] = []
    for i in range(TOKENS):
        up, down, end = time(i * token), time((i + session.duty) * token), time((i + 1) * token)
        corners += [(up, high), (down, high), (down, low), (end, low)]
    return corners


def _off(share: float) -> str:
    if abs(share) < 0.005:
        return "right within 0.5 %"
    return f"{100 * abs(share):.2g} % too {'high' if share > 0 else 'low'}"
