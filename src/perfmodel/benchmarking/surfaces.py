"""Response surfaces: a quadratic fitted to few runs, and the place where its slope is zero.

With k factors the model y = b0 + b'x + x'Bx has (k + 1)(k + 2)/2 coefficients. Where B's
eigenvalues are all above 0, the stationary point x = -B^-1 b / 2 is the fit's minimum; where their
signs differ it is a saddle, and the best lies on the edge of the settings that were tried.

Sources: G. E. P. Box and K. B. Wilson, "On the experimental attainment of optimum conditions",
Journal of the Royal Statistical Society B 13(1), 1951; R. H. Myers, D. C. Montgomery and
C. M. Anderson-Cook, "Response Surface Methodology", Wiley, 2016.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.benchmarking.designs import full_factorial
from perfmodel.validation import Floats, finite, positive, sample, whole

_FLAT = 1e-9
"""A curvature below this share of the largest curvature or slope is none."""


@dataclass(frozen=True, eq=False)
class QuadraticSurface:
    """A quadratic fitted by `fit_quadratic`: y = constant + slope x + x curvature x."""

    constant: float
    slope: Floats
    """b, shape (factors,)."""
    curvature: Floats
    """B, symmetric, shape (factors, factors)."""
    residuals: Floats
    """Measured less fitted, shape (runs,)."""
    leave_one_out_errors: Floats
    """Measured less what a fit without that run predicts, shape (runs,); larger than `residuals`,
    and infinite for a run that the fit can't do without."""

    def predict(self, points: ArrayLike) -> Floats:
        """Return the surface at `points`, shape (n, factors), as an array of shape (n,)."""
        x = _points(points, self.slope.size)
        bend = np.einsum("ni,ij,nj->n", x, self.curvature, x)
        return np.asarray(self.constant + x @ self.slope + bend)

    @property
    def kind(self) -> str:
        """`minimum`, `maximum`, `saddle`, or `ridge` where some direction has no curvature."""
        bends, _ = self._bends
        if not bends.all():
            return "ridge"
        return "minimum" if bends.min() > 0 else "maximum" if bends.max() < 0 else "saddle"

    @property
    def stationary_point(self) -> Floats:
        """Where the slope is zero, shape (factors,); along a ridge the slope is left as it is."""
        bends, axes = self._bends
        along = axes.T @ self.slope
        return np.asarray(axes @ np.divide(-along, 2 * bends, out=0 * along, where=bends != 0))

    @property
    def _bends(self) -> tuple[Floats, Floats]:
        """Return the curvature along each of its axes, 0 where it is nothing but rounding."""
        bends, axes = np.linalg.eigh(self.curvature)
        largest = max(np.abs(bends).max(), np.abs(self.slope).max())
        return np.where(np.abs(bends) > _FLAT * largest, bends, 0.0), axes


def quadratic_terms(factors: int) -> int:
    """Return the coefficients of a quadratic in `factors`: the runs that a fit needs at least.

    >>> [quadratic_terms(k) for k in (1, 2, 6)]
    [3, 6, 28]
    """
    count = whole("factors", factors, 1)
    return (count + 1) * (count + 2) // 2


def central_composite(factors: int, arm: float = 1.0, centres: int = 1) -> Floats:
    """Return the runs of a central composite design: corners, arms along the axes, and the centre.

    Parameters
    ----------
    factors : int
        k, from 2 to 15.
    arm : float
        Distance of the arms from the centre, above 0. 1 puts them on the faces of the cube, which
        needs three levels only; 2^(k/4) makes the design rotatable.
    centres : int
        Runs at the centre, 0 or more.

    Examples
    --------
    >>> central_composite(2).shape
    (9, 2)
    """
    whole("factors", factors, 2)
    arms = positive("arm", arm) * np.eye(factors)
    middle = np.zeros((whole("centres", centres), factors))
    return np.vstack([full_factorial(factors).runs, arms, -arms, middle])


def fit_quadratic(points: ArrayLike, responses: ArrayLike) -> QuadraticSurface:
    """Return the `QuadraticSurface` that fits measured runs by least squares.

    Raises `ValueError` if there are fewer runs than coefficients, or the runs can't tell all
    coefficients apart.

    Parameters
    ----------
    points : array_like, shape (runs, factors)
        Coded levels: -1, 0 and 1, or anything between. Three different ones in each factor.
    responses : array_like, shape (runs,)
        What was measured, in any unit.

    Examples
    --------
    >>> bowl = fit_quadratic([[-1.0], [0], [1], [2]], [5.0, 2, 1, 2])
    >>> bowl.kind, bowl.stationary_point.round(6).tolist()
    ('minimum', [1.0])
    """
    x = _points(points)
    y = sample("responses", responses)
    count = quadratic_terms(x.shape[1])
    if y.size != len(x) or y.size < count:
        raise ValueError(
            f"responses must be one for each of the points, {count} or more, "
            f"got {y.size} for {len(x)} points"
        )
    rows, columns = np.triu_indices(x.shape[1])
    terms = np.column_stack([np.ones(len(x)), x, x[:, rows] * x[:, columns]])
    if np.linalg.matrix_rank(terms) < count:
        raise ValueError(
            f"points must tell all {count} coefficients apart: try each factor at three levels and "
            f"each pair at its corners, got {len(np.unique(x, axis=0))} different points"
        )
    return _fitted(terms, y, x.shape[1], (rows, columns))


def _fitted(terms: Floats, y: Floats, factors: int, pairs: Any) -> QuadraticSurface:
    basis, triangle = np.linalg.qr(terms)
    coefficients = np.linalg.solve(triangle, basis.T @ y)
    upper = np.zeros((factors, factors))
    upper[pairs] = coefficients[1 + factors :]
    residuals = y - terms @ coefficients
    weight = 1 - np.einsum("ij,ij->i", basis, basis)
    left_out = np.full(y.size, np.inf)
    np.divide(residuals, weight, out=left_out, where=weight > _FLAT)
    return QuadraticSurface(
        float(coefficients[0]),
        coefficients[1 : 1 + factors],
        (upper + upper.T) / 2,
        residuals,
        left_out,
    )


def _points(points: ArrayLike, factors: int | None = None) -> Floats:
    x = finite("points", points)
    if x.ndim != 2 or x.shape[1] == 0 or factors not in (None, x.shape[1]):
        wanted = "one or more" if factors is None else str(factors)
        raise ValueError(f"points must have rows of {wanted} factors, got shape {x.shape}")
    return x
