"""Straight lines over pieces of the sizes, for many sets of times at once.

All sums are of squared relative errors, ((a + b n) / t - 1)^2, with neither a nor b below zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats

LEAST = 3
"""Different sizes that a piece must have."""
FINEST = 1e-4
"""Relative error that counts as none."""
_LEAST_SUM = 1e-300


class Lines(NamedTuple):
    """The best line over each range of sizes, all of shape (sets, m, m): from size i to size j."""

    error: Floats
    """Sum of squared relative errors; infinite for a range of too few sizes."""
    latency: Floats
    byte_time: Floats


class Segmentation(NamedTuple):
    """The best division of the sizes into some pieces."""

    error: Floats
    """Sum over all pieces, shape (sets,)."""
    starts: NDArray[np.intp]
    """First size of each piece, shape (sets, pieces)."""


def fit_all_segments(sizes: Floats, times: Floats, starts: NDArray[np.intp]) -> Lines:
    """Return the best line over each range of different sizes.

    `sizes`, shape (n,): ascending. `times`, shape (sets, n): above 0. `starts`, shape (m,): where
    each different size begins.
    """
    rate, m = 1 / times, len(starts)
    sums = [np.add.reduceat(term, starts, axis=1) for term in (rate**2, rate, np.ones_like(rate))]
    different = sizes[starts]
    error, latency, byte_time = (np.full((len(times), m, m), np.inf) for _ in range(3))
    for i in range(m - LEAST + 1):
        found = _line(different[i:], *(term[:, i:] for term in sums))
        for table, values in zip((error, latency, byte_time), found, strict=True):
            table[:, i, i + LEAST - 1 :] = values[:, LEAST - 1 :]
    return Lines(error, latency, byte_time)


def _line(n: Floats, w: Floats, r: Floats, count: Floats) -> tuple[Floats, Floats, Floats]:
    """Return error, latency and byte time from the first size to each, by the sums at each size.

    The sums are of 1 / t^2, 1 / t and 1. Sizes are counted from the first one: the products of
    sizes that differ little compared with their distance from 0 would cancel.
    """
    first, m = n[0], n - n[0]
    w, wm, wmm, r, rm, points = (
        np.cumsum(term, axis=1) for term in (w, w * m, w * m**2, r, r * m, count)
    )
    scale = w * wmm - wm**2
    scale = np.where(scale > 0, scale, 1.0)
    start, b = (r * wmm - rm * wm) / scale, (w * rm - wm * r) / scale
    through = (rm + first * r) / np.maximum(wmm + 2 * first * wm + first**2 * w, _LEAST_SUM)
    flat, steep = b < 0, start < b * first
    start = np.where(steep, through * first, np.where(flat, r / w, start))
    b = np.where(steep, through, np.where(flat, 0, b))
    error = points - 2 * (start * r + b * rm) + start**2 * w + 2 * start * b * wm + b * b * wmm
    return np.maximum(error, 0), np.maximum(start - b * first, 0), b


def best_segmentations(lines: Lines, breaks: int) -> list[Segmentation]:
    """Return the best division with 0, 1, ... breaks, by dynamic programming (Bellman 1961)."""
    sets, m, _ = lines.error.shape
    best, choices = [lines.error[:, 0, :]], []
    for _ in range(breaks):
        total = np.full((sets, m, m), np.inf)
        total[:, 1:, :] = best[-1][:, :-1, None] + lines.error[:, 1:, :]
        choices.append(total.argmin(axis=1))
        best.append(total.min(axis=1))
    return [Segmentation(best[k][:, -1], _starts(choices[:k], sets, m)) for k in range(breaks + 1)]


def _starts(choices: list[NDArray[np.intp]], sets: int, m: int) -> NDArray[np.intp]:
    last, starts = np.full(sets, m - 1), []
    for choice in reversed(choices):
        first = choice[np.arange(sets), last]
        starts.append(first)
        last = first - 1
    return np.stack([np.zeros(sets, dtype=np.intp), *reversed(starts)], axis=1)


def segment_parameters(lines: Lines, starts: NDArray[np.intp], m: int) -> tuple[Floats, Floats]:
    """Return latency and byte time of each piece of m sizes, by the first size of each."""
    ends = np.column_stack([starts[:, 1:] - 1, np.full(len(starts), m - 1)])
    rows = np.arange(len(starts))[:, None]
    return lines.latency[rows, starts, ends], lines.byte_time[rows, starts, ends]


def bandwidths(byte_times: Floats) -> Floats:
    """Return bytes/s; infinite where time doesn't grow with size."""
    some = np.where(byte_times > 0, byte_times, 1)
    return np.where(byte_times > 0, 1 / some, np.inf)
