"""The method of conjugate gradients, right, and with two names for one array.

The method makes the residual r small along directions p, each conjugate to those before. The first
direction is the first residual. Written `p = r`, both names stand for one array, and the in-place
`r -= ...` changes the direction as well. The answer that comes out is right; it comes late.

Source: M. R. Hestenes and E. Stiefel, "Methods of conjugate gradients for solving linear systems",
Journal of Research of the National Bureau of Standards 49(6), 1952. The bug is one that three of
ten suggestions for this kernel share in the repository of Godoy and others, by our reading.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from perfmodel.validation import Floats, positive, whole


class Solved(NamedTuple):
    """What a solver found."""

    x: Floats
    residuals: Floats
    """Norm of b - A x over that of b, before each iteration and after the last."""

    @property
    def iterations(self) -> int:
        """How many it took."""
        return len(self.residuals) - 1


Solver = Callable[..., Solved]


def conjugate_gradient(
    a: Floats, b: Floats, tolerance: float = 1e-8, most: int | None = None
) -> Solved:
    """Solve A x = b for a symmetric positive definite A, from x = 0.

    `tolerance` is the norm of the residual over that of b at which to stop; at most `most`
    iterations are done, 20 n if not given.

    >>> conjugate_gradient(np.diag([1.0, 2.0]), np.ones(2)).x.round(9)
    array([1. , 0.5])
    """
    return _iterate(a, b, tolerance, most, aliased=False)


def aliased_gradient(
    a: Floats, b: Floats, tolerance: float = 1e-8, most: int | None = None
) -> Solved:
    """Solve as `conjugate_gradient` does, but for `p = r` where it copies.

    >>> aliased_gradient(np.diag([1.0, 2.0]), np.ones(2)).x.round(7)
    array([1. , 0.5])
    """
    return _iterate(a, b, tolerance, most, aliased=True)


def _iterate(a: Floats, b: Floats, tolerance: float, most: int | None, aliased: bool) -> Solved:
    limit = 20 * len(b) if most is None else whole("most", most, 1)
    goal = float(positive("tolerance", tolerance)) * float(np.sqrt(b @ b))
    x, r = np.zeros_like(b), b.copy()
    p = r if aliased else r.copy()
    square = r @ r
    norms = [float(np.sqrt(square))]
    while norms[-1] > goal and len(norms) <= limit:
        image = a @ p
        step = square / (p @ image)
        x += step * p
        r -= step * image
        before, square = square, r @ r
        p = r + (square / before) * p
        norms.append(float(np.sqrt(square)))
    return Solved(x, np.array(norms) / norms[0])


def laplacian(n: int) -> Floats:
    """Return the matrix of second differences on n points, 2 beside -1, shape (n, n).

    >>> laplacian(2)
    array([[ 2., -1.],
           [-1.,  2.]])
    """
    size = whole("n", n, 1)
    return np.asarray(2 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1))


def right_hand_side(n: int, seed: int = 0) -> Floats:
    """Return n normal random numbers of a seed.

    >>> right_hand_side(3).shape
    (3,)
    """
    return np.random.default_rng(seed).standard_normal(whole("n", n, 1))
