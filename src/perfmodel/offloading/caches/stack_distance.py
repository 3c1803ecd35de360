"""LRU at every size from one pass: how deep in the stack of last uses each object stands."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.compilation import compiled_if_long
from perfmodel.offloading.caches.loops import lru_depths
from perfmodel.offloading.caches.references import checked_trace, numbered
from perfmodel.validation import Floats, at_least


def stack_distances(trace: ArrayLike) -> Floats:
    """Return for each reference how many objects an LRU cache needs to hold its object still.

    Parameters
    ----------
    trace : array_like of int, shape (references,)
        Objects in the order of their use, by numbers from 0.

    Returns
    -------
    ndarray of float, shape (references,)
        The number of different objects used since the object's last use, itself included: 1 for
        the object just used, infinity for one never used before. A reference is a hit in an LRU
        cache exactly if its distance is the cache's size or less.

    Raises
    ------
    ValueError
        If `trace` is empty or holds anything but whole numbers from 0.

    Notes
    -----
    Mattson, Gecsei, Slutz, Traiger, IBM Systems Journal 1970, with a tree instead of the stack
    (Bennett and Kruskal, IBM Journal of Research and Development 1975): a time in proportion to
    references times the logarithm of the number of objects.

    Examples
    --------
    >>> stack_distances([0, 1, 2, 0, 0, 1])
    array([inf, inf, inf,  3.,  1.,  3.])
    """
    _, references = numbered(checked_trace(trace))
    objects = int(references.max()) + 1
    depth = np.full(references.size, np.inf)
    slot, length = np.zeros(objects, np.int64), 2 * max(objects, 512) + 2
    owner, tree = np.zeros(length, np.int64), np.zeros(length, np.int64)
    steps = references.size + objects
    compiled_if_long(lru_depths, 10 * steps)(references, slot, owner, tree, depth)
    return depth


def lru_hit_ratio(distances: ArrayLike, size: ArrayLike) -> Floats:
    """Return the share of references that hit in an LRU cache, at any number of sizes.

    Parameters
    ----------
    distances : array_like, shape (references,)
        As `stack_distances` returns them, infinity for a first use. Leave out the first ones to
        count from a warm cache.
    size : array_like
        Objects that the cache holds, 0 or more, any shape.

    Returns
    -------
    ndarray
        Between 0 and 1, with the shape of `size`.

    Raises
    ------
    ValueError
        If `distances` is empty or holds a number below 1, or `size` is negative.

    Examples
    --------
    >>> lru_hit_ratio(stack_distances([0, 1, 2, 0, 0, 1]), [1, 2, 3])
    array([0.16666667, 0.16666667, 0.5       ])
    """
    depth = np.asarray(distances, np.float64)
    if depth.ndim != 1 or depth.size == 0 or not (depth >= 1).all():
        raise ValueError(
            "distances must be a row of one or more numbers from 1, as of stack_distances, "
            f"got shape {depth.shape}"
        )
    sizes = at_least("size", size, 0)
    return np.asarray(np.searchsorted(np.sort(depth), sizes, side="right") / depth.size)
