"""Can it be? The speed claimed for GEB-1.3B on a processor (Wu et al., arXiv 2406.09900, 2024).

The paper reports that the FP32 model generates at a "commendable" speed on CPUs; the model's card
says 12 tokens/s, without naming the machine. A claim can be audited without it: the weights must be
read for every token, so the claim implies a memory bandwidth.

>>> from perfmodel.labs.roofline.geb.inputs import GEB_1_3B
>>> from perfmodel.roofline.decoder import decode_bytes
>>> float(claimed_bandwidth(12, decode_bytes(GEB_1_3B, 4)).round(-8)) / 1e9
58.3
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.roofline.transformer import Decoder
from perfmodel.validation import Floats, positive, within


def claimed_bandwidth(rate: ArrayLike, step_bytes: ArrayLike) -> Floats:
    """Return the least bytes/s that a claimed `rate` of tokens/s implies.

    The counterpart of `decoding_bound`, whose `step_bytes` it takes.
    """
    return np.asarray(positive("rate", rate) * positive("step_bytes", step_bytes))


def quantization_speedup(bytes_per_weight: ArrayLike, streaming_share: ArrayLike = 1.0) -> Floats:
    """Return the speedup over FP32 if only the reading of weights gets shorter (Amdahl's law).

    `bytes_per_weight` are those after the change, 4 in FP32; `streaming_share` is the share of the
    FP32 time spent reading weights.

    >>> quantization_speedup([4, 2, 1]), float(quantization_speedup(1, 0.8))
    (array([1., 2., 4.]), 2.5)
    """
    share = within("streaming_share", streaming_share, 0, 1)
    return np.asarray(1 / (1 - share + share * positive("bytes_per_weight", bytes_per_weight) / 4))


def overtraining(model: Decoder, tokens: ArrayLike, best: float = 20) -> Floats:
    """Return the training tokens over those that spend a compute budget best.

    `best` is tokens a parameter at the optimum; about 20 (Hoffmann et al., 2022).
    """
    return np.asarray(positive("tokens", tokens) / (positive("best", best) * model.parameters))
