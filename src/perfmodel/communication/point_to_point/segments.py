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


class Lines(NamedTuple):
    """The best line over each range of sizes, all of shape (sets, m, m): from size i to size j."""

    error: Floats
    """Sum of squared relative errors; infinite for a range of too few sizes."""
    latency: Floats
    byte_time: Floats


class Pieces(NamedTuple):
    """The best division of the sizes into some pieces."""

    error: Floats
    """Sum over all pieces, shape (sets,)."""
    starts: NDArray[np.intp]
    """First size of each piece, shape (sets, pieces)."""


def all_lines(sizes: Floats, times: Floats, places: NDArray[np.intp]) -> Lines:
    """Return the best line over each range of different sizes.

    Parameters
    ----------
    sizes : ndarray, shape (n,)
        Ascending.
    times : ndarray, shape (sets, n)
        Above 0.
    places : ndarray, shape (m,)
        Where each different size begins.
    """
    rate, m = 1 / times, len(places)
    terms = (rate**2, sizes * rate**2, (sizes * rate) ** 2, rate, sizes * rate, np.ones_like(rate))
    sums = np.stack([np.add.reduceat(term, places, axis=1) for term in terms])
    error, latency, byte_time = (np.full((len(times), m, m), np.inf) for _ in range(3))
    for i in range(m - LEAST + 1):
        found = _line(*np.cumsum(sums[:, :, i:], axis=2)[:, :, LEAST - 1 :])
        for table, values in zip((error, latency, byte_time), found, strict=True):
            table[:, i, i + LEAST - 1 :] = values
    return Lines(error, latency, byte_time)


def _line(
    w: Floats, wn: Floats, wnn: Floats, wt: Floats, wnt: Floats, count: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return error, latency and byte time from weighted sums, weights being 1 / t^2."""
    scale = w * wnn - wn**2
    a, b = (wt * wnn - wnt * wn) / scale, (w * wnt - wn * wt) / scale
    flat = b < 0
    steep = a < 0
    a = np.where(steep, 0, np.where(flat, wt / w, a))
    b = np.where(steep, wnt / wnn, np.where(flat, 0, b))
    error = count - 2 * (a * wt + b * wnt) + a * a * w + 2 * a * b * wn + b * b * wnn
    return np.maximum(error, 0), a, b


def divide(lines: Lines, breaks: int) -> list[Pieces]:
    """Return the best division with 0, 1, ... breaks, by dynamic programming (Bellman 1961)."""
    sets, m, _ = lines.error.shape
    best, choices = [lines.error[:, 0, :]], []
    for _ in range(breaks):
        total = np.full((sets, m, m), np.inf)
        total[:, 1:, :] = best[-1][:, :-1, None] + lines.error[:, 1:, :]
        choices.append(total.argmin(axis=1))
        best.append(total.min(axis=1))
    return [Pieces(best[k][:, -1], _starts(choices[:k], sets, m)) for k in range(breaks + 1)]


def _starts(choices: list[NDArray[np.intp]], sets: int, m: int) -> NDArray[np.intp]:
    last, starts = np.full(sets, m - 1), []
    for choice in reversed(choices):
        first = choice[np.arange(sets), last]
        starts.append(first)
        last = first - 1
    return np.stack([np.zeros(sets, dtype=np.intp), *reversed(starts)], axis=1)
