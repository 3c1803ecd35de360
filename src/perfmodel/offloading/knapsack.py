"""What to keep in the near memory: the knapsack, exactly, greedily and in shares.

Two tiers whose times add up make a knapsack: an item kept near saves its traffic times the
difference of seconds per byte, and takes its bytes. Source: S. Martello and P. Toth, *Knapsack
Problems*, 1990, chapter 2; G. Dantzig, *Discrete-variable extremum problems*, 1957.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, one_number, one_of, positive, sample

TABLE = 50_000_000
"""Cells that the table of the dynamic program may have: items times units of capacity."""

ROUNDING = 1e-12
"""Share of the capacity by which a sum of sizes may be above it, as sums of fractions are."""

_STANDARD_OUTPUT = 1
_ONE_AT_A_TIME = Lock()

Order = Literal["density", "value", "size"]


class Packing(NamedTuple):
    """What a knapsack holds."""

    fractions: Floats
    """Share of each item that is taken, 0 to 1, shape (items,)."""
    value: float
    """Total value of the items taken."""
    size: float
    """Bytes of the items taken."""
    price: float
    """Value that a little more capacity would add, per byte, where shares are allowed; else 0."""


def fractional_packing(size: ArrayLike, value: ArrayLike, capacity: float) -> Packing:
    """Return the best packing if items can be cut: by density, the last one cut.

    Parameters
    ----------
    size : array_like
        Bytes of each item, above 0, shape (items,).
    value : array_like
        What each item is worth in the knapsack, 0 or more, shape (items,).
    capacity : float
        Bytes that fit, 0 or more.

    Returns
    -------
    Packing
        Its value is never below that of a packing of whole items (Dantzig 1957). `price` is the
        density of the item that is cut, or of the next one where none is.

    Examples
    --------
    >>> fractional_packing([2, 3], [4, 3], 3.5).fractions
    array([1. , 0.5])
    """
    size, value, room = _checked(size, value, capacity)
    order = np.argsort(-value / size, kind="stable")
    before = np.cumsum(size[order]) - size[order]
    taken = np.empty_like(size)
    part = np.clip((room - before) / size[order], 0, 1)
    taken[order] = np.where(before + size[order] <= room * (1 + ROUNDING), 1, part)
    cut = order[taken[order] < 1]
    return _packed(taken, size, value, price=float((value / size)[cut[0]]) if len(cut) else 0.0)


def greedy_packing(
    size: ArrayLike, value: ArrayLike, capacity: float, *, order: Order = "density"
) -> Packing:
    """Return what is taken if whole items are looked at once, in an order, and taken if they fit.

    Parameters
    ----------
    size : array_like
        Bytes of each item, above 0, shape (items,).
    value : array_like
        What each item is worth in the knapsack, 0 or more, shape (items,).
    capacity : float
        Bytes that fit, 0 or more.
    order : {"density", "value", "size"}
        Largest value per byte first, largest value first, or smallest item first. Density is
        optimal for items of one size, and where nothing is left over or out.

    Examples
    --------
    >>> greedy_packing([2, 3], [4, 3], 3.5).fractions
    array([1., 0.])
    """
    size, value, room = _checked(size, value, capacity)
    spare = room * ROUNDING
    keys = {"density": -value / size, "value": -value, "size": size}
    one_of("order", order, keys)
    taken = np.zeros_like(size)
    for item in np.argsort(keys[order], kind="stable"):
        if size[item] <= room + spare:
            taken[item] = 1
            room -= size[item]
    return _packed(taken, size, value)


def exact_packing(
    size: ArrayLike,
    value: ArrayLike,
    capacity: float,
    *,
    method: Literal["dynamic", "branch"] = "branch",
) -> Packing:
    """Return the most valuable packing of whole items.

    Parameters
    ----------
    size : array_like
        Bytes of each item, above 0, shape (items,); whole numbers for "dynamic".
    value : array_like
        What each item is worth in the knapsack, 0 or more, shape (items,).
    capacity : float
        Bytes that fit, 0 or more.
    method : {"dynamic", "branch"}
        Bellman's table over items and capacities, for small whole sizes (pages, not bytes), or
        branch and bound by HiGHS, which finds the best value to 1e-6 of the largest one.

    Returns
    -------
    Packing
        Never more than fits. Of packings that fill the capacity to within 1e-6 of it "branch" may
        pass over some.

    Raises
    ------
    ValueError
        If sizes aren't whole, or the table of "dynamic" would have more than `TABLE` cells.

    Examples
    --------
    >>> exact_packing([6, 5, 5], [7, 5, 5], 10).fractions
    array([0., 1., 1.])
    """
    size, value, room = _checked(size, value, capacity)
    if method == "dynamic":
        return _packed(_bellman(size, value, room), size, value)
    if method != "branch":
        raise ValueError(f"method must be dynamic or branch, got {method!r}")
    from scipy.optimize import Bounds, LinearConstraint, milp

    fits = size <= room * (1 + ROUNDING)
    taken = np.zeros_like(size)
    if not fits.any():
        return _packed(taken, size, value)
    worth, share = value[fits] / (value[fits].max() or 1.0), size[fits] / room
    limit, lower = 1.0, ROUNDING
    while True:
        with _silence():
            found = milp(
                -worth,
                constraints=LinearConstraint(share[None], ub=limit),
                integrality=np.ones(len(worth)),
                bounds=Bounds(0, 1),
                options={"mip_rel_gap": 0.0},
            )
        if found.status != 0:
            raise RuntimeError(f"the best packing was not found: {found.message}")
        taken[fits] = np.round(found.x)
        excess = float(taken[fits] @ share) - 1
        if excess <= ROUNDING:
            return _packed(taken, size, value)
        limit -= max(excess, lower)
        lower *= 4


@contextmanager
def _silence() -> Iterator[None]:
    """Discard the standard output: HiGHS prints a line for its developers, whatever `disp` is."""
    flush = ctypes.CDLL(None).fflush if os.name == "posix" else lambda _: None
    with _ONE_AT_A_TIME, open(os.devnull, "wb") as nowhere:
        sys.stdout.flush()
        flush(None)
        kept = os.dup(_STANDARD_OUTPUT)
        try:
            os.dup2(nowhere.fileno(), _STANDARD_OUTPUT)
            yield
        finally:
            flush(None)
            os.dup2(kept, _STANDARD_OUTPUT)
            os.close(kept)


def _checked(size: ArrayLike, value: ArrayLike, capacity: float) -> tuple[Floats, Floats, float]:
    size = sample("size", positive("size", size))
    value = sample("value", non_negative("value", value))
    if size.shape != value.shape:
        raise ValueError(f"value must be one for each size, got {len(value)} for {len(size)}")
    return size, value, one_number("capacity", capacity, non_negative)


def _packed(taken: Floats, size: Floats, value: Floats, price: float = 0.0) -> Packing:
    return Packing(taken, float(taken @ value), float(taken @ size), price)


def _bellman(size: Floats, value: Floats, room: float) -> Floats:
    if (size != np.floor(size)).any():
        raise ValueError("size must be whole numbers for method 'dynamic'; round it up to pages")
    units, sizes = int(min(room, size.sum())), size.astype(int)
    if len(size) * (units + 1) > TABLE:
        raise ValueError(
            f"capacity must be at most {TABLE // len(size)} units for {len(size)} items "
            f"and method 'dynamic', got {units}"
        )
    best = np.zeros(units + 1)
    better = np.zeros((len(size), units + 1), dtype=bool)
    for item, (bytes_, worth) in enumerate(zip(sizes, value, strict=True)):
        if bytes_ <= units:
            with_it = best[: units + 1 - bytes_] + worth
            better[item, bytes_:] = with_it > best[bytes_:]
            best[bytes_:] = np.maximum(best[bytes_:], with_it)
    taken = np.zeros(len(size))
    for item in range(len(size) - 1, -1, -1):
        if better[item, units]:
            taken[item] = 1
            units -= sizes[item]
    return taken
