"""The same methods with real rows that go from machine to machine, counted as they arrive."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.labs.communication.sparse_updates.traffic import METHODS
from perfmodel.validation import Floats, finite, whole, within


class Moved(NamedTuple):
    """What a method did."""

    sums: Floats
    """What each machine knows of the sum in the end, shape (machines, rows); NaN where nothing."""
    received: NDArray[np.int64]
    """Rows that came in from others, shape (machines,)."""


def drawn_gradients(machines: int, rows: int, share: float, seed: int = 0) -> Floats:
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
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
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
