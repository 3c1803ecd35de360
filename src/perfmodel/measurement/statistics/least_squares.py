"""Least squares without the normal equations, whose condition is that of the columns squared.

Columns are brought to one length first, so that no result depends on a unit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats

_EPSILON = float(np.finfo(np.float64).eps)
UNDETERMINED = 1e-9
"""Columns of length 1 whose combination is shorter than this can't be distinguished."""
_TURNED = 1e-5
"""Share of a direction that has to lie where the columns say nothing, beyond rounding."""


def products_inverse(columns: Floats) -> Floats:
    """Return the inverse of the products of columns, X'X, which is never formed.

    Times the variance of the errors, it is the covariance of the coefficients. For collinear
    columns it is as large as rounding allows, not 0 as from a pseudoinverse.

    >>> products_inverse(np.array([[1.0, 0.0], [0.0, 1e-9]])) / [1, 1e18]
    array([[1., 0.],
           [0., 1.]])
    """
    length = np.sqrt((columns**2).sum(axis=0))
    length = np.where(length > 0, length, 1.0)
    _, singular, turned = np.linalg.svd(columns / length, full_matrices=False)
    root = (turned / np.maximum(singular, _EPSILON * singular[0])[:, None]) / length
    return np.asarray(root.T @ root)


def two_way_fit(table: ArrayLike) -> Floats:
    """Return a table's additive fit, a row's effect plus a column's, by least squares.

    This is the two-way analysis of variance without interaction. The fit is to the finite entries;
    each row and column of the `table` needs one.

    >>> print(two_way_fit([[1.0, 2.0], [3.0, np.nan]]).round(9))
    [[1. 2.]
     [3. 4.]]
    """
    values = np.asarray(table, dtype=np.float64)
    rows, columns = np.nonzero(np.isfinite(values))
    m, n = values.shape
    design = np.zeros((rows.size, m + n))
    design[np.arange(rows.size), rows] = design[np.arange(rows.size), m + columns] = 1
    effects = np.linalg.lstsq(design, values[rows, columns], rcond=None)[0]
    return np.asarray(effects[:m, None] + effects[m:])


def standard_errors(columns: Floats, directions: Floats) -> Floats:
    """Return the standard error of each combination of coefficients, for errors of variance 1.

    A row d of `directions`, shape (k, p), stands for the sum of d times the coefficients. The error
    is infinite where the rows of `columns` say nothing about the combination.

    >>> standard_errors(np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([[1.0, 1.0], [1.0, 0.0]]))
    array([0.4472136,       inf])
    """
    length = np.sqrt((columns**2).sum(axis=0))
    length = np.where(length > 0, length, 1.0)
    # The triangle first: the full basis of as many rows as there are times is large.
    _, spread, turned = np.linalg.svd(np.linalg.qr(columns / length, "r"))
    spread = np.append(spread, np.zeros(len(turned) - spread.size))
    known = spread > UNDETERMINED * max(float(spread[0]), _EPSILON)
    along = (directions / length) @ turned.T
    size = np.sqrt((along**2).sum(axis=1, keepdims=True))
    told = (along[:, known] / spread[known]) ** 2
    open_ = (np.abs(along[:, ~known]) > _TURNED * size).any(axis=1)
    return np.where(open_, np.inf, np.sqrt(told.sum(axis=1)))


def centred_roots(table: Floats) -> tuple[Floats, Floats]:
    """Return the means of columns, and a root of the inverse of their deviations' products.

    A row x of the columns has the leverage 1 / n + |(x - means) roots|^2 in a regression with an
    intercept. Columns that don't vary, and combinations of columns that don't, are left out.
    """
    means = table.mean(axis=0)
    centred = table - means
    varies = np.ptp(table, axis=0) > 8 * _EPSILON * np.abs(table).max(axis=0)
    length = np.where(varies, np.sqrt((centred**2).sum(axis=0)), 1.0)
    _, singular, turned = np.linalg.svd(centred * varies / length, full_matrices=False)
    known = singular > max(table.shape) * _EPSILON * max(singular[0], _EPSILON)
    return means, (turned[known] / length * varies).T / singular[known]
