"""One step of generating as two bars: the weights are read once, and used for each text."""

from __future__ import annotations

import math

from perfmodel.labs.roofline.geb.inputs import GEB_1_3B
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.roofline.decoder import decode_bytes, decode_step_time
from perfmodel.validation import whole

BANDWIDTH, PEAK = 50e9, 400e9
"""Bytes/s and FLOP/s of the processor drawn."""
_TIME = Scale(0, 200, 16, 344)
"""Milliseconds."""


def step_bars(texts: int, bits: float) -> Scene:
    """Draw how long a step reads weights and how long it computes.

    The texts are advanced together by one token; `bits` is of a weight.

    >>> step_bars(1, 32).values["step (ms)"] == step_bars(8, 32).values["step (ms)"]
    True
    """
    batch = whole("texts", texts, low=1)
    reading = 1e3 * float(decode_bytes(GEB_1_3B, bits / 8)) / BANDWIDTH
    each = 1e3 * GEB_1_3B.operations_per_token / PEAK
    step = 1e3 * float(decode_step_time(GEB_1_3B, batch, BANDWIDTH, PEAK, bits / 8))
    shapes: list[Shape] = [
        Text("reading the weights, once", 16, 18, anchor="start"),
        Box(_TIME(0), 32, _TIME.length(reading), 32, "", 2, "hatch"),
        Text("computing, a piece for each text", 16, 86, anchor="start"),
    ]
    pieces = [_TIME(i * each) for i in range(batch)]
    shapes += [Box(x, 100, _TIME.length(each), 32, "", 1, "solid") for x in pieces]
    end = _TIME(step)
    shapes += [Line([(end, y), (end, y + 44)], style="dashed") for y in (26, 100)]
    shapes += _TIME.below(146, "time of a step (ms)")
    who = "reading decides" if reading > batch * each else "computing decides"
    if math.isclose(reading, batch * each):
        who = "both end together"
    rate = 1e3 * batch / step
    says = (
        f"Reading takes {reading:.3g} ms, computing {batch * each:.3g} ms: {who}. All "
        f"texts together get {rate:.3g} tokens/s."
    )
    return Scene(190, shapes, says, {"step (ms)": step, "tokens/s, all texts": rate})
