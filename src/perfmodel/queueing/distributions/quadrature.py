"""Gauss-Legendre quadrature on panels, for laws whose mass is spread over many decades.

Between two breaks an integrand is smooth; at a break it may jump. Panels that grow geometrically
give jobs of a microsecond and of a day the same care.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats

Complex = NDArray[np.complex128]
"""Values of a transform, in the plane in which it is inverted."""
_BLOCK = 2_000_000
NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


def geometric_breaks(low: float, high: float, ratio: float = 1.15) -> Floats:
    """Return 0 and then points from `low` to `high`, each at most `ratio` times the one before.

    >>> geometric_breaks(1.0, 4.0, ratio=2.0)
    array([0., 1., 2., 4.])
    """
    count = max(1, int(np.ceil(np.log(high / low) / np.log(ratio))))
    return np.concatenate([[0.0], np.geomspace(low, high, count + 1)])


def panel_nodes(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return nodes and weights of the integral from `low` to `high`, along a new last axis.

    >>> nodes, weights = panel_nodes(np.array(0.0), np.array(2.0))
    >>> print(round((weights * nodes**2).sum(), 12))
    2.666666666667
    """
    half = (high - low)[..., np.newaxis] / 2
    return low[..., np.newaxis] + half * (1 + NODES), half * WEIGHTS


def density_rule(breaks: Floats, density: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Return flat nodes and weights that integrate any smooth function against `density`.

    >>> nodes, weights = density_rule(np.array([0.0, 1.0]), lambda x: 2 * x)
    >>> print(round((weights * nodes).sum(), 12))
    0.666666666667
    """
    nodes, weights = panel_nodes(breaks[:-1], breaks[1:])
    return nodes.ravel(), (weights * density(nodes)).ravel()


def transform(
    rule: tuple[Floats, Floats], kernel: Callable[[Complex], Complex], s: ArrayLike
) -> Complex:
    """Return the sum of w kernel(s x) over a rule, for some thousand values of s at a time at most.

    >>> rule = np.array([1.0, 2.0]), np.array([0.5, 0.5])
    >>> print(transform(rule, lambda z: np.exp(-z), 0.0).real)
    1.0
    """
    nodes, weights = rule
    points = np.asarray(s, dtype=np.complex128)
    blocks = np.array_split(points.ravel(), 1 + points.size * nodes.size // _BLOCK)
    sums = [kernel(block[:, np.newaxis] * nodes) @ weights for block in blocks]
    return np.asarray(np.concatenate(sums).reshape(points.shape)[()])
