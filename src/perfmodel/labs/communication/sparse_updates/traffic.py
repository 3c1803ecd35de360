"""Bytes that each machine receives in a step, for a table of which few rows are touched.

Source: S. Kim et al., "Parallax: Sparsity-aware data parallel training of deep neural networks",
EuroSys 2019, arXiv:1808.02621, for the comparison; the counts are ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from perfmodel.validation import Floats, at_least, positive, within

METHODS = ("dense ring", "gather", "server", "sparse ring")


def received(method: str, machines: ArrayLike, size: ArrayLike, share: ArrayLike) -> Floats:
    """Return the bytes that a machine receives, mean over machines; it sends as many.

    All values by a ring all-reduce; touched rows of all to all; touched rows to and from servers
    that hold a part of the table each, one on every machine; or touched rows by a ring that adds
    them up on the way. The table has `size` bytes, of whose rows a machine touches a `share` in a
    step, independently of the other machines.

    >>> [round(float(received(method, 8, 800e6, 0.01)) / 1e6) for method in METHODS]
    [1400, 56, 14, 82]
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    n, bytes_ = at_least("machines", machines, 2), positive("size", size)
    if (n % 1).any():
        raise ValueError(f"machines must be whole numbers, got {machines!r}")
    touched = within("share", share, 0, 1)
    if method == "dense ring":
        return np.asarray(2 * bytes_ * (n - 1) / n + 0 * touched)
    if method == "gather":
        return np.asarray(touched * bytes_ * (n - 1))
    if method == "server":
        return np.asarray(2 * touched * bytes_ * (n - 1) / n)
    arriving = _on_the_way(touched, n) + (n - 1) * union_share(touched, n)
    return np.asarray(bytes_ / n * arriving)


def union_share(share: ArrayLike, machines: ArrayLike) -> Floats:
    """Return the share of rows that at least one machine touches, 1 - (1 - share)^machines.

    >>> round(float(union_share(0.01, 100)), 3)
    0.634
    """
    n = at_least("machines", machines, 1)
    return _touched_by(n, within("share", share, 0, 1))


def crossing_share(first: str, second: str, machines: int) -> float:
    """Return the share above which the first method moves more than the second.

    >>> round(crossing_share("gather", "dense ring", 8), 4)
    0.25
    """

    def more(share: float) -> float:
        return float(received(first, machines, 1.0, share) - received(second, machines, 1.0, share))

    low, high = 1e-9, 1.0
    if more(low) >= 0 or more(high) <= 0:
        raise ValueError(f"first must cross second, but {first} and {second} do not, or at 1 only")
    return float(brentq(more, low, high, xtol=1e-12))


def _on_the_way(share: Floats, machines: Floats) -> Floats:
    """Return the shares of rows that 1, 2, ... machines - 1 machines touch, added up."""
    many = np.arange(1, machines.max())
    touched = _touched_by(many, share[..., None])
    return np.asarray((touched * (many < machines[..., None])).sum(axis=-1))


def _touched_by(machines: Floats, share: Floats) -> Floats:
    """Return 1 - (1 - share)^machines, exact also where the share is tiny."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(machines * np.log1p(-share)))
