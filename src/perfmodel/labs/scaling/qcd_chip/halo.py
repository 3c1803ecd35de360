"""A real nearest-neighbour sweep cut into tiles, which counts the words that tiles exchange.

It is the measured side of the surface law of `perfmodel.scaling.stencil`: work grows with a tile's
volume, exchange with its surface.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, whole


class TiledSweep(NamedTuple):
    """The field after a sweep, and the words that all tiles fetched from outside themselves."""

    field: Floats
    halo_words: int


def sweep(field: ArrayLike) -> Floats:
    """Return the mean of each site's 2d neighbours on a periodic lattice (a Jacobi step).

    >>> print(sweep([0.0, 4.0, 0.0, 0.0]))
    [2. 0. 2. 0.]
    """
    values = _lattice(field)
    shifted = [np.roll(values, step, axis) for axis in range(values.ndim) for step in (1, -1)]
    return np.asarray(np.sum(shifted, axis=0) / (2 * values.ndim))


def tiled_sweep(field: ArrayLike, side: int) -> TiledSweep:
    """Return the same as `sweep`, worked out tile by tile, with the words fetched for it.

    Words are counted over all tiles, whose `side` in sites divides every extent.

    >>> tiled_sweep(np.ones((4, 4)), side=2).halo_words  # 4 tiles x 4 faces x 2 words
    32
    """
    values = _lattice(field)
    length = whole("side", side, 1)
    if any(extent % length for extent in values.shape):
        raise ValueError(f"side must divide the extents {values.shape}, got {side!r}")
    result, fetched = np.empty_like(values), 0
    for corner in np.ndindex(*(extent // length for extent in values.shape)):
        tile = tuple(slice(c * length, (c + 1) * length) for c in corner)
        total, words = _neighbours(values, tile)
        result[tile] = total / (2 * values.ndim)
        fetched += words
    return TiledSweep(result, fetched)


def _lattice(field: ArrayLike) -> Floats:
    values = finite("field", field)
    if values.ndim == 0 or values.size == 0:
        raise ValueError(f"field must be an array of one or more sites, got {field!r}")
    return values


def _neighbours(values: Floats, tile: tuple[slice, ...]) -> tuple[Floats, int]:
    total, words = np.zeros_like(values[tile]), 0
    for axis, span in enumerate(tile):
        faces = [_face(values, tile, axis, site) for site in (span.start - 1, span.stop)]
        column = np.concatenate([faces[0], values[tile], faces[1]], axis)
        inner = np.moveaxis(column, axis, 0)
        total += np.moveaxis(inner[:-2] + inner[2:], 0, axis)
        words += sum(face.size for face in faces)
    return total, words


def _face(values: Floats, tile: tuple[slice, ...], axis: int, site: int) -> Floats:
    row = site % values.shape[axis]
    return values[(*tile[:axis], slice(row, row + 1), *tile[axis + 1 :])]
