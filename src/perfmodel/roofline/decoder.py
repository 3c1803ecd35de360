"""What a decoder-only language model holds, reads and computes for each token.

Counts follow from the shapes alone: grouped-query attention, a gated feed-forward network of three
matrices, and one table each for input and output words. Norms and biases, less than a thousandth,
are left out.

>>> LLAMA_2_7B.parameters
6738149376
>>> float(decoding_bound(50e9, LLAMA_2_7B.streamed_parameters * 2).round(1))
3.8
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, at_least, non_negative, positive, whole


@dataclass(frozen=True)
class Decoder:
    """The shape of a decoder-only transformer.

    Attributes
    ----------
    layers, hidden, feed_forward, heads, kv_heads, vocabulary : int
        `kv_heads` groups of heads share keys and values; `heads` of them is plain attention.
    tied : bool
        Whether input and output words share one table.

    Raises
    ------
    ValueError
        If a number is not whole and positive, or heads do not divide.
    """

    layers: int
    hidden: int
    feed_forward: int
    heads: int
    kv_heads: int
    vocabulary: int
    tied: bool = False

    def __post_init__(self) -> None:
        """Refuse shapes that no model has."""
        for name in ("layers", "hidden", "feed_forward", "heads", "kv_heads", "vocabulary"):
            whole(name, getattr(self, name), low=1)
        if self.hidden % self.heads:
            raise ValueError(f"heads must divide hidden {self.hidden}, got {self.heads}")
        if self.heads % self.kv_heads:
            raise ValueError(f"kv_heads must divide heads {self.heads}, got {self.kv_heads}")

    @property
    def kv_width(self) -> int:
        """Numbers in a token's keys (or values) of one layer."""
        return self.hidden // self.heads * self.kv_heads

    @property
    def attention_parameters(self) -> int:
        """Of one layer: queries and output are square, keys and values narrower."""
        return 2 * self.hidden**2 + 2 * self.hidden * self.kv_width

    @property
    def feed_forward_parameters(self) -> int:
        """Of one layer: gate, up and down."""
        return 3 * self.hidden * self.feed_forward

    @property
    def layer_parameters(self) -> int:
        """Of all layers together, without the tables of words."""
        return self.layers * (self.attention_parameters + self.feed_forward_parameters)

    @property
    def parameters(self) -> int:
        """Of the whole model."""
        return self.layer_parameters + (1 if self.tied else 2) * self.vocabulary * self.hidden

    @property
    def streamed_parameters(self) -> int:
        """Read for every token: all layers and the output table; of the input table, one row."""
        return self.layer_parameters + self.vocabulary * self.hidden

    @property
    def kv_numbers(self) -> int:
        """Numbers that a token leaves in the cache of keys and values, all layers together."""
        return 2 * self.layers * self.kv_width

    @property
    def operations_per_token(self) -> int:
        """FLOP of the matrix products for one token: a multiplication and an addition a weight."""
        return 2 * self.streamed_parameters


LLAMA_2_7B = Decoder(32, 4096, 11008, 32, 32, 32_000)
LLAMA_2_13B = Decoder(40, 5120, 13824, 40, 40, 32_000)
LLAMA_2_70B = Decoder(80, 8192, 28672, 64, 8, 32_000)
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
        4 for FP32, 2 for FP16, 0.5625 for 4.5 bits.
    context : array_like
        Tokens whose keys and values are read.
    kv_bytes : array_like
        Bytes of a number in their cache.
    """
    weights = model.streamed_parameters * positive("bytes_per_weight", bytes_per_weight)
    cached = non_negative("context", context) * positive("kv_bytes", kv_bytes)
    return np.asarray(weights + model.kv_numbers * cached)


def decoding_bound(bandwidth: ArrayLike, step_bytes: ArrayLike, batch: ArrayLike = 1) -> Floats:
    """Return the most tokens/s where every step reads `step_bytes` from memory.

    Parameters
    ----------
    bandwidth : array_like
        Bytes/s of main memory.
    step_bytes : array_like
        Bytes read in a step, by all its sequences together.
    batch : array_like
        Sequences that a step advances by one token.

    Raises
    ------
    ValueError
        If bandwidth or bytes are not positive, or the batch is below 1.

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
    """
    reading = decode_bytes(model, bytes_per_weight) / positive("bandwidth", bandwidth)
    work = model.operations_per_token * at_least("batch", batch, 1)
    return np.maximum(reading, work / positive("peak", peak))


def saturation_batch(bandwidth: ArrayLike, peak: ArrayLike, bytes_per_weight: ArrayLike) -> Floats:
    """Return the batch at which reading the weights and computing take equally long.

    A weight of `bytes_per_weight` bytes is used for 2 FLOP a sequence, so the model's shape
    cancels; `bandwidth` is in bytes/s and `peak` in FLOP/s.

    >>> float(saturation_batch(50e9, 200e9, 4))
    8.0
    """
    balance = positive("peak", peak) / positive("bandwidth", bandwidth)
    return np.asarray(balance * positive("bytes_per_weight", bytes_per_weight) / 2)
