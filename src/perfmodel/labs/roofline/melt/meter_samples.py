"""A meter over a spiky signal: what each sample stands for, and the mean that comes out."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.roofline.melt.power_trace import Session
from perfmodel.live.drawing import Box, Circle, Line, Scale, Scene, Shape
from perfmodel.live.drawing.shapes import Point
from perfmodel.validation import positive, within

TOKENS = 8
"""That are generated while the meter is watched."""
_POWER = Scale(0, 12, 196, 36)
"""Watts."""


def meter_samples(frequency: float, offset: float, session: Session | None = None) -> Scene:
    """Draw the power of eight tokens and what a meter makes of it.

    `frequency` is in samples/s; the meter starts `offset` of a token's time late.

    >>> round(meter_samples(13.6, 0.1).values["mean seen (W)"], 3)  # meets every spike
    10.0
    """
    made = session or Session()
    token, span = 1 / made.rate, TOKENS / made.rate
    time = Scale(0, span, 40, 350)
    start = float(within("offset", offset, 0, 1)) * token
    step = 1 / float(positive("frequency", frequency))
    times = start + step * np.arange(int((span - start) / step) + 1)
    power = made.power(made.generating + times)
    mean = float(power.mean())
    true = made.decode_energy() / (made.tokens / made.rate)
    shapes: list[Shape] = [
        Box(time(a), _POWER(p), time.length(b - a), 196 - _POWER(p), "", 2, "light")
        for a, b, p in zip(times, times[1:], power[1:], strict=False)
    ]
    shapes.append(Line(_spikes(made, token, time), colour=1, style="thick"))
    shapes += [
        Circle(time(t), _POWER(p), 3.5, "", 2, "solid") for t, p in zip(times, power, strict=True)
    ]
    shapes += [*time.below(196, "time (s)"), *_POWER.beside(40, "power (W)")]
    says = (
        f"The samples have a mean of {mean:.3g} W, the power one of {true:.3g} W: the energy comes "
        f"out {_off(mean / true - 1)}."
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
        return "right within half a per cent"
    return f"{100 * abs(share):.2g} % too {'high' if share > 0 else 'low'}"
