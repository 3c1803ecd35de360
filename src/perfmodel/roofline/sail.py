"""Is a table in the cache faster than a multiplier? SAIL (Zhang et al., arXiv 2509.25853, 2025).

SAIL decodes quantized language models in the last-level cache of a server processor, by looking up
sums of weights (`perfmodel.roofline.lookup_product`). The paper measured a circuit simulation; here
is the count of operations, of which the best group width follows, and the bound that main memory
sets to any way of computing.

>>> best_width(batch=8, activation_bits=8)
5
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.ledger import Claim, half_unit
from perfmodel.roofline.decoder import decoding_bound
from perfmodel.roofline.lookup_product import (
    WIDEST,
    Integers,
    bit_patterns,
    needless_share,
    quantized,
)
from perfmodel.validation import Floats, at_least


def operations_per_weight(width: ArrayLike, batch: ArrayLike, activation_bits: ArrayLike) -> Floats:
    """Return the additions and lookups for each weight and vector, c(N).

    c(N) = (2^N - N - 1) / (N B) + a / N: the additions that fill a table, shared by B vectors, and
    one lookup for each of a bits, shared by the N weights of a group. A multiplier needs 1
    multiply-add a weight and vector. The count is ours; it follows from the paper's description.

    Parameters
    ----------
    width : array_like
        N, weights a group, 1 or more.
    batch : array_like
        B, vectors that meet the same weights, 1 or more.
    activation_bits : array_like
        a, 1 or more.

    Raises
    ------
    ValueError
        If an argument is below 1 or not finite.

    Examples
    --------
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
    """Return the bytes of one group's table: 2^N entries of `weight_bits` + ceil(log2 N) bits.

    >>> float(table_bytes(6, 4))
    56.0
    """
    n, w = at_least("width", width, 1), at_least("weight_bits", weight_bits, 1)
    return np.asarray(2**n * (w + np.ceil(np.log2(n))) / 8)


def normal_activations(batch: int = 32, length: int = 768, seed: int = 1) -> Integers:
    """Return made 8-bit activations from a normal law, shape (batch, length)."""
    return quantized(np.random.default_rng(seed).normal(size=(batch, length)), 8)[0]


def _derived(quantity: str, printed: str, unit: str, ours: Callable[[], Floats]) -> Claim:
    return Claim(
        "sail",
        quantity,
        "recomputed",
        float(printed),
        unit,
        "worked out from the operation count",
        lambda: float(ours()),
        derived=True,
        absolute=half_unit(printed),
    )


COUNTS = {
    1: ("8.00", "4.50", "4.00", "4.75", "6.80", "10.83", "18.29", "31.88"),
    8: ("8.00", "4.06", "2.83", "2.34", "2.25", "2.52", "3.29", "4.86"),
    32: ("8.00", "4.02", "2.71", "2.09", "1.76", "1.63", "1.68", "1.96"),
}
"""Operations a weight and vector for 8-bit activations, batch -> widths 1 to 8, by hand."""


def claims() -> list[Claim]:
    """Return what the paper and its operation count say beside what we compute."""
    counts = [
        _derived(
            f"operations a weight, batch {batch}, groups of {width}, 8-bit activations",
            printed,
            "1",
            partial(operations_per_weight, width, batch, 8),
        )
        for batch, row in COUNTS.items()
        for width, printed in enumerate(row, 1)
    ]
    return [
        *counts,
        _derived(
            "operations a weight, batch 32, groups of 6, 4-bit activations",
            "0.964",
            "1",
            partial(operations_per_weight, 6, 32, 4),
        ),
        _derived(
            "most tokens/s of a 3.83 GB model at 204.8 GB/s, one sequence",
            "53.5",
            "1/s",
            partial(decoding_bound, 204.8e9, 3.83e9),
        ),
        Claim(
            "sail",
            "lookups that repeat a pattern: normal 8-bit activations, best width for batch 32",
            "same-method",
            0.138,
            "1",
            "abstract: cycles saved by pattern awareness",
            lambda: needless_share(bit_patterns(normal_activations(), best_width(32, 8), 8))[1],
            bounds=(0.138 / 3, 0.138 * 3),
        ),
    ]
