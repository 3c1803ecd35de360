"""Is a table in the cache faster than a multiplier? SAIL (Zhang et al., arXiv 2509.25853, 2025).

SAIL decodes quantized language models in the last-level cache of a server processor. It looks up
sums of weights (`lookup_product`). The paper measured a circuit simulation. This module counts
operations, and the best group width follows from the count.

>>> best_width(batch=8, activation_bits=8)
5
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.roofline.sail.lookup_product import WIDEST, Integers, quantized
from perfmodel.validation import Floats, at_least, within


def operations_per_weight(width: ArrayLike, batch: ArrayLike, activation_bits: ArrayLike) -> Floats:
    """Return the additions and lookups for each weight and vector, c(N).

    c(N) = (2^N - N - 1) / (N B) + a / N: the additions that fill a table, shared by B vectors, and
    one lookup for each of a bits, shared by the N weights of a group. A multiplier needs 1
    multiply-add a weight and vector. We derived this count from the paper's description.

    >>> operations_per_weight([1, 2, 3, 4], 1, 8)
    array([8.  , 4.5 , 4.  , 4.75])
    """
    n, b = at_least("width", width, 1), at_least("batch", batch, 1)
    a = at_least("activation_bits", activation_bits, 1)
    return np.asarray((2**n - n - 1) / (n * b) + a / n)


def best_width(batch: float, activation_bits: float) -> int:
    """Return the group width up to 16 with the fewest operations a weight.

    >>> [best_width(b, 8) for b in (1, 8, 32)]
    [3, 5, 6]
    """
    widths = np.arange(1, WIDEST + 1)
    return int(widths[np.argmin(operations_per_weight(widths, batch, activation_bits))])


def table_bytes(width: ArrayLike, weight_bits: ArrayLike) -> Floats:
    """Return a group's table: 2^N entries of `weight_bits` + ceil(log2 N) bits, in bytes.

    >>> float(table_bytes(6, 4))
    56.0
    """
    n, w = at_least("width", width, 1), at_least("weight_bits", weight_bits, 1)
    return np.asarray(2**n * (w + np.ceil(np.log2(n))) / 8)


def operations_saved(
    repeated: ArrayLike, width: ArrayLike, batch: ArrayLike, activation_bits: ArrayLike
) -> Floats:
    """Return the share of all operations saved if a `repeated` share of the lookups is left out.

    Tables are filled all the same, so the saving is `repeated` times (a / N) / c(N). `width`,
    `batch`, `activation_bits` and errors are those of `operations_per_weight`.

    >>> float(operations_saved(0.5, 4, 1, 8).round(4))
    0.2105
    """
    lookups = at_least("activation_bits", activation_bits, 1) / at_least("width", width, 1)
    total = operations_per_weight(width, batch, activation_bits)
    return np.asarray(within("repeated", repeated, 0, 1) * lookups / total)


def normal_activations(batch: int = 32, length: int = 768, seed: int = 1) -> Integers:
    """Return 8-bit activations from a normal distribution, shape (`batch`, `length`)."""
    return quantized(np.random.default_rng(seed).normal(size=(batch, length)), 8)[0]
