"""Optimal transport: the least cost of turning one sample into another, example by example.

Sinkhorn's iteration is written out for teaching; the exact least cost is that of POT. Sources:
M. Cuturi, "Sinkhorn distances: lightspeed computation of optimal transport", NIPS 2013; the cost
between labelled examples follows D. Alvarez-Melis, N. Fusi, "Geometric dataset distances via
optimal transport", NeurIPS 2020, simplified to one price for every pair of unlike labels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from perfmodel.validation import Floats, finite, non_negative, positive, sample, whole


def sinkhorn_plan(
    cost: ArrayLike,
    smoothing: float,
    steps: int,
    source: ArrayLike | None = None,
    target: ArrayLike | None = None,
) -> Floats:
    """Return how much mass goes from each source to each target point after some steps, (n, m).

    Odd steps scale the rows to the source masses, even ones the columns to the target masses (equal
    masses if not given). In the limit the plan is the cheapest with these masses, less `smoothing`,
    in the unit of the cost, times its entropy: the smaller, the nearer to the cheapest plan and the
    slower. A smoothing so small that a row or a column is lost to rounding is refused.

    >>> sinkhorn_plan([[0.0, 1], [1, 0]], 0.1, 10).round(3)
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    table = _table(cost)
    a, b = _masses("source", source, table.shape[0]), _masses("target", target, table.shape[1])
    kernel = np.exp(-table / float(positive("smoothing", smoothing)))
    u, v = np.ones_like(a), np.ones_like(b)
    with np.errstate(all="ignore"):
        for step in range(whole("steps", steps)):
            if step % 2 == 0:
                u = a / (kernel @ v)
            else:
                v = b / (kernel.T @ u)
        plan = u[:, None] * kernel * v
    if not (np.isfinite(plan).all() and kernel.any(axis=1).all() and kernel.any(axis=0).all()):
        raise ValueError(
            f"smoothing must be larger for costs up to {table.max():.3g}, got {smoothing!r}"
        )
    return np.asarray(plan)


def misplaced_mass(
    plan: ArrayLike, source: ArrayLike | None = None, target: ArrayLike | None = None
) -> float:
    """Return how much mass of a plan would have to lie elsewhere for its sums to be right.

    It is half of what the sums of rows and columns are off by in all; 0 if they are right.

    >>> misplaced_mass([[0.5, 0.25], [0.0, 0.25]])
    0.25
    """
    table = _table(plan, "plan")
    a, b = _masses("source", source, table.shape[0]), _masses("target", target, table.shape[1])
    off = np.abs(table.sum(axis=1) - a).sum() + np.abs(table.sum(axis=0) - b).sum()
    return float(off / 2)


def transport_cost(
    cost: ArrayLike, source: ArrayLike | None = None, target: ArrayLike | None = None
) -> float:
    """Return the least cost of moving the source masses to the target masses, by POT's simplex.

    >>> transport_cost([[1.0, 2], [3, 1]])
    1.0
    """
    import ot

    table = _table(cost)
    a, b = _masses("source", source, table.shape[0]), _masses("target", target, table.shape[1])
    # The simplex takes costs of 1e-12 for 0, in whatever unit they are.
    unit = float(table.max()) or 1.0
    return float(ot.emd2(a, b, table / unit)) * unit


def labelled_cost(
    features: ArrayLike,
    labels: ArrayLike,
    to_features: ArrayLike,
    to_labels: ArrayLike,
    label_cost: float,
) -> Floats:
    """Return the cost of taking one labelled example for another, for all pairs, shape (n, m).

    It is the squared distance of the features, and `label_cost` more where the labels differ.

    >>> labelled_cost([[0.0], [1.0]], ["a", "b"], [[0.0]], ["b"], 5)
    array([[5.],
           [1.]])
    """
    here, there = _examples("features", features), _examples("to_features", to_features)
    if here.shape[1] != there.shape[1]:
        raise ValueError(
            f"to_features must have {here.shape[1]} columns as features have, got {there.shape[1]}"
        )
    names, to_names = np.asarray(labels), np.asarray(to_labels)
    for name, given, rows in (("labels", names, here), ("to_labels", to_names, there)):
        if given.shape != (len(rows),):
            raise ValueError(f"{name} must have shape ({len(rows)},), got {given.shape}")
    unlike = names[:, None] != to_names
    price = float(non_negative("label_cost", label_cost))
    return np.asarray(cdist(here, there, "sqeuclidean") + price * unlike)


def _table(cost: ArrayLike, name: str = "cost") -> Floats:
    table = non_negative(name, cost)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"{name} must have shape (n, m) with n and m above 0, got {table.shape}")
    return table


def _masses(name: str, masses: ArrayLike | None, count: int) -> Floats:
    if masses is None:
        return np.full(count, 1 / count)
    given = positive(name, sample(name, masses))
    if given.size != count:
        raise ValueError(f"{name} must have {count} masses, got {given.size}")
    if not np.isclose(given.sum(), 1, rtol=0, atol=1e-9):
        raise ValueError(f"{name} must add up to 1, got a sum of {given.sum():.6g}")
    return given


def _examples(name: str, features: ArrayLike) -> Floats:
    table = finite(name, features)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"{name} must have shape (examples, d), got {table.shape}")
    return table
