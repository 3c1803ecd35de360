"""Dual values of a placement as advice: what one more GB, or one more GB/s, is worth."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.offloading.placement.problem import PlacementProblem
from perfmodel.offloading.placement.program import Placement, TooLargeError, best_placement
from perfmodel.validation import Floats, non_negative, whole

STEP = 1e9
"""The unit of an advice in bytes or bytes/s: one GB, or one GB/s."""


class Advice(NamedTuple):
    """What a little more of something is worth."""

    resource: str
    """Name of the tier or link."""
    kind: str
    """'capacity' or 'rate'."""
    gain: float
    """Seconds that a step gets shorter for one GB, or one GB/s, more, by the dual value."""
    step_fraction: float
    """The same as a share of the step."""

    def __str__(self) -> str:
        """Say it in a sentence."""
        what = "GB of" if self.kind == "capacity" else "GB/s of"
        return f"One more {what} {self.resource} is worth {self.gain:.3g} s a step."


def placement_advice(problem: PlacementProblem, placement: Placement) -> list[Advice]:
    """Return what one more GB of each tier and GB/s of each link is worth, the best first.

    Parameters
    ----------
    problem : PlacementProblem
        Items, tiers and links, with work in bytes.
    placement : Placement
        The best placement of this problem, not one with whole items.

    Returns
    -------
    list of Advice
        Only what is worth anything; empty if the step depends on neither memory nor links.

    Raises
    ------
    ValueError
        If the placement has whole items, and so no prices.

    Examples
    --------
    >>> from perfmodel.offloading import best_placement, tier_problem
    >>> problem = tier_problem([4, 4], [10, 2], [0, 0], [4, 8], [4, 1], [4, 1])
    >>> placement_advice(problem, best_placement(problem))[0].resource
    '1 read'
    """
    if placement.time > 0 and not placement.weights.any():
        raise ValueError("placement must have prices, got one with whole items")
    prices = [
        *zip(
            problem.tiers, ["capacity"] * len(problem.tiers), placement.capacity_prices, strict=True
        ),
        *zip(problem.links, ["rate"] * len(problem.links), placement.rate_prices, strict=True),
    ]
    step = placement.time or 1.0
    advice = [
        Advice(name, kind, float(price) * STEP, float(price) * STEP / step)
        for name, kind, price in prices
        if price * STEP > 1e-9 * step
    ]
    return sorted(advice, key=lambda each: -each.gain)


def times_by_capacity(problem: PlacementProblem, tier: int, capacity: ArrayLike) -> Floats:
    """Return the best step's seconds as one tier grows: convex, in straight pieces.

    Parameters
    ----------
    problem : PlacementProblem
        Items, tiers and links.
    tier : int
        Number of the tier whose capacity varies, from 0.
    capacity : array_like
        Its bytes, shape (n,), infinity allowed; where items don't fit, the result is infinity.

    Examples
    --------
    >>> from perfmodel.offloading import tier_problem
    >>> problem = tier_problem([4, 4], [10, 2], [0, 0], [4, 8], [4, 1], [4, 1])
    >>> times_by_capacity(problem, 0, [0, 5, 10])
    array([12. ,  2.4,  2.4])
    """
    place = _place("tier", tier, len(problem.tiers))
    size = np.asarray(capacity)
    endless = np.isposinf(size) if size.dtype.kind == "f" else np.zeros(size.shape, bool)
    non_negative("capacity", np.where(endless, 0, size) if endless.any() else capacity)
    return _along(problem, "capacity", place, np.asarray(size, float))


def _place(name: str, number: int, count: int) -> int:
    place = whole(name, number)
    if place >= count:
        raise ValueError(f"{name} must be a whole number from 0 to {count - 1}, got {number!r}")
    return place


def _along(problem: PlacementProblem, name: str, place: int, values: Floats) -> Floats:
    now = getattr(problem, name)
    times = []
    for value in values.ravel():
        limits = now.copy()
        limits[place] = value
        changed = replace(problem, **{name: limits})
        try:
            times.append(best_placement(changed).time)
        except TooLargeError:
            times.append(np.inf)
    return np.array(times).reshape(values.shape)
