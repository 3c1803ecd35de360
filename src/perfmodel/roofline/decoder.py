"""What a decoder-only language model reads and computes for each token, and at what rate.

>>> LLAMA_2_7B.parameters
6738149376
>>> float(decoding_bound(50e9, LLAMA_2_7B.streamed_parameters * 2).round(1))
3.8
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.roofline.transformer import Decoder
from perfmodel.validation import Floats, at_least, positive

LLAMA_2_7B = Decoder.uniform(32, 4096, 11008, 32, 32, 32_000, head_dim=128)
LLAMA_2_13B = Decoder.uniform(40, 5120, 13824, 40, 40, 32_000, head_dim=128)
LLAMA_2_70B = Decoder.uniform(80, 8192, 28672, 64, 8, 32_000, head_dim=128)
"""Llama 2 (Touvron et al., arXiv 2307.09288, 2023): shapes of its released models."""


def decode_bytes(
    model: Decoder, bytes_per_weight: ArrayLike, context: ArrayLike = 0, kv_bytes: ArrayLike = 2
) -> Floats:
    """Return the bytes that one sequence reads from memory for its next token.

    Parameters
    ----------
    model : Decoder
        The shapes that say how much is read.
    bytes_per_weight : array_like
        4 for FP32, 2 for FP16, 0.5625 for 4.5 bits, above 0.
    context : array_like
        Tokens whose keys and values are read, as far as a layer's window holds them, 0 or more.
    kv_bytes : array_like
        Bytes of a number in their cache.

    Examples
    --------
    >>> from perfmodel.roofline import Decoder
    >>> model = Decoder.uniform(32, 4096, 11008, 32, 32, 32_000, head_dim=128)
    >>> decode_bytes(model, 2, context=[0, 4096]).round(-8) / 1e9
    array([13.2, 15.4])
    """
    weights = model.parameters_read(1) * positive("bytes_per_weight", bytes_per_weight)
    cached = model.cached_numbers(context) * positive("kv_bytes", kv_bytes)
    return np.asarray(weights + cached)


def decoding_bound(bandwidth: ArrayLike, step_bytes: ArrayLike, batch: ArrayLike = 1) -> Floats:
    """Return the most tokens/s where every step reads `step_bytes` from memory.

    Parameters
    ----------
    bandwidth : array_like
        Bytes/s of main memory, above 0.
    step_bytes : array_like
        Bytes read in a step, by all its sequences together, above 0.
    batch : array_like
        Sequences that a step advances by one token, 1 or more.

    Examples
    --------
    >>> float(decoding_bound(204.8e9, 3.83e9).round(1))
    53.5
    """
    size = positive("step_bytes", step_bytes)
    return np.asarray(positive("bandwidth", bandwidth) / size * at_least("batch", batch, 1))


def decode_step_time(
    model: Decoder,
    batch: ArrayLike,
    bandwidth: ArrayLike,
    peak: ArrayLike,
    bytes_per_weight: ArrayLike,
) -> Floats:
    """Return the least seconds of a step: the longer of reading the weights and computing.

    Parameters
    ----------
    model : Decoder
        The shapes that say how much is read and computed.
    batch : array_like
        Sequences advanced together.
    bandwidth, peak : array_like
        Bytes/s and FLOP/s.
    bytes_per_weight : array_like
        4 for FP32, 2 for FP16, 0.5625 for 4.5 bits.

    Examples
    --------
    >>> from perfmodel.roofline import Decoder
    >>> model = Decoder.uniform(32, 4096, 11008, 32, 32, 32_000, head_dim=128)
    >>> decode_step_time(model, [1, 1024], 3e12, 1e15, 2).round(4)
    array([0.0044, 0.0135])
    """
    size = at_least("batch", batch, 1)
    read = model.parameters_read(size) * positive("bytes_per_weight", bytes_per_weight)
    work = model.operations_per_token * size
    reading = read / positive("bandwidth", bandwidth)
    return np.asarray(np.maximum(reading, work / positive("peak", peak)))


def saturation_batch(bandwidth: ArrayLike, peak: ArrayLike, bytes_per_weight: ArrayLike) -> Floats:
    """Return the batch at which reading the weights and computing take equally long.

    A weight of `bytes_per_weight` bytes is used for 2 FLOP a sequence, so the model's shape
    cancels; `bandwidth` is in bytes/s and `peak` in FLOP/s.

    >>> float(saturation_batch(50e9, 200e9, 4))
    8.0
    """
    balance = positive("peak", peak) / positive("bandwidth", bandwidth)
    return np.asarray(balance * positive("bytes_per_weight", bytes_per_weight) / 2)
