"""A measured table asked for what it does not hold: linear between the nearest measured points.

Points lie on a grid of several sizes, of which some are missing. What is asked for lies on the
grid's lines: along each size the nearest measured points below and above are joined by a straight
line; several sizes give several answers, whose geometric mean counts. That is how simulators of
serving look up their kernels (APEX: Lin et al., arXiv:2411.17651, 2024, and its code).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, finite, positive

GridIndices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MeasuredTable:
    """Measured seconds on a grid of sizes, with holes.

    `sizes`, shape (n, d): of each measured step, one column a size; no row twice. `seconds`, shape
    (n,): above 0. `grid`, shape (m, d): sizes that will be asked for, so that they are on the grid
    too; unmeasured. Raises `ValueError` if shapes don't fit, a time isn't above 0, or a row is
    there twice.

    >>> table = MeasuredTable([[1], [2], [8]], [1.0, 2.0, 5.0], grid=[[4], [16]])
    >>> table.seconds([[2], [4], [16]])
    array([2., 3., 9.])
    """

    axes: tuple[Floats, ...]
    """Values of each size, ascending."""
    values: Floats
    """Seconds on the grid, nan where nothing was measured."""

    def __init__(self, sizes: ArrayLike, seconds: ArrayLike, grid: ArrayLike | None = None) -> None:
        rows, times = _rows("sizes", sizes), positive("seconds", seconds)
        if times.shape != (len(rows),):
            raise ValueError(f"seconds must be of shape {(len(rows),)}, got {times.shape}")
        every = rows if grid is None else np.vstack([rows, _rows("grid", grid, rows.shape[1])])
        axes = tuple(np.unique(column) for column in every.T)
        values = np.full([axis.size for axis in axes], np.nan)
        places = _places(axes, rows)
        values[tuple(places.T)] = times
        if np.isfinite(values).sum() != len(rows):
            raise ValueError("sizes must not hold a row twice")
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "values", values)

    def seconds(self, sizes: ArrayLike) -> Floats:
        """Return the seconds of steps, shape (n,); measured ones as they were measured.

        `sizes`, shape (n, d): on the grid's values. Between measured points where a line has them
        on both sides. Beyond the last one the line through the last two goes on, without ever
        falling; below the first one its value holds. nan where no line through the point holds two
        measured ones.
        """
        rows = _rows("sizes", sizes, len(self.axes))
        places = _places(self.axes, rows)
        known = self.values[tuple(places.T)]
        answers = [self._along(axis, places) for axis in range(len(self.axes))]
        inside = np.stack([between for between, _, _ in answers])
        value = np.stack([answer for _, _, answer in answers])
        some = np.stack([there for _, there, _ in answers])
        used = np.where(inside.any(axis=0), inside, some)
        logs = np.where(used, np.log(np.where(used, value, 1.0)), 0.0).sum(axis=0)
        count = used.sum(axis=0)
        found = np.where(count > 0, np.exp(logs / np.maximum(count, 1)), np.nan)
        return np.where(np.isfinite(known), known, found)

    def between(self, sizes: ArrayLike) -> NDArray[np.bool_]:
        """Return for which of the `sizes`, shape (n, d), a line has measured points on both sides.

        Of the others the table can only be gone on with.
        """
        places = _places(self.axes, _rows("sizes", sizes, len(self.axes)))
        parts = [self._along(axis, places)[0] for axis in range(len(self.axes))]
        measured = np.isfinite(self.values[tuple(places.T)])
        return np.asarray(np.any(parts, axis=0) | measured)

    def _along(self, axis: int, places: GridIndices) -> tuple[NDArray[np.bool_], ...]:
        """Return whether points lie on both sides, whether there is an answer, and the answer."""
        lines = np.moveaxis(self.values, axis, -1)
        x, at = self.axes[axis], places[:, axis]
        others = tuple(np.delete(places, axis, axis=1).T)
        count, row = x.size, np.arange(len(places))
        there = np.isfinite(lines)
        low = np.maximum.accumulate(np.where(there, np.arange(count), -1), axis=-1)
        high = np.where(there, np.arange(count), count)[..., ::-1]
        high = np.minimum.accumulate(high, axis=-1)[..., ::-1]
        if others:
            line, low, high = lines[others], low[others], high[others]
        else:
            line, low, high = (
                np.broadcast_to(part, (row.size, count)) for part in (lines, low, high)
            )
        under, above = low[row, at], high[row, at]
        both = (under >= 0) & (above < count)
        before = np.where(under > 0, low[row, np.maximum(under - 1, 0)], -1)
        beyond = (under >= 0) & (above >= count) & (before >= 0)
        first = (under < 0) & (above < count)
        left = np.where(beyond, before, np.where(first, above, under))
        right = np.where(beyond, under, above)
        answered = both | beyond | first
        left, right = (np.where(answered, side, 0) for side in (left, right))
        y0, y1 = line[row, left], line[row, right]
        apart = np.where(right > left, x[right] - x[left], 1.0)
        slope = np.where(right > left, y1 - y0, 0.0) / apart
        slope = np.where(beyond, np.maximum(slope, 0.0), slope)
        start, origin = np.where(beyond, y1, y0), np.where(beyond, x[right], x[left])
        reach = np.where(first, 0.0, x[at] - origin)
        return both, answered, np.where(answered, start + slope * reach, 1.0)


def _rows(name: str, values: ArrayLike, columns: int | None = None) -> Floats:
    rows = finite(name, values)
    if rows.ndim != 2 or rows.size == 0 or (columns is not None and rows.shape[1] != columns):
        wanted = "(n, d)" if columns is None else f"(n, {columns})"
        raise ValueError(f"{name} must be of shape {wanted}, got {rows.shape}")
    return rows


def _places(axes: tuple[Floats, ...], rows: Floats) -> GridIndices:
    places = np.empty(rows.shape, np.int64)
    for column, axis in enumerate(axes):
        at = np.minimum(np.searchsorted(axis, rows[:, column]), axis.size - 1)
        wrong = axis[at] != rows[:, column]
        if wrong.any():
            raise ValueError(
                f"sizes must lie on the grid: {rows[wrong, column][0]:g} isn't a value of size "
                f"{column}; give it with `grid`"
            )
        places[:, column] = at
    return places
