"""The trigger as a funnel: what flows into each stage, and the watts that it costs."""

from __future__ import annotations

import math

from perfmodel.labs.scaling.hep_daq.designs import DESIGNS, STAGES, technology
from perfmodel.labs.scaling.hep_daq.inputs import ADDED_BYTES, YEAR
from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.units import prefixed

_TRIGGERS = STAGES[-2:]
_LEFT, _WIDTH = 12.0, 336.0


def funnel(design: str) -> Scene:
    """Draw the stages of one design: bytes/s as widths on a log scale, power beside them.

    >>> round(funnel("as planned").values["power (MW)"], 1)
    51.6
    """
    if design not in DESIGNS:
        raise ValueError(f"design must be one of {', '.join(DESIGNS)}, got {design!r}")
    chosen = DESIGNS[design]
    flows, scale = chosen.flows(), technology(YEAR)
    first, last = (flows[name] for name in _TRIGGERS)
    before = sum(flow.power for name, flow in flows.items() if name not in _TRIGGERS)
    stages = [
        ("detectors and links", (first.size - ADDED_BYTES) * first.rate_in, before),
        ("first trigger", first.size * first.rate_in, first.power),
        ("last trigger", last.size * last.rate_in, last.power),
        ("disk", last.size * last.rate_out, 0.0),
    ]
    shapes: list[Shape] = []
    for row, (name, rate, power) in enumerate(stages):
        y = 16.0 + 62 * row
        width = _WIDTH * math.log10(rate / 1e8) / math.log10(stages[1][1] / 1e8)
        shapes.append(
            Box(_LEFT + (_WIDTH - width) / 2, y, width, 26, prefixed(rate, "B/s"), row % 4)
        )
        watts = prefixed(power / scale, "W") if power else "not counted"
        shapes.append(Text(f"{name}: {watts}", 180, y + 40))
        if row < len(stages) - 1:
            shapes.append(Line([(24.0, y + 30), (24.0, y + 58)], 1, head=True))
    total = chosen.power()
    says = (
        f"{design}: {prefixed(total, 'W')} in all, {100 * last.power / scale / total:.1f} % of it "
        f"in the last trigger, which gets one event in {chosen.first_ratio:g}."
    )
    values = {"power (MW)": total / 1e6, "event (MB)": last.size / 1e6}
    return Scene(16.0 + 62 * len(stages), shapes, says, values)
