"""What changed from before to after, with intervals whose unit is the student.

A student's answers hang together, so the number of independent pieces is that of students, not of
answers: each student gives one difference. Where the class met two forms in two orders, a form's
difficulty cancels in the mean of the orders' means. Intervals are by Welch's t with the degrees of
freedom of Satterthwaite, and by the symmetric bootstrap of that t, drawn within each order and
group: P. Hall, "On symmetric bootstrap confidence intervals", J. R. Stat. Soc. B 50 (1988). On
simulated classes the percentile bootstrap covers 88 to 93 %, the two-sided one of t 93.5 %, the
symmetric one 95 to 96.5 % (`benchmarks/study_coverage.py` counts the last).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from perfmodel.validation import Floats, one_number, within

RESAMPLES = 2000
FEWEST = 2
"""Students in a cell; below it there is no spread to judge by."""


class Effect(NamedTuple):
    """A weighted sum of the means of cells of students."""

    estimate: float
    standard_error: float
    degrees: float
    """Degrees of freedom of the t interval."""
    interval: tuple[float, float]
    """By Student's t."""
    bootstrap: tuple[float, float]
    """By the symmetric bootstrap of t, students drawn with replacement within each cell."""
    students: int

    @property
    def decided(self) -> bool:
        """Whether both intervals leave out 0."""
        return all(low > 0 or high < 0 for low, high in (self.interval, self.bootstrap))


def weighted(
    cells: Sequence[Floats],
    weights: Sequence[float],
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Effect:
    """Return a weighted sum of the cells' means, with intervals from a seeded bootstrap.

    Each cell has a number a student, two or more. The weights are one a cell: (1,) for a single
    class, (1/2, 1/2) for two orders, (1, -1) to compare groups.

    >>> found = weighted([np.array([0.1, 0.5, 0.3])], [1.0])
    >>> round(found.estimate, 3), round(found.degrees, 3)
    (0.3, 2.0)
    """
    if len(cells) != len(weights) or not cells:
        raise ValueError(f"cells and weights must be as many, got {len(cells)} and {len(weights)}")
    arrays = [np.asarray(cell, dtype=np.float64) for cell in cells]
    for cell in arrays:
        if cell.ndim != 1 or cell.size < FEWEST or not np.isfinite(cell).all():
            raise ValueError(f"a cell must hold {FEWEST} or more finite numbers, got {cell!r}")
    tail = (1 - one_number("confidence", within("confidence", confidence, 0.01, 0.999))) / 2
    share = np.asarray(weights, dtype=np.float64)
    means = np.array([cell.mean() for cell in arrays])
    errors = np.array([cell.var(ddof=1) / cell.size for cell in arrays]) * share**2
    estimate, error = float(share @ means), float(np.sqrt(errors.sum()))
    sizes = np.array([cell.size for cell in arrays])
    parts = errors / errors.sum() if error else errors
    degrees = 1 / float((parts**2 / (sizes - 1)).sum()) if error else np.inf
    reach = float(stats.t.isf(tail, degrees)) * error
    drawn = _studentized(arrays, share, seed, resamples)
    width = float(np.quantile(np.abs(drawn), 1 - 2 * tail)) * error if drawn.size else 0.0
    return Effect(
        estimate,
        error,
        degrees,
        (estimate - reach, estimate + reach),
        (estimate - width, estimate + width),
        int(sizes.sum()),
    )


def _studentized(cells: Sequence[Floats], share: Floats, seed: int, resamples: int) -> Floats:
    """Return the t of each resample about the sample's estimate; none where nothing varies."""
    random = np.random.default_rng(seed)
    moved, squares = np.zeros(resamples), np.zeros(resamples)
    for cell, weight in zip(cells, share, strict=True):
        drawn = cell[random.integers(cell.size, size=(resamples, cell.size))]
        moved += weight * (drawn.mean(axis=1) - cell.mean())
        squares += weight**2 * drawn.var(axis=1, ddof=1) / cell.size
    known = squares > 0
    return np.asarray(moved[known] / np.sqrt(squares[known]))
