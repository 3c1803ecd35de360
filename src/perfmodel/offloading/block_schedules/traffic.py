"""Bytes that an order of cells moves, counted by going through it and by formula.

The fast memory holds the weights of one layer, the activations of the batch computed last, and what
is needed of the cache of the cell at work; all else comes from the slower memory, in which the
caches of all batches in progress have room. Sheng et al. (ICML 2023), appendix A.2, count the same
except for the activations, of which they move all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.offloading.block_schedules.orders import GridCells, group_sizes
from perfmodel.validation import Floats, non_negative, one_number, whole


@dataclass(frozen=True)
class CellBytes:
    """What the cells of a generation read and write.

    Attributes
    ----------
    prompt : int
        Tokens of the prompt, 1 or more.
    weight : float
        Bytes of a layer's weights, 0 or more.
    cache : float
        Bytes of the cache of one GPU batch for one token in one layer: 4 h gbs in 16 bits, of h
        hidden values and gbs sequences.
    activation : float
        Bytes that one GPU batch hands from layer to layer for one token: 2 h gbs.

    >>> CellBytes(prompt=8, weight=5.0, cache=1.0, activation=1.0).weight
    5.0
    """

    prompt: int
    weight: float
    cache: float
    activation: float

    def __post_init__(self) -> None:
        whole("prompt", self.prompt, 1)
        for name in ("weight", "cache", "activation"):
            one_number(name, getattr(self, name), non_negative)

    def handed(self, token: NDArray[np.int64]) -> Floats:
        """Return the bytes that a batch hands on at each `token`: the whole prompt's at first."""
        return self.activation * np.where(token == 0, self.prompt, 1.0)

    def resident_bytes(self, token: NDArray[np.int64], layers: int) -> Floats:
        """Return the bytes that a batch at each `token` has in memory, cache and activations.

        Parameters
        ----------
        token : ndarray of int
        layers : int
            Whose caches are reserved when the batch comes to the token.
        """
        return self.cache * layers * (self.prompt + token) + self.handed(token)


class BlockTraffic(NamedTuple):
    """What an order of cells moves and needs; bytes moved are those of both ways together."""

    loads: int
    """How often a layer's weights are loaded."""
    weight: float
    """Bytes of weights moved."""
    cache: float
    """Bytes of caches moved."""
    activation: float
    """Bytes of activations moved."""
    peak: float
    """Bytes of one layer's weights and of the caches and activations of all batches in progress,
    at their largest."""


def count_traffic(cells: GridCells, sizes: CellBytes) -> BlockTraffic:
    """Go through an order of cells and count what is moved.

    A layer's weights are loaded where the cell before was in another layer. A cell after the
    prefill reads its batch's cache of that layer and adds a token; the prefill writes the prompt's.
    Activations are read and written unless the cell before or after is of the same batch. A batch
    reserves its cache by the token, in all layers at once, and gives all back after its last cell.

    Parameters
    ----------
    cells : GridCells
        A whole grid, each batch's cells by token and layer.
    sizes : CellBytes

    Raises
    ------
    ValueError
        Where a cell is missing, twice there or before one that it needs, or there is one layer.

    Examples
    --------
    >>> from perfmodel.offloading import zig_zag_order
    >>> sizes = CellBytes(prompt=8, weight=5.0, cache=1.0, activation=1.0)
    >>> count_traffic(zig_zag_order(6, 3, 4, block=2), sizes).loads
    36
    """
    batch, layer, token = (np.asarray(part) for part in cells)
    layers, last = _checked(batch, layer, token)
    loads = 1 + int(np.count_nonzero(np.diff(layer)))
    written = np.where(token == 0, sizes.prompt, 1)
    read = np.where(token == 0, 0, sizes.prompt + token - 1)
    moved = np.ones(batch.size + 1, bool)
    moved[1:-1] = np.diff(batch) != 0
    handed = sizes.handed(token)
    kept = sizes.resident_bytes(token, layers)
    before = np.where(token == 0, 0.0, sizes.resident_bytes(token - 1, layers))
    change = np.where(layer == 0, kept - before, 0.0)
    ends = (layer == layers - 1) & (token == last)
    in_use = np.cumsum(change - np.where(ends, kept, 0.0)) + np.where(ends, kept, 0.0)
    return BlockTraffic(
        loads,
        float(loads * sizes.weight),
        float(sizes.cache * (read + written).sum()),
        float(handed @ moved[:-1] + handed @ moved[1:]),
        float(sizes.weight + in_use.max()),
    )


def _checked(
    batch: NDArray[np.int64], layer: NDArray[np.int64], token: NDArray[np.int64]
) -> tuple[int, int]:
    """Return how many layers there are and the last token, or say what is wrong."""
    if batch.ndim != 1 or not batch.size or not batch.shape == layer.shape == token.shape:
        raise ValueError("cells must hold three arrays of one length, 1 or more")
    for part in (batch, layer, token):
        if part.dtype.kind not in "iu":
            raise ValueError(f"cells must hold whole numbers, got an array of {part.dtype}")
    layers, tokens = int(layer.max()) + 1, int(token.max()) + 1
    position = (token * layers + layer)[np.argsort(batch, kind="stable")]
    steps = layers * tokens
    rows = len(np.unique(batch))
    if layers < 2:
        raise ValueError("cells must be in two layers or more: a single one would stay loaded")
    if batch.size != rows * steps or (position != np.tile(np.arange(steps), rows)).any():
        raise ValueError(
            f"cells must hold each of {rows} batches in {layers} layers and {tokens} tokens once, "
            "by token and then by layer"
        )
    return layers, tokens - 1


def zig_zag_traffic(
    batches: int, layers: int, tokens: int, block: int, sizes: CellBytes
) -> BlockTraffic:
    """Return what the zig-zag block order moves, by formula.

    Parameters
    ----------
    batches, layers, tokens, block : int
        As `zig_zag_order` takes them.
    sizes : CellBytes

    Examples
    --------
    >>> sizes = CellBytes(prompt=8, weight=5.0, cache=1.0, activation=1.0)
    >>> zig_zag_traffic(6, 3, 4, 2, sizes).loads
    36
    """
    blocks = group_sizes(batches, whole("block", block, 1))
    steps = np.arange(whole("tokens", tokens, 1))
    handed, kept = sizes.handed(steps), sizes.resident_bytes(steps, whole("layers", layers, 2))
    alone = np.count_nonzero(blocks == 1)
    loads = blocks.size * layers * tokens
    return BlockTraffic(
        loads,
        float(loads * sizes.weight),
        _cache_moved(int(blocks.sum()), layers, tokens, sizes),
        float(
            2 * layers * handed.sum() * (blocks.sum() - alone) + alone * (handed[0] + handed[-1])
        ),
        float(sizes.weight + blocks.max() * max(kept[0], kept[-1])),
    )


def diagonal_traffic(
    batches: int, layers: int, tokens: int, group: int, sizes: CellBytes
) -> BlockTraffic:
    """Return what the diagonal order moves, by formula.

    Parameters
    ----------
    batches, layers, tokens, group : int
        As `diagonal_order` takes them.
    sizes : CellBytes

    Examples
    --------
    >>> sizes = CellBytes(prompt=8, weight=5.0, cache=1.0, activation=1.0)
    >>> diagonal_traffic(6, 3, 4, 2, sizes).loads
    18
    """
    groups = group_sizes(batches, group)
    steps = np.arange(whole("tokens", tokens, 1))
    handed, kept = sizes.handed(steps), sizes.resident_bytes(steps, whole("layers", layers, 2))
    count = int(groups.sum())
    activation = 2 * layers * handed.sum() * count
    if count == 1:
        activation = handed[0] + handed[-1]
    elif tokens == 1:
        activation -= 2 * (layers - 1) * handed[0] * np.count_nonzero(groups == 1)
    elif groups.size > 1:
        activation -= 2 * (layers - 1) * handed[0] * (groups[0] == 1)
        activation -= 2 * (layers - 1) * handed[-1] * (groups[-1] == 1)
    taken_up = np.convolve(groups, np.append(kept[0], kept[:-1]))
    loads = (groups.size + tokens - 1) * layers
    return BlockTraffic(
        loads,
        float(loads * sizes.weight),
        _cache_moved(count, layers, tokens, sizes),
        float(activation),
        float(sizes.weight + max(taken_up.max(), np.convolve(groups, kept).max())),
    )


def _cache_moved(batches: int, layers: int, tokens: int, sizes: CellBytes) -> float:
    """Return the bytes of caches written and read, which no order changes."""
    moved = sizes.prompt * tokens + tokens * (tokens - 1) / 2
    return float(sizes.cache * batches * layers * moved)
