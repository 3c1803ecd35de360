"""Matrix-vector products without multiplying: sums of weights looked up bit by bit.

Weights are taken in groups of N; a table holds the sum of every subset of a group; the N
activations that meet the group are read bit by bit, and each bit position is one lookup, one shift
and one addition. It must give exactly the product of whole numbers, whatever their precision.

>>> rng = np.random.default_rng(1)
>>> weights, vectors = rng.integers(-8, 8, (3, 12)), rng.integers(-128, 128, (2, 12))
>>> product = lookup_product(weights, vectors, width=4, activation_bits=8)
>>> bool((product.values == vectors @ weights.T).all())
True
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.live.drawing import Box, Fill, Scene, Shape, Text
from perfmodel.validation import finite, whole

Integers = NDArray[np.int64]

WIDEST = 16
"""Weights in the largest group: its table has 65,536 entries."""


@dataclass(frozen=True)
class LookupProduct:
    """A product by lookup with what it took.

    `values` have the shape (batch, rows). `building` are the additions that filled the tables; a
    lookup comes with a shift and an addition. `indices`, shape (batch, groups, bits), are the table
    entries that each lookup read.
    """

    values: Integers
    building: int
    lookups: int
    indices: Integers

    @property
    def operations(self) -> int:
        """Additions to fill the tables plus lookups."""
        return self.building + self.lookups


def lookup_product(
    weights: ArrayLike, vectors: ArrayLike, *, width: int, activation_bits: int
) -> LookupProduct:
    """Multiply whole numbers by table lookup, bit by bit, and count the operations.

    `weights` have the shape (rows, length), where `length` is a multiple of `width`, the weights of
    a group. `vectors`, shape (batch, length), are in two's complement with `activation_bits` bits.
    The values are exactly `vectors @ weights.T`.
    """
    width = whole("width", width, 1, WIDEST)
    bits = whole("activation_bits", activation_bits, 1, WIDEST)
    w, x = _integers("weights", weights), _integers("vectors", vectors)
    if w.shape[1] != x.shape[1] or w.shape[1] % width:
        raise ValueError(
            f"weights and vectors must have one length, a multiple of width {width}, "
            f"got {w.shape[1]} and {x.shape[1]}"
        )
    top = 2 ** (bits - 1)
    if x.size and not (-top <= x.min() and x.max() < top):
        raise ValueError(f"vectors must be from {-top} to {top - 1}, got {x.min()} to {x.max()}")
    table, building = subset_sums(w.reshape(len(w), -1, width))
    indices = bit_patterns(x, width, bits)
    index = 2 ** np.arange(bits)
    index[-1] *= -1
    groups = np.arange(table.shape[1])[None, :, None]
    values = np.einsum("rbgi,i->br", table[:, groups, indices], index)
    return LookupProduct(values, building, len(w) * indices.size, indices)


def subset_sums(groups: ArrayLike) -> tuple[Integers, int]:
    """Fill a table for each group with the sum of every subset of its weights.

    Each entry is an earlier one plus one weight; the empty set and single weights cost nothing.
    `groups` have the shape (..., width), the table (..., 2**width), where bit j of an entry's index
    says whether weight j is in its sum. With it comes the number of additions made.
    """
    weights = np.asarray(groups)
    table = np.zeros((*weights.shape[:-1], 2 ** weights.shape[-1]), dtype=np.int64)
    additions = 0
    for j in range(weights.shape[-1]):
        here, step = 2**j, weights[..., j, None]
        table[..., here : 2 * here] = table[..., :here] + step
        additions += (here - 1) * step.size
    return table, additions


def bit_patterns(vectors: ArrayLike, width: int, activation_bits: int) -> Integers:
    """Return the table index of every lookup, shape (batch, groups, bits), lowest bit first."""
    x = np.asarray(vectors)
    bits = (x[:, :, None] >> np.arange(activation_bits)) & 1
    grouped = bits.reshape(len(x), -1, width, activation_bits)
    return np.asarray(np.einsum("bgji,j->bgi", grouped, 2 ** np.arange(width)))


def quantized(values: ArrayLike, bits: int) -> tuple[Integers, float]:
    """Return `values` as whole numbers of `bits` bits, and the one scale that turns them back."""
    array = finite("values", values)
    top = 2 ** (whole("bits", bits, low=2) - 1) - 1
    scale = float(np.abs(array).max(initial=0.0)) / top or 1.0
    return np.rint(array / scale).astype(np.int64), scale


def redundant_lookups(indices: ArrayLike) -> tuple[float, float]:
    """Return the shares of lookups that read entry 0 and that repeat one of the same activation.

    Entry 0 is the sum of no weights. A lookup repeats another if a higher bit position of the same
    group and vector had the same pattern: sign bits of small numbers do. The second share holds the
    first's repetitions, but not the first time that a group reads entry 0. `indices` are those of a
    `LookupProduct`.
    """
    entries = np.asarray(indices)
    ordered = np.sort(entries, axis=-1)
    repeats = float((ordered[..., 1:] == ordered[..., :-1]).sum()) / entries.size
    return float((entries == 0).mean()), repeats


def _integers(name: str, values: ArrayLike) -> Integers:
    array = finite(name, values)
    if array.ndim != 2 or (array != np.rint(array)).any():
        raise ValueError(f"{name} must be a table of whole numbers, got shape {array.shape}")
    return array.astype(np.int64)


WEIGHTS, ACTIVATIONS = (3, -2, 5), (5, 3, -4)
"""A group of three weights and the activations that it meets."""
BITS = 4
"""Of an activation, in two's complement."""
_PLACES = [*(2**i for i in range(BITS - 1)), -(2 ** (BITS - 1))]
_HERE: tuple[int, Fill] = (2, "solid")
_ELSEWHERE: tuple[int, Fill] = (0, "none")


def bit_lookups(position: int) -> Scene:
    """Draw the bits at a position (0 is lowest) of three activations, their entry and the sum."""
    at = whole("position", position, high=BITS - 1)
    table = [int(value) for value in subset_sums(WEIGHTS)[0]]
    picked = [int(i) for i in bit_patterns([ACTIVATIONS], len(WEIGHTS), BITS)[0, 0]]
    total = sum(_PLACES[i] * table[picked[i]] for i in range(at + 1))
    entry = table[picked[at]]
    shapes = [*_activations(at), *_table(table, picked[at])]
    shapes.append(Text(f"{_PLACES[at]} times {entry}", 104, 192))
    shapes.append(Text(f"sum so far: {total}", 104, 214, bold=True))
    says = (
        f"Position {at} counts {_PLACES[at]}. Its bits select the entry {entry}, and the sum so "
        f"far is {total}."
    )
    return Scene(236, shapes, says, {"entry": float(entry), "sum so far": float(total)})


def _activations(at: int) -> list[Shape]:
    """Return the weights, each with the bits of its activation, the top bit first."""
    shapes: list[Shape] = [Text("weights", 32, 18), Text("activations, in bits", 132, 18)]
    columns = [(104 + 26 * k, BITS - 1 - k) for k in range(BITS)]
    shapes += [Text(str(_PLACES[i]), x + 13, 42, bold=i == at) for x, i in columns]
    for row, (weight, value) in enumerate(zip(WEIGHTS, ACTIVATIONS, strict=True)):
        y = 54 + 36.0 * row
        shapes.append(Box(2, y, 60, 28, f"w{row + 1} = {weight}", 3))
        shapes.append(Text(str(value), 92, y + 14, anchor="end"))
        for x, i in columns:
            colour, fill = _HERE if i == at else _ELSEWHERE
            shapes.append(Box(x, y, 26, 28, str(value >> i & 1), colour, fill, bold=i == at))
    return shapes


def _table(sums: list[int], picked: int) -> list[Shape]:
    shapes: list[Shape] = [Text("table of sums", 290, 18)]
    for entry, value in enumerate(sums):
        y = 32 + 24.0 * entry
        names = [f"w{j + 1}" for j in range(len(WEIGHTS)) if entry >> j & 1]
        shapes.append(Text("+".join(names) or "none", 304, y + 12, anchor="end"))
        colour, fill = _HERE if entry == picked else _ELSEWHERE
        shapes.append(Box(310, y, 40, 24, str(value), colour, fill, bold=entry == picked))
    return shapes
