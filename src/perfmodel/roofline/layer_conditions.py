"""Stencils: which layers of the grid the cache must keep, and the bytes that move when it does not.

A star-shaped stencil updates each point of a grid from its neighbours along the axes. Sweeping in
storage order it meets a point again a row or a plane later; whether the point is still in the cache
by then is the layer condition.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from perfmodel.roofline.model import Kernel
from perfmodel.validation import at_least, positive, whole


def layer_condition(shape: Sequence[int], radius: int, word: float = 8) -> float:
    """Return the bytes of cache with which a star stencil loads each point of the grid once.

    Sweeping a grid in storage order, a point is used for the last time 2 r layers after its first
    use, so 2 r + 1 layers must stay: rows in two dimensions, planes in three.

    Parameters
    ----------
    shape : sequence of int
        Grid points in each dimension, the one that runs fastest last.
    radius : int
        How far the star reaches.
    word : float
        Bytes of a point.

    Examples
    --------
    >>> layer_condition((1000, 1000), radius=1)
    24000.0
    """
    sides, reach = _grid(shape, radius)
    return float((2 * reach + 1) * math.prod(sides[1:]) * positive("word", word))


def stencil_kernel(
    shape: Sequence[int],
    radius: int = 1,
    word: float = 8,
    *,
    cache: float = np.inf,
    block: int | None = None,
    write_allocate: bool = True,
) -> Kernel:
    """Return one sweep of a star-shaped stencil from one grid into another.

    Parameters
    ----------
    shape : sequence of int
        Points updated in each dimension, the one that runs fastest last; two or three dimensions.
    radius : int
        How far the star reaches; it has 2 d r + 1 points in d dimensions.
    word : float
        Bytes of a point.
    cache : float
        Bytes that the cache keeps for the layers; enough for all if not given.
    block : int
        Points of the last dimension that are swept through at a time (cache blocking): layers
        become narrower, and each block loads `radius` points on either side again.
    write_allocate : bool
        Whether a line of the new grid is read before it is written.

    Returns
    -------
    Kernel
        With one multiplication a star point and the additions between them.

    Raises
    ------
    ValueError
        If a size is out of range, or the block larger than the grid.

    Notes
    -----
    Without the layers in cache, each of the 2 r + 1 layers is loaded again for every point; in
    three dimensions, without even the rows of a plane, all 4 r + 1 rows are. Borders of the grid
    are left out. Layer conditions: Stengel et al., ICS 2015.

    Examples
    --------
    >>> grid = (4000, 4000)
    >>> stencil_kernel(grid).bytes / 4000**2, stencil_kernel(grid, cache=32e3).bytes / 4000**2
    (24.0, 40.0)
    >>> stencil_kernel(grid, cache=32e3, block=1000).bytes / 4000**2
    24.016
    """
    sides, reach = _grid(shape, radius)
    width = sides[-1] if block is None else whole("block", block, low=1)
    if width > sides[-1]:
        raise ValueError(f"block must be at most {sides[-1]}, got {block!r}")
    halo = 1.0 if width == sides[-1] else 1 + 2 * reach / width
    room = float(at_least("cache", min(cache, 1e300), 0))
    narrow = (*sides[:-1], width)
    loads = halo * _loads(narrow, reach, room / float(positive("word", word)))
    points = float(math.prod(sides))
    star = 2 * len(sides) * reach + 1
    name = f"{len(sides)}-D stencil of {star} points" + (f", blocks of {width}" if block else "")
    return Kernel(name, (2 * star - 1) * points, (loads + 1 + write_allocate) * points * word)


def _grid(shape: Sequence[int], radius: int) -> tuple[tuple[int, ...], int]:
    sides = tuple(whole("shape", side, low=1) for side in shape)
    if len(sides) not in (2, 3):
        raise ValueError(f"shape must have two or three dimensions, got {tuple(shape)}")
    return sides, whole("radius", radius, low=1)


def _loads(sides: tuple[int, ...], reach: int, room: float) -> int:
    """Return how often a point is loaded when the cache keeps `room` points."""
    layers = 2 * reach + 1
    if room >= layers * math.prod(sides[1:]):
        return 1
    if len(sides) == 2 or room >= (layers + 2 * reach) * sides[-1]:
        return layers
    return layers + 2 * reach
