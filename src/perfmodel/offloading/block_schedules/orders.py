"""Orders in which batches, layers and tokens of a generation are computed.

A cell is one GPU batch in one layer at one token; token 0 is the prefill. A batch computes its
cells token by token, and layer by layer within a token. Cells of one layer share its weights. There
are two or more layers, because a single layer would stay loaded.

Row order finishes a batch before the next starts. The zig-zag block order (Sheng et al., ICML 2023,
section 4.2) takes a block of batches through each layer before the next layer's weights are loaded;
with a block of all batches it goes column by column. The diagonal order (appendix A.2) starts a few
batches at each lap over the layers, so the batches in progress are at all tokens at once.

>>> [(int(b), int(j)) for b, j, t in zip(*zig_zag_order(3, 2, 1, block=2))]
[(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 1)]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import whole


class GridCells(NamedTuple):
    """Cells in the order in which they are computed.

    Attributes
    ----------
    batch, layer, token : ndarray of int, shape (cells,)
        From 0; token 0 is the prefill.
    """

    batch: NDArray[np.int64]
    layer: NDArray[np.int64]
    token: NDArray[np.int64]


def row_order(batches: int, layers: int, tokens: int) -> GridCells:
    """Return the order that finishes each of the `batches` before the next.

    Parameters
    ----------
    batches, layers, tokens : int
        1 or more, but 2 layers or more.

    Examples
    --------
    >>> row_order(2, 2, 2).batch
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """
    return zig_zag_order(batches, layers, tokens, block=1)


def column_order(batches: int, layers: int, tokens: int) -> GridCells:
    """Return the order that takes all `batches` through a layer before the next.

    Parameters
    ----------
    batches, layers, tokens : int
        1 or more, but 2 layers or more.

    Examples
    --------
    >>> column_order(2, 2, 2).batch
    array([0, 1, 0, 1, 0, 1, 0, 1])
    """
    return zig_zag_order(batches, layers, tokens, block=whole("batches", batches, 1))


def zig_zag_order(batches: int, layers: int, tokens: int, block: int) -> GridCells:
    """Return the order that takes blocks of batches through each layer and token.

    Parameters
    ----------
    batches, layers, tokens : int
        1 or more, but 2 layers or more.
    block : int
        How many batches share a load of a layer; the last block may be smaller.
    """
    sizes = group_sizes(batches, whole("block", block, 1))
    number, layers = np.arange(sizes.sum()), whole("layers", layers, 2)
    tokens = whole("tokens", tokens, 1)
    parts = np.split(number, np.cumsum(sizes)[:-1])
    grids = [np.meshgrid(np.arange(tokens), np.arange(layers), p, indexing="ij") for p in parts]
    token, layer, batch = (np.concatenate([g[i].ravel() for g in grids]) for i in range(3))
    return GridCells(batch, layer, token)


def diagonal_order(batches: int, layers: int, tokens: int, group: int) -> GridCells:
    """Return the order that takes up a group of batches at each lap over the layers.

    In a lap each layer is computed for all batches in progress, the newest first, each at its own
    token.

    Parameters
    ----------
    batches, layers, tokens : int
        1 or more, but 2 layers or more.
    group : int
        Batches taken up at each lap, until none is left.

    Examples
    --------
    >>> diagonal_order(2, 2, 2, group=1).batch
    array([0, 0, 1, 0, 1, 0, 1, 1])
    """
    sizes = group_sizes(batches, group)
    started = np.repeat(np.arange(sizes.size), sizes)
    layers, tokens = whole("layers", layers, 2), whole("tokens", tokens, 1)
    laps = sizes.size + tokens - 1
    lap, layer, batch = np.meshgrid(
        np.arange(laps), np.arange(layers), np.arange(started.size)[::-1], indexing="ij"
    )
    token = lap - started[batch]
    computed = (token >= 0) & (token < tokens)
    return GridCells(batch[computed], layer[computed], token[computed])


def group_sizes(batches: int, group: int) -> NDArray[np.int64]:
    """Return how many batches each group has: `group`, and in the last what is left.

    `batches` and `group`: 1 or more.

    >>> group_sizes(5, 2)
    array([2, 2, 1])
    """
    count, size = whole("batches", batches, 1), whole("group", group, 1)
    return np.minimum(size, count - np.arange(0, count, size))
