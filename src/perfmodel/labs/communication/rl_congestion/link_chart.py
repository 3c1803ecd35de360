"""Flows that share a link, drawn step by step: their rates as bars, the queue as a tank."""

from __future__ import annotations

from perfmodel.labs.communication.rl_congestion.experiments import PUBLISHED, history
from perfmodel.live.drawing import Box, Line, Scene, Shape, Text
from perfmodel.validation import whole

FLOWS = (2, 4, 8)
STEPS = (0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560)
_TOP, _BOTTOM, _WIDTH = 44.0, 204.0, 170.0
_MOST = 3.0
"""Inflation at the tank's rim; a queue above it is drawn full."""


def shared_link(flows: int, step: int) -> Scene:
    """Draw the rates of 2, 4 or 8 flows after some steps under the published law, and their queue.

    >>> round(shared_link(4, 2560).values["inflation"], 3)
    1.628
    """
    whole("step", step, 0, STEPS[-1])
    run = history(PUBLISHED, flows, STEPS[-1], seed=3)
    rates, inflation = run.rates[step], float(run.inflation[step])
    height = (_BOTTOM - _TOP) / flows
    shapes: list[Shape] = [
        Text("rate of each flow", 20, 16, "start"),
        Text("even share", 20 + _WIDTH / flows, _BOTTOM + 16),
        Text("line rate", 20 + _WIDTH, 32),
        Line([(20 + _WIDTH / flows, _TOP), (20 + _WIDTH / flows, _BOTTOM + 6)], style="dashed"),
        Line([(20 + _WIDTH, _TOP), (20 + _WIDTH, _BOTTOM)]),
    ]
    for flow, rate in enumerate(rates):
        top = _TOP + flow * height + 3
        shapes.append(Box(20, top, max(_WIDTH * float(rate), 1.0), height - 6, "", 1, "light"))
    return Scene(
        _BOTTOM + 28,
        [*shapes, *_tank(inflation, flows)],
        f"After {step} steps the rates are between {rates.min():.3f} and {rates.max():.3f} and "
        f"add up to {rates.sum():.2f}. Packets take {inflation:.3f} times as long as over an "
        "empty link.",
        {"inflation": inflation, "sum of rates": float(rates.sum())},
    )


def _tank(inflation: float, flows: int) -> list[Shape]:
    """Draw the queue, with the level at which this many flows stand still."""
    left, right = 250.0, 320.0

    def level(value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (min(value, _MOST) - 1) / (_MOST - 1)

    calm = level(float(PUBLISHED.equilibrium_inflation(flows)))
    shapes: list[Shape] = [
        Text("queueing delay", 285, 16),
        Line([(left, _TOP), (left, _BOTTOM), (right, _BOTTOM), (right, _TOP)]),
        Line([(left - 10, calm), (right + 10, calm)], style="dashed"),
        Text("equilibrium", 285, _BOTTOM + 16),
    ]
    depth = _BOTTOM - level(inflation)
    if depth > 1:
        shapes.append(Box(left + 3, _BOTTOM - depth, right - left - 6, depth, "", 2, "hatch"))
    return shapes
