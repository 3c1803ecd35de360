"""Can it be? The speed claimed for GEB-1.3B on a processor (Wu et al., arXiv 2406.09900, 2024).

The paper reports that the FP32 model generates at a "commendable" speed on CPUs; about 12 tokens/s
is quoted, without naming the machine. A claim can be audited without the machine: the weights
must be read for every token, so the claim implies a memory bandwidth.

>>> float(bandwidth_needed(12, decode_bytes(ASSUMED, 4)).round(-8)) / 1e9
58.3
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.ledger import Claim, half_unit
from perfmodel.roofline.decoder import Decoder, decode_bytes, decoding_bound, saturation_batch
from perfmodel.validation import Floats, positive, within

ASSUMED = Decoder(24, 2048, 5632, 16, 4, 64_896)
"""Shapes that give the paper's 1.3 billion parameters. The paper's text as we have it does not
list them: an assumption, and any other can be put in its place."""
TRAINING_TOKENS = 550e9
"""Tokens of the training text (abstract)."""


def memory_bandwidth(channels: ArrayLike, transfers: ArrayLike) -> Floats:
    """Return the peak bytes/s of memory channels that are 64 bits wide.

    Parameters
    ----------
    channels : array_like
    transfers : array_like
        Transfers/s of a channel: 3.2e9 for DDR4-3200.

    Examples
    --------
    >>> float(memory_bandwidth(2, 3.2e9)) / 1e9
    51.2
    """
    return np.asarray(8 * positive("channels", channels) * positive("transfers", transfers))


def bandwidth_needed(rate: ArrayLike, step_bytes: ArrayLike) -> Floats:
    """Return the least bytes/s that a claimed rate of tokens/s implies."""
    return np.asarray(positive("rate", rate) * positive("step_bytes", step_bytes))


def quantization_speedup(bytes_per_weight: ArrayLike, streaming_share: ArrayLike = 1.0) -> Floats:
    """Return the speedup over FP32 if only the reading of weights gets shorter (Amdahl's law).

    Parameters
    ----------
    bytes_per_weight : array_like
    streaming_share : array_like
        Share of the FP32 time spent reading weights, 0 to 1.

    Examples
    --------
    >>> quantization_speedup([4, 2, 1]), float(quantization_speedup(1, 0.8))
    (array([1., 2., 4.]), 2.5)
    """
    share = within("streaming_share", streaming_share, 0, 1)
    return np.asarray(1 / (1 - share + share * positive("bytes_per_weight", bytes_per_weight) / 4))


def training_operations(model: Decoder, tokens: ArrayLike) -> Floats:
    """Return the FLOP of training: 6 a parameter and token (2 forward, 4 backward)."""
    return np.asarray(6.0 * model.parameters * positive("tokens", tokens))


def overtraining(model: Decoder, tokens: ArrayLike, best: float = 20) -> Floats:
    """Return the training tokens over those that spend a compute budget best.

    Parameters
    ----------
    model : Decoder
    tokens : array_like
    best : float
        Tokens a parameter at the optimum; about 20 (Hoffmann et al., 2022).
    """
    return np.asarray(positive("tokens", tokens) / (positive("best", best) * model.parameters))


def _derived(quantity: str, printed: str, unit: str, ours: Callable[[], float | Floats]) -> Claim:
    return Claim(
        "geb",
        quantity,
        "recomputed",
        float(printed),
        unit,
        "worked out from the assumed shapes",
        lambda: float(ours()),
        derived=True,
        absolute=half_unit(printed),
    )


def claims() -> list[Claim]:
    """Return what follows from the assumed shapes, worked out independently, beside ours."""
    return [*_size_claims(), *_rate_claims(), *_cache_claims(), *_training_claims()]


def _size_claims() -> list[Claim]:
    return [
        _derived("parameters", "1347944448", "1", lambda: ASSUMED.parameters),
        _derived(
            "parameters of a layer's attention, 4 groups of keys and values",
            "10485760",
            "1",
            lambda: ASSUMED.attention_parameters,
        ),
    ]


def _rate_claims() -> list[Claim]:
    full = decode_bytes(ASSUMED, 4)
    rates = {"51.2": "10.5", "76.8": "15.8", "204.8": "42.1"}
    speedups = {"2": "2.0", "1": "4.0", "0.5625": "7.1"}
    return [
        _derived("gigabytes read for a token in FP32", "4.860", "GB", lambda: full / 1e9),
        _derived(
            "least bandwidth for 12 tokens/s in FP32, GB/s",
            "58.3",
            "GB/s",
            lambda: bandwidth_needed(12, full) / 1e9,
        ),
        *(
            _derived(
                f"most FP32 tokens/s at {bandwidth} GB/s",
                rate,
                "1/s",
                partial(decoding_bound, float(bandwidth) * 1e9, full),
            )
            for bandwidth, rate in rates.items()
        ),
        *(
            _derived(
                f"ideal speedup over FP32 at {size} bytes a weight",
                speedup,
                "1",
                partial(quantization_speedup, float(size)),
            )
            for size, speedup in speedups.items()
        ),
    ]


def _cache_claims() -> list[Claim]:
    full, four_bits = decode_bytes(ASSUMED, 4), decode_bytes(ASSUMED, 4.5 / 8)
    cached = decode_bytes(ASSUMED, 4, context=4096) - full
    return [
        _derived("megabytes of keys and values, context 4,096", "201", "MB", lambda: cached / 1e6),
        _derived("the same over FP32 weights", "0.041", "1", lambda: cached / full),
        _derived("the same over weights of 4.5 bits", "0.29", "1", lambda: cached / four_bits),
        _derived(
            "batch where 200 GFLOP/s and 50 GB/s balance in FP32",
            "8.0",
            "1",
            partial(saturation_batch, 50e9, 200e9, 4),
        ),
    ]


def _training_claims() -> list[Claim]:
    return [
        _derived(
            "training FLOP in units of 1e21",
            "4.45",
            "1e21 FLOP",
            lambda: training_operations(ASSUMED, TRAINING_TOKENS) / 1e21,
        ),
        _derived(
            "training tokens over the compute-optimal number",
            "20",
            "1",
            partial(overtraining, ASSUMED, TRAINING_TOKENS),
        ),
    ]
