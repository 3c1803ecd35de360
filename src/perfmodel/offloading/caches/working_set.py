"""Working sets: LRU's hit ratio from the times between uses, without playing a cache."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.offloading.caches.references import checked_trace, numbered
from perfmodel.validation import Floats, at_least, finite


class WorkingSet(NamedTuple):
    """The results of working-set theory for a cache, arrays of one shape."""

    hit_ratio: Floats
    """Share of the references whose object was used within the window before."""
    window: Floats
    """Time for which an object stays after its last use, in the unit of the times; infinite where
    the cache holds all objects of the trace."""


def reuse_gaps(trace: ArrayLike, times: ArrayLike) -> Floats:
    """Return the time since the last use of each reference's object.

    Parameters
    ----------
    trace : array_like of int, shape (references,)
        Objects in the order of their use, by numbers from 0.
    times : array_like, shape (references,)
        When each is used, not falling, in any unit.

    Returns
    -------
    ndarray, shape (references,)
        Infinite at an object's first use.

    Examples
    --------
    >>> reuse_gaps([4, 5, 4, 4], [0, 1, 5, 6])
    array([inf, inf,  5.,  1.])
    """
    references, when = _timed(trace, times)
    _, places = numbered(references)
    order = np.argsort(places, kind="stable")
    gaps = np.full(when.size, np.inf)
    again = places[order[1:]] == places[order[:-1]]
    gaps[order[1:][again]] = when[order[1:][again]] - when[order[:-1][again]]
    return gaps


def working_set_hit_ratio(trace: ArrayLike, times: ArrayLike, size: ArrayLike) -> WorkingSet:
    """Return LRU's hit ratio by working-set theory, from the gaps between uses alone.

    Parameters
    ----------
    trace, times : array_like, shape (references,)
        As for `reuse_gaps`; the last time must be above the first.
    size : array_like
        Objects that the cache holds, 0 or more, any shape.

    Raises
    ------
    ValueError
        If an argument is out of range, or the times fall or don't fit the trace.

    Notes
    -----
    With references at the rate r, and H(T) the share of them whose object was used within T before,
    the mean number of objects used within the last T is S(T) = r times the integral of 1 - H from 0
    to T (Denning and Schwartz, "Properties of the working-set model", CACM 1972). A cache of size C
    keeps an object for about the T at which S(T) = C. The mean is taken over the whole trace, so
    that a load that changes, or a cold start, isn't seen.

    Examples
    --------
    A loop over four objects: a cache of two never sees one again in time.

    >>> found = working_set_hit_ratio([0, 1, 2, 3] * 50, range(200), [2, 5])
    >>> found.hit_ratio
    array([0.  , 0.98])
    """
    references, when = _timed(trace, times)
    span = float(when[-1] - when[0])
    if span <= 0:
        raise ValueError(f"times must rise from first to last, got {when[0]} and {when[-1]}")
    sizes = at_least("size", size, 0)
    gaps = np.sort(reuse_gaps(references, when))
    seen = gaps[np.isfinite(gaps)]
    rate, count = references.size / span, references.size
    passed = np.concatenate([[0.0], np.cumsum(seen)])
    later = np.arange(seen.size + 1)
    knots = np.concatenate([[0.0], seen])
    held = rate * (knots - (later * knots - passed) / count)
    beyond = rate * (1 - seen.size / count)
    window = np.interp(sizes, held, knots)
    over = sizes > held[-1]
    if over.any():
        extra = (sizes - held[-1]) / beyond if beyond > 0 else np.inf
        window = np.where(over, knots[-1] + extra, window)
    window = np.where(sizes >= np.unique(references).size, np.inf, window)
    ratio = np.searchsorted(seen, window * (1 + 1e-12), side="right") / count
    return WorkingSet(np.where(sizes > 0, ratio, 0.0), window)


def _timed(trace: ArrayLike, times: ArrayLike) -> tuple[np.ndarray, Floats]:
    references, when = checked_trace(trace), finite("times", times)
    if when.shape != references.shape or (np.diff(when) < 0).any():
        raise ValueError(
            f"times must not fall, one for each of {references.size} references, "
            f"got shape {when.shape}"
        )
    return references, when
