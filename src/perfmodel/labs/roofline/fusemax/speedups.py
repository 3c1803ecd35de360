"""FuseMax against its rivals: speedups, energy ratios and operational intensity.

Seconds and bytes are those of `latency`, joules those of the authors' artifact (`inputs`).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from perfmodel.labs.roofline.fusemax.inputs import (
    ATTENTION_ENERGY,
    LENGTHS,
    LINEAR_ENERGY,
    MODELS,
    Transformer,
)
from perfmodel.labs.roofline.fusemax.latency import Design, latency, linear_latency, traffic
from perfmodel.validation import Floats, one_of


def speedups(baseline: Design, end_to_end: bool = False) -> Floats:
    """Return FuseMax's speedup over a design for each of `MODELS` and of `LENGTHS`.

    `end_to_end` includes the linear layers, the same in both. The result has the shape (4, 6).

    >>> print(round(speedups("FLAT").mean(), 4))
    6.7226
    """

    def ratio(model: Transformer, length: int) -> float:
        rest = linear_latency(model, length) if end_to_end else 0.0
        slow = latency(baseline, model, length)
        return (slow + rest) / (latency("FuseMax", model, length) + rest)

    return np.array([[ratio(model, length) for length in LENGTHS] for model in MODELS])


def intensity(design: Design, model: Transformer, length: int) -> float:
    """Return the multiply-accumulates of attention's two products per byte of DRAM traffic.

    >>> from perfmodel.labs.roofline.fusemax.inputs import BERT
    >>> print(round(intensity("unfused", BERT, 65536), 2), intensity("FuseMax", BERT, 1024))
    15.98 256.0
    """
    operations = 2.0 * model.batch * model.heads * length**2 * model.head_width
    return operations / traffic(design, model, length)


def energy_ratios(baseline: Literal["unfused", "FLAT"], end_to_end: bool = False) -> Floats:
    """Return FuseMax's energy over a design's for each of `MODELS` and of `LENGTHS`.

    End to end, the linear layers, each on its own chip, are included, and only "FLAT" is known. The
    result has the shape (4, 6).

    >>> print(round(energy_ratios("FLAT").mean(), 4))
    0.7875
    """
    known = ("FLAT",) if end_to_end else ("unfused", "FLAT")
    one_of("baseline", baseline, known)
    ours, theirs = ATTENTION_ENERGY["FuseMax"], ATTENTION_ENERGY[baseline]
    if end_to_end:
        ours, theirs = ours + LINEAR_ENERGY["FuseMax"], theirs + LINEAR_ENERGY[baseline]
    return ours / theirs
