"""Traces: which object is used after which, checked or made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.offloading.caches.loops import Ints
from perfmodel.validation import Floats, non_negative, one_number, whole


def checked_trace(trace: ArrayLike, name: str = "trace") -> Ints:
    """Return a trace as an array that a compiled loop takes, or refuse it."""
    array = np.asarray(trace)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must be a row of one or more whole numbers, "
            f"got shape {array.shape} of {array.dtype}"
        )
    if array.min() < 0 or array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} must hold numbers from 0, got {array.min()} to {array.max()}")
    return np.require(array, np.int64, ["C", "W"])


def numbered(trace: Ints) -> tuple[Ints | None, Ints]:
    """Return the objects' names, and the trace by their place among them.

    The names are None where the trace's numbers are small enough to be places themselves.
    """
    if trace.max() < 4 * trace.size + 1024:
        return None, trace
    names, places = np.unique(trace, return_inverse=True)
    return names, places.astype(np.int64)


def zipf_popularity(objects: int, exponent: float) -> Floats:
    """Return the share of references that each object gets by Zipf's law, most popular first.

    Parameters
    ----------
    objects : int
        How many there are, 1 or more.
    exponent : float
        Object i (from 1) gets a share in proportion to i to the power of minus `exponent`, 0 or
        more; 0 makes all equally popular.

    Returns
    -------
    ndarray, shape (objects,)
        Sums to 1.

    Examples
    --------
    >>> zipf_popularity(3, 1.0).round(3)
    array([0.545, 0.273, 0.182])
    """
    power = one_number("exponent", exponent, non_negative)
    weight = np.arange(1.0, whole("objects", objects, 1) + 1) ** -power
    return np.asarray(weight / weight.sum())


def zipf_trace(references: int, objects: int, exponent: float, seed: int = 0) -> Ints:
    """Return references drawn independently of each other, by Zipf's law.

    Parameters
    ----------
    references : int
        Length of the trace, 1 or more.
    objects, exponent
        As for `zipf_popularity`; object 0 is the most popular.
    seed : int, optional
        Of NumPy's generator.

    Returns
    -------
    ndarray of int, shape (references,)

    Examples
    --------
    >>> zipf_trace(6, 4, 1.0, seed=1).tolist()
    [1, 3, 0, 3, 0, 0]
    """
    total = np.cumsum(zipf_popularity(objects, exponent))
    draws = np.random.default_rng(seed).random(whole("references", references, 1))
    return np.searchsorted(total[:-1], draws, side="right").astype(np.int64)


def loop_trace(references: int, objects: int) -> Ints:
    """Return references that go through all objects in turn, again and again.

    Parameters
    ----------
    references : int
        Length of the trace, 1 or more.
    objects : int
        Objects of a round, 1 or more.

    Returns
    -------
    ndarray of int, shape (references,)

    Examples
    --------
    >>> loop_trace(5, 3)
    array([0, 1, 2, 0, 1])
    """
    length, around = whole("references", references, 1), whole("objects", objects, 1)
    return np.arange(length, dtype=np.int64) % around


def ageing_trace(references: int, objects: int, exponent: float, every: int, seed: int = 0) -> Ints:
    """Return references by Zipf's law in which the popular objects change.

    Parameters
    ----------
    references : int
        Length of the trace, 1 or more.
    objects, exponent
        As for `zipf_popularity`; object 0 is the most popular at first.
    every : int
        After this many references, 1 or more, each object falls by one rank, and the last one
        becomes the first: the news come in at the top and age.
    seed : int, optional
        Of NumPy's generator.

    Returns
    -------
    ndarray of int, shape (references,)

    Examples
    --------
    With a steep law only the first rank counts:

    >>> ageing_trace(8, 4, 50.0, every=2).tolist()
    [0, 0, 3, 3, 2, 2, 1, 1]
    """
    ranks = zipf_trace(references, objects, exponent, seed)
    falls = np.arange(ranks.size) // whole("every", every, 1)
    return np.asarray((ranks - falls) % objects, np.int64)


def mixed_trace(traces: Sequence[ArrayLike], seed: int = 0) -> Ints:
    """Return traces shuffled into one; each keeps its order, and has objects of its own.

    Parameters
    ----------
    traces : sequence of array_like of int
        One or more; the objects of each are numbered after those of the one before.
    seed : int, optional
        Of NumPy's generator, which draws whose turn it is.

    Returns
    -------
    ndarray of int
        As long as all `traces` together.

    Examples
    --------
    >>> mixed_trace([[0, 1, 0, 1], [0, 0]], seed=1).tolist()
    [2, 0, 1, 0, 2, 1]
    """
    parts = [checked_trace(trace, "traces") for trace in traces]
    if not parts:
        raise ValueError("traces must hold one trace or more, got none")
    turn = np.repeat(np.arange(len(parts)), [part.size for part in parts])
    np.random.default_rng(seed).shuffle(turn)
    mixed, first = np.zeros(turn.size, np.int64), 0
    for i, part in enumerate(parts):
        mixed[turn == i] = part + first
        first += int(part.max()) + 1
    return mixed
