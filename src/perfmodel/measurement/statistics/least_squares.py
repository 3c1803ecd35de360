"""Least squares without the normal equations, whose condition is that of the columns squared.

Columns are brought to one length first, so that no result depends on a unit.
"""

from __future__ import annotations

import numpy as np

from perfmodel.validation import Floats

_EPSILON = float(np.finfo(np.float64).eps)


def products_inverse(columns: Floats) -> Floats:
    """Return the inverse of the products of columns, X'X, which is never formed.

    Times the variance of the errors, it is the covariance of the coefficients. For collinear
    columns it is as large as rounding allows, not 0 as from a pseudoinverse.

    Parameters
    ----------
    columns : ndarray, shape (n, p)
        n of p or more.

    Examples
    --------
    >>> products_inverse(np.array([[1.0, 0.0], [0.0, 1e-9]])) / [1, 1e18]
    array([[1., 0.],
           [0., 1.]])
    """
    length = np.sqrt((columns**2).sum(axis=0))
    length = np.where(length > 0, length, 1.0)
    _, singular, turned = np.linalg.svd(columns / length, full_matrices=False)
    root = (turned / np.maximum(singular, _EPSILON * singular[0])[:, None]) / length
    return np.asarray(root.T @ root)


def centred_roots(table: Floats) -> tuple[Floats, Floats]:
    """Return the means of columns, and a root of the inverse of their deviations' products.

    A row x of the columns has the leverage 1 / n + |(x - means) roots|^2 in a regression with an
    intercept. Columns that don't vary, and combinations of columns that don't, are left out.

    Parameters
    ----------
    table : ndarray, shape (n, p)

    Returns
    -------
    means : ndarray, shape (p,)
    roots : ndarray, shape (p, rank)
    """
    means = table.mean(axis=0)
    centred = table - means
    varies = np.ptp(table, axis=0) > 8 * _EPSILON * np.abs(table).max(axis=0)
    length = np.where(varies, np.sqrt((centred**2).sum(axis=0)), 1.0)
    _, singular, turned = np.linalg.svd(centred * varies / length, full_matrices=False)
    known = singular > max(table.shape) * _EPSILON * max(singular[0], _EPSILON)
    return means, (turned[known] / length * varies).T / singular[known]
