"""Can it be? The speed claimed for GEB-1.3B on a processor (Wu et al., arXiv 2406.09900, 2024).

The paper reports that the FP32 model generates at a "commendable" speed on CPUs; the model's card
says 12 tokens/s, without naming the machine. A claim can be audited without it: the weights must be
read for every token, so the claim implies a memory bandwidth.

>>> from perfmodel.roofline.decoder import decode_bytes
>>> float(claimed_bandwidth(12, decode_bytes(GEB_1_3B, 4)).round(-8)) / 1e9
58.3
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.roofline.decoder import decode_bytes, decode_step_time
from perfmodel.roofline.transformer import Decoder
from perfmodel.validation import Floats, positive, whole, within


def claimed_bandwidth(rate: ArrayLike, step_bytes: ArrayLike) -> Floats:
    """Return the least bytes/s that a claimed `rate` of tokens/s implies."""
    return np.asarray(positive("rate", rate) * positive("step_bytes", step_bytes))


def quantization_speedup(bytes_per_weight: ArrayLike, streaming_share: ArrayLike = 1.0) -> Floats:
    """Return the speedup if the share of FP32's time that reads weights gets shorter (Amdahl).

    >>> quantization_speedup([4, 2, 1]), float(quantization_speedup(1, 0.8))
    (array([1., 2., 4.]), 2.5)
    """
    fraction = within("streaming_share", streaming_share, 0, 1)
    shorter = positive("bytes_per_weight", bytes_per_weight) / 4
    return np.asarray(1 / (1 - fraction + fraction * shorter))


GEB_1_3B = Decoder.uniform(24, 2048, 5632, 16, 4, 64_896, head_dim=128)
"""Shapes of the released model (config.json at huggingface.co/GEB-AGI/geb-1.3b)."""


BANDWIDTH, PEAK = 50e9, 400e9
"""Bytes/s and FLOP/s of the processor drawn."""
_TIME = Scale(0, 200, 16, 344)
"""Milliseconds."""


def step_bars(texts: int, bits: float) -> Scene:
    """Draw how long a step of this many texts reads weights of `bits` bits, and computes."""
    batch = whole("texts", texts, low=1)
    reading = 1e3 * float(decode_bytes(GEB_1_3B, bits / 8)) / BANDWIDTH
    per_text = 1e3 * GEB_1_3B.operations_per_token / PEAK
    step = 1e3 * float(decode_step_time(GEB_1_3B, batch, BANDWIDTH, PEAK, bits / 8))
    shapes: list[Shape] = [
        Text("reading the weights, once", 16, 18, anchor="start"),
        _TIME.bar(0, 32, reading, 32, "", 2, "hatch"),
        Text("computing, a piece for each text", 16, 86, anchor="start"),
    ]
    pieces = [_TIME(i * per_text) for i in range(batch)]
    shapes += [Box(x, 100, _TIME.length(per_text), 32, "", 1, "solid") for x in pieces]
    end = _TIME(step)
    shapes += [Line([(end, y), (end, y + 44)], style="dashed") for y in (26, 100)]
    shapes += _TIME.below(146, "time of a step (ms)")
    who = "reading decides" if reading > batch * per_text else "computing decides"
    if math.isclose(reading, batch * per_text):
        who = "both end together"
    rate = 1e3 * batch / step
    says = (
        f"Reading takes {reading:.3g} ms and computing {batch * per_text:.3g} ms, so {who}. All "
        f"texts together get {rate:.3g} tokens/s."
    )
    return Scene(190, shapes, says, {"step (ms)": step, "tokens/s, all texts": rate})
