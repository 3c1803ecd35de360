"""Is a table in the cache faster than a multiplier? SAIL (Zhang et al., arXiv 2509.25853, 2025).

SAIL decodes quantized language models in the last-level cache of a server processor, by looking up
sums of weights (`lookup_product`). The paper measured a circuit simulation; here
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

from perfmodel.labs.roofline.geb.feasibility import memory_bandwidth
from perfmodel.labs.roofline.sail.lookup_product import (
    WIDEST,
    Integers,
    bit_patterns,
    lookup_product,
    needless_share,
    quantized,
    subset_sums,
)
from perfmodel.ledger import Claim, Trend, half_unit
from perfmodel.roofline.decoder import LLAMA_2_7B, decoding_bound
from perfmodel.validation import Floats, at_least, within


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


def break_even_batch(width: ArrayLike, activation_bits: ArrayLike) -> Floats:
    """Return the batch B from which lookups take fewer operations than multiplying, c(N) < 1.

    B = (2^N - N - 1) / (N - a); infinite where N is at most a, for then the lookups alone take one
    operation or more. Arguments and errors are those of `operations_per_weight`.

    >>> break_even_batch([8, 9, 10], 8)
    array([  inf, 502. , 506.5])
    """
    n, a = np.broadcast_arrays(
        at_least("width", width, 1), at_least("activation_bits", activation_bits, 1)
    )
    spared = np.where(n > a, n - a, np.nan)
    return np.asarray(np.nan_to_num((2**n - n - 1) / spared, nan=np.inf))


def table_bytes(width: ArrayLike, weight_bits: ArrayLike) -> Floats:
    """Return the bytes of one group's table: 2^N entries of `weight_bits` + ceil(log2 N) bits.

    >>> float(table_bytes(6, 4))
    56.0
    """
    n, w = at_least("width", width, 1), at_least("weight_bits", weight_bits, 1)
    return np.asarray(2**n * (w + np.ceil(np.log2(n))) / 8)


def operations_saved(
    repeated: ArrayLike, width: ArrayLike, batch: ArrayLike, activation_bits: ArrayLike
) -> Floats:
    """Return the share of all operations saved if a `repeated` share of the lookups is left out.

    Tables are filled all the same, so the saving is `repeated` times (a / N) / c(N). The other
    arguments and the errors are those of `operations_per_weight`.

    >>> float(operations_saved(0.5, 4, 1, 8).round(4))
    0.2105
    """
    lookups = at_least("activation_bits", activation_bits, 1) / at_least("width", width, 1)
    total = operations_per_weight(width, batch, activation_bits)
    return np.asarray(within("repeated", repeated, 0, 1) * lookups / total)


def normal_activations(batch: int = 32, length: int = 768, seed: int = 1) -> Integers:
    """Return made 8-bit activations from a normal law, shape (batch, length)."""
    return quantized(np.random.default_rng(seed).normal(size=(batch, length)), 8)[0]


COUNTS = {
    1: ("8.00", "4.50", "4.00", "4.75", "6.80", "10.83", "18.29", "31.88"),
    8: ("8.00", "4.06", "2.83", "2.34", "2.25", "2.52", "3.29", "4.86"),
    32: ("8.00", "4.02", "2.71", "2.09", "1.76", "1.63", "1.68", "1.96"),
}
"""Operations a weight and vector for 8-bit activations, batch -> widths 1 to 8, by hand."""
BEST = {1: ("3", "4.00"), 8: ("5", "2.25"), 32: ("6", "1.63")}
"""Batch -> the width with the least of `COUNTS`, and that least."""


def claims() -> list[Claim]:
    """Return what the paper and its operation count say beside what we compute."""
    return [*_count_claims(), *_memory_claims(), *_abstract_claims()]


def _derived(
    quantity: str, printed: str, ours: Callable[[], float | Floats], unit: str = "1"
) -> Claim:
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


def _count_claims() -> list[Claim]:
    count = "operations a weight"
    made = [
        _derived(
            f"{count}, batch {batch}, groups of {width}, 8-bit activations",
            printed,
            partial(operations_per_weight, width, batch, 8),
        )
        for batch, row in COUNTS.items()
        for width, printed in enumerate(row, 1)
    ]
    for batch, (width, least) in BEST.items():
        found, counted = partial(best_width, batch, 8), partial(_counted, int(width), batch)
        made += [
            _derived(f"best width, batch {batch}, 8-bit activations", width, found),
            _derived(
                f"{count} counted in a product, batch {batch}, groups of {width}", least, counted
            ),
        ]
    four_bits = partial(operations_per_weight, 6, 32, 4)
    return [
        *made,
        _derived(
            "additions that fill a table of 4 weights", "11", lambda: subset_sums([1, 2, 3, 4])[1]
        ),
        _derived(f"{count}, batch 32, groups of 6, 4-bit activations", "0.964", four_bits),
        *(
            _derived(
                f"batch at which groups of {width} and {bits}-bit activations equal a multiplier",
                printed,
                partial(break_even_batch, width, bits),
            )
            for width, bits, printed in ((6, 4, "28.5"), (9, 8, "502"))
        ),
    ]


def _counted(width: int, batch: int) -> float:
    weights, vectors = _made(length=60, batch=batch, weight_bits=4)
    done = lookup_product(weights, vectors, width=width, activation_bits=8)
    return done.operations / (weights.size * batch)


def _made(length: int, batch: int, weight_bits: int) -> tuple[Integers, Integers]:
    """Return two rows of weights of the bits given and `batch` vectors of 8-bit activations."""
    rng, half = np.random.default_rng(3), 2 ** (weight_bits - 1)
    return rng.integers(-half, half, (2, length)), rng.integers(-128, 128, (batch, length))


def _memory_claims() -> list[Claim]:
    weights = LLAMA_2_7B.parameters * 4.5 / 8
    ddr4 = memory_bandwidth(8, 3.2e9)
    rate = "most tokens/s, one sequence, "
    return [
        _derived("table of 6 weights of 4 bits", "56", partial(table_bytes, 6, 4), "bytes"),
        _derived("Llama-2-7B at 4.5 bits a weight", "3.8", lambda: weights / 1e9, "GB"),
        _derived("eight channels of DDR4-3200", "204.8", lambda: ddr4 / 1e9, "GB/s"),
        _derived(
            rate + "Llama-2-7B at 4.5 bits, 200 GB/s",
            "52.8",
            partial(decoding_bound, 200e9, weights),
            "1/s",
        ),
        _derived(
            rate + "3.83 GB of weights, eight channels of DDR4-3200",
            "53.5",
            partial(decoding_bound, ddr4, 3.83e9),
            "1/s",
        ),
    ]


def _abstract_claims() -> list[Claim]:
    repeats = partial(
        Claim,
        "sail",
        kind="same-method",
        published=0.138,
        unit="1",
        source="abstract: cycles saved by pattern awareness",
        bounds=(0.138 / 3, 0.138 * 3),
    )
    trend = partial(Claim, "sail", kind="trend", unit="", source="abstract")
    made = "normal 8-bit activations, best width for batch 32"
    return [
        repeats(quantity=f"lookups that repeat a pattern: {made}", compute=_repeated),
        repeats(
            quantity=f"operations saved without them, filling of tables included: {made}",
            compute=lambda: float(operations_saved(_repeated(), best_width(32, 8), 32, 8)),
        ),
        trend(
            quantity="products by lookup, weights of 2 to 8 bits",
            published="any precision of weights is supported",
            compute=_any_precision,
        ),
        trend(
            quantity="least operations a weight as the batch grows, 8-bit activations",
            published="batches let vectors share the tables",
            compute=_sharing,
        ),
        trend(
            quantity="speed over a processor, from the operation count alone",
            published="up to 10.7 times that of an ARM Neoverse-N1",
            compute=_over_a_multiplier,
            miss=(
                "The count ranks widths but knows no seconds: thousands of lookups side by side in "
                "the cache, and what the baseline needs to unpack odd precisions, are in a circuit "
                "simulation whose settings are not in the text we have."
            ),
        ),
    ]


def _repeated() -> float:
    return needless_share(bit_patterns(normal_activations(), best_width(32, 8), 8))[1]


def _any_precision() -> Trend:
    wrong, tried = 0, 0
    for weight_bits in range(2, 9):
        for width in range(1, 9):
            weights, vectors = _made(840, 2, weight_bits)
            found = lookup_product(weights, vectors, width=width, activation_bits=8).values
            wrong += int((found != vectors @ weights.T).sum())
            tried += found.size
    return Trend(wrong == 0, f"{wrong} of {tried} sums differ from the product, groups of 1 to 8")


def _least(batch: float) -> float:
    return float(operations_per_weight(best_width(batch, 8), batch, 8))


def _sharing() -> Trend:
    counts = [_least(batch) for batch in BEST]
    shown = ", ".join(f"{count:.2f}" for count in counts)
    return Trend(counts == sorted(counts, reverse=True), f"{shown} at batch 1, 8 and 32")


def _over_a_multiplier() -> Trend:
    slow, fast = 1 / _least(1), 1 / _least(128)
    return Trend(
        fast >= 10.7,
        f"{slow:.2f} to {fast:.2f} times a multiplier, one operation each, at batch 1 to 128",
    )
