"""Bytes that each machine receives in a step, for a table with few touched rows.

Counted by formula, and with real rows as they arrive. The comparison is from S. Kim et al.,
"Parallax: Sparsity-aware data parallel training of deep neural networks", EuroSys 2019,
arXiv:1808.02621; we made the counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from perfmodel.validation import Floats, at_least, finite, one_of, positive, whole, within

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
    one_of("method", method, METHODS)
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
    arriving = _on_the_way(touched, n) + (n - 1) * union_fraction(touched, n)
    return np.asarray(bytes_ / n * arriving)


def union_fraction(share: ArrayLike, machines: ArrayLike) -> Floats:
    """Return the share of rows that at least one machine touches, 1 - (1 - share)^machines.

    >>> round(float(union_fraction(0.01, 100)), 3)
    0.634
    """
    n = at_least("machines", machines, 1)
    return _touched_by(n, within("share", share, 0, 1))


def crossing_fraction(first: str, second: str, machines: int) -> float:
    """Return the share above which the first method moves more than the second.

    >>> round(crossing_fraction("gather", "dense ring", 8), 4)
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


class Moved(NamedTuple):
    """What a method did."""

    sums: Floats
    """The sums that each machine knows at the end, shape (machines, rows); NaN if unknown."""
    received: NDArray[np.int64]
    """Rows that came in from others, shape (machines,)."""


def random_gradients(machines: int, rows: int, share: float, seed: int = 0) -> Floats:
    """Return gradients, shape (machines, rows), each row touched with probability `share`."""
    rng = np.random.default_rng(seed)
    shape = whole("machines", machines, 2), whole("rows", rows, 1)
    touched = rng.random(shape) < float(within("share", share, 0, 1))
    return np.where(touched, rng.integers(1, 10, shape).astype(np.float64), 0.0)


def moved(method: str, gradients: Floats) -> Moved:
    """Move the rows of `gradients`, shape (machines, rows), by a method of `METHODS`, and add up.

    Part j of the table is the machine's whose number is j; the number of rows is a multiple of the
    number of machines. A sparse message holds the rows that aren't zero. With a server a machine
    learns the sum of the rows that it touches, otherwise of all.

    >>> moved("gather", np.array([[1.0, 0.0], [2.0, 3.0]])).received
    array([2, 1])
    """
    one_of("method", method, METHODS)
    values = finite("gradients", gradients)
    if values.ndim != 2 or len(values) < 2 or values.shape[1] % len(values):
        raise ValueError(
            f"gradients must have 2 or more machines and a multiple of it rows, got shape "
            f"{values.shape}"
        )
    if method == "server":
        return _by_servers(values)
    if method == "gather":
        come = np.count_nonzero(values) - np.count_nonzero(values, axis=1)
        return Moved(np.tile(values.sum(axis=0), (len(values), 1)), come)
    return _by_ring(values, dense=method == "dense ring")


def _by_servers(values: Floats) -> Moved:
    n = len(values)
    parts = np.split(values, n, axis=1)
    come = np.zeros(n, np.int64)
    sums = np.full(values.shape, np.nan)
    width = parts[0].shape[1]
    for owner, part in enumerate(parts):
        touched = part != 0
        come[owner] += touched.sum() - touched[owner].sum()
        total = part.sum(axis=0)
        for machine in range(n):
            where = slice(owner * width, (owner + 1) * width)
            sums[machine, where][touched[machine]] = total[touched[machine]]
            come[machine] += touched[machine].sum() if machine != owner else 0
    return Moved(sums, come)


def _by_ring(values: Floats, dense: bool) -> Moved:
    n = len(values)
    held = [np.split(row.copy(), n) for row in values]
    come = np.zeros(n, np.int64)
    for adding in (True, False):
        for turn in range(n - 1):
            sent = [(m, (m - turn + (not adding)) % n) for m in range(n)]
            parcels = [held[m][part].copy() for m, part in sent]
            for (sender, part), parcel in zip(sent, parcels, strict=True):
                receiver = (sender + 1) % n
                come[receiver] += parcel.size if dense else np.count_nonzero(parcel)
                held[receiver][part] = held[receiver][part] * adding + parcel
    return Moved(np.array([np.concatenate(parts) for parts in held]), come)
