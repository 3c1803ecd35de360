"""Placement over memory tiers as a linear program: shares of items, and what the limits cost.

An item (a tensor, a cache, an optimizer's state) is cut into shares, one for each tier (GPU memory,
DRAM, CXL, disk). What lies in a tier makes work for links, the directions of a bus, a disk or a
processor, in each step. Links of one phase work at the same time, and the phase takes as long as
its busiest one; phases follow one another. With all links in one phase a step is the maximum over
links, with one phase for each it is their sum. Both are linear in the shares, so that HiGHS finds
the best placement, and the dual values tell what one more byte or byte/s would be worth.
Source: D. Bertsimas and J. Tsitsiklis, *Introduction to Linear Optimization*, 1997, chapters 1, 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, finite, non_negative, positive, within


@dataclass(frozen=True)
class PlacementProblem:
    """Items, tiers, and the work that a placement makes for links.

    Raises a ValueError that names the field where shapes or signs don't fit.
    """

    size: Floats
    """Bytes that an item takes, shape (items,), or (items, tiers) where tiers hold it differently
    (compressed in one; computed again, and so of 0 bytes, in another)."""
    capacity: Floats
    """Bytes of each tier, shape (tiers,); infinity is allowed."""
    work: Floats
    """Bytes, or other work, for each link in a step if all of an item lies in a tier, shape
    (links, items, tiers)."""
    rate: Floats
    """Work per second of each link, shape (links,)."""
    busy: Floats = field(default_factory=lambda: np.zeros(1))
    """Seconds that each link works in a step wherever items lie, shape (links,) or (1,)."""
    phase: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, int))
    """Number of the phase in which each link works, from 0, shape (links,) or (1,)."""
    repeats: Floats = field(default_factory=lambda: np.ones(1))
    """How often each phase happens in a step, shape (phases,) or (1,)."""
    allowed: NDArray[np.bool_] = field(default_factory=lambda: np.ones((1, 1), bool))
    """Which item may lie in which tier, shape (items, tiers) or (1, 1)."""
    items: Sequence[str] = ()
    """Names of items; numbers where left out."""
    tiers: Sequence[str] = ()
    """Names of tiers; numbers where left out."""
    links: Sequence[str] = ()
    """Names of links; numbers where left out."""

    def __post_init__(self) -> None:
        """Bring all fields to their full shapes, and refuse what doesn't fit."""
        work = non_negative("work", self.work)
        if work.ndim != 3 or 0 in work.shape:
            raise ValueError(f"work must have shape (links, items, tiers), got shape {work.shape}")
        links, items, tiers = work.shape
        size = non_negative("size", self.size)
        size = _shaped("size", size[:, None] if size.ndim == 1 else size, (items, tiers))
        capacity = np.asarray(self.capacity, float)
        non_negative("capacity", np.where(np.isposinf(capacity), 0.0, capacity))
        phase = finite("phase", self.phase)
        if (phase != np.floor(phase)).any() or set(np.unique(phase)) != set(
            range(int(phase.max()) + 1)
        ):
            raise ValueError(f"phase must number phases from 0 without a gap, got {self.phase!r}")
        full: dict[str, Any] = {
            "size": size,
            "capacity": _shaped("capacity", capacity, (tiers,)),
            "work": work,
            "rate": _shaped("rate", positive("rate", self.rate), (links,)),
            "busy": _shaped("busy", non_negative("busy", self.busy), (links,)),
            "phase": _shaped("phase", phase, (links,)).astype(int),
            "repeats": _shaped(
                "repeats", non_negative("repeats", self.repeats), (int(phase.max()) + 1,)
            ),
            "allowed": _shaped("allowed", np.asarray(self.allowed, bool), (items, tiers)),
        }
        for name, count in (("items", items), ("tiers", tiers), ("links", links)):
            names = tuple(getattr(self, name)) or tuple(str(n) for n in range(count))
            if len(names) != count:
                raise ValueError(f"{name} must be {count} names, got {len(names)}")
            full[name] = names
        for name, value in full.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Placement:
    """The best shares, what a step takes, and what the limits cost."""

    shares: Floats
    """Share of each item in each tier, shape (items, tiers); rows sum to 1."""
    time: float
    """Seconds of a step."""
    link_times: Floats
    """Seconds that each link works in one pass of its phase, shape (links,)."""
    used: Floats
    """Bytes in each tier, shape (tiers,)."""
    weights: Floats
    """Seconds that a step grows by for each second more of a link, shape (links,); above 0 for the
    links that bind; 0 where items are whole, which has no dual values."""
    capacity_prices: Floats
    """Seconds that a step gets shorter for one more byte of a tier, shape (tiers,)."""
    rate_prices: Floats
    """Seconds that a step gets shorter for one more unit of rate of a link, shape (links,)."""


def tier_problem(
    size: ArrayLike,
    read: ArrayLike,
    written: ArrayLike,
    capacity: ArrayLike,
    read_rate: ArrayLike,
    write_rate: ArrayLike,
    *,
    overlap: bool = True,
    items: Sequence[str] = (),
    tiers: Sequence[str] = (),
) -> PlacementProblem:
    """Return the problem in which each tier has a link for reads and one for writes.

    Parameters
    ----------
    size : array_like
        Bytes of each item, shape (items,).
    read, written : array_like
        Bytes of each item that a step reads and writes, shape (items,).
    capacity : array_like
        Bytes of each tier, shape (tiers,).
    read_rate, write_rate : array_like
        Bytes/s of each tier in each direction, shape (tiers,).
    overlap : bool
        Whether all links work at once (the step is the longest), or one after the other (the sum).
    items, tiers : sequence of str
        Names; numbers where left out.

    Examples
    --------
    >>> near = tier_problem([10], [10], [0], [np.inf, np.inf], [4, 1], [4, 1])
    >>> best_placement(near).shares
    array([[0.8, 0.2]])
    """
    read, written = non_negative("read", read), non_negative("written", written)
    rates = np.concatenate([positive("read_rate", read_rate), positive("write_rate", write_rate)])
    count = len(rates) // 2
    work = np.zeros((2 * count, len(read), count))
    for tier in range(count):
        work[tier, :, tier] = read
        work[count + tier, :, tier] = written
    names = tuple(tiers) or tuple(str(n) for n in range(count))
    return PlacementProblem(
        size=np.asarray(size, float),
        capacity=np.asarray(capacity, float),
        work=work,
        rate=rates,
        phase=np.zeros(1, int) if overlap else np.arange(2 * count),
        items=items,
        tiers=names,
        links=[f"{name} {way}" for way in ("read", "write") for name in names],
    )


def link_times(problem: PlacementProblem, shares: ArrayLike) -> Floats:
    """Return the seconds that each link works in one pass of its phase, shape (links,).

    Parameters
    ----------
    problem : PlacementProblem
        Items, tiers and links.
    shares : array_like
        Share of each item in each tier, 0 to 1, shape (items, tiers); rows sum to 1.
    """
    shares = _shaped("shares", within("shares", shares, -1e-9, 1 + 1e-9), problem.size.shape)
    if not np.allclose(shares.sum(axis=1), 1, atol=1e-6):
        raise ValueError(f"shares must sum to 1 for each item, got {shares.sum(axis=1)}")
    moved: Floats = np.einsum("lit,it->l", problem.work, shares)
    return np.asarray(problem.busy + moved / problem.rate)


def placement_time(problem: PlacementProblem, shares: ArrayLike) -> float:
    """Return the seconds of a step: of each phase the busiest link, as often as it repeats.

    Parameters
    ----------
    problem : PlacementProblem
        Items, tiers and links.
    shares : array_like
        Share of each item in each tier, shape (items, tiers); whether it fits is not asked.
    """
    times = link_times(problem, shares)
    longest = [times[problem.phase == number].max() for number in range(len(problem.repeats))]
    return float(problem.repeats @ np.array(longest))


def best_placement(problem: PlacementProblem, *, whole: bool = False) -> Placement:
    """Return the placement with the shortest step, by a linear program.

    Parameters
    ----------
    problem : PlacementProblem
        Items, tiers and links.
    whole : bool
        Whether every item must lie in one tier (branch and bound; no prices, which are then 0).

    Returns
    -------
    Placement
        Where several are equally short, one of them. Prices hold for small changes; where the time
        bends exactly at today's limit, they are those of one of its sides.

    Raises
    ------
    ValueError
        If the items don't fit into the tiers that they are allowed in.
    """
    from scipy.optimize import linprog

    links, items, tiers = problem.work.shape
    phases, count = len(problem.repeats), items * tiers
    seconds = problem.work / problem.rate[:, None, None]
    clock = float(np.max(seconds.sum(axis=1)) + problem.busy.max()) or 1.0
    unit = float(problem.size.sum()) or 1.0
    limited = np.flatnonzero(np.isfinite(problem.capacity))
    upper = np.zeros((links + len(limited), count + phases))
    upper[:links, :count] = seconds.reshape(links, count) / clock
    upper[np.arange(links), count + problem.phase] = -1.0
    for row, tier in enumerate(limited, start=links):
        upper[row, np.arange(items) * tiers + tier] = problem.size[:, tier] / unit
    complete = np.hstack([np.kron(np.eye(items), np.ones(tiers)), np.zeros((items, phases))])
    found = linprog(
        np.concatenate([np.zeros(count), problem.repeats]),
        A_ub=upper,
        b_ub=np.concatenate([-problem.busy / clock, problem.capacity[limited] / unit]),
        A_eq=complete,
        b_eq=np.ones(items),
        bounds=[(0, int(free)) for free in problem.allowed.ravel()] + [(0, None)] * phases,
        integrality=[int(whole)] * count + [0] * phases,
        method="highs",
    )
    if found.status != 0:
        raise ValueError(
            f"size must fit into capacity, got {problem.size.max(axis=1).sum():.6g} bytes "
            f"for {problem.capacity.sum():.6g}"
        )
    shares = np.clip(found.x[:count].reshape(items, tiers), 0, 1)
    shares /= shares.sum(axis=1, keepdims=True)
    weights, prices, rates = np.zeros(links), np.zeros(tiers), np.zeros(links)
    times = link_times(problem, shares)
    if not whole:
        marginals = np.maximum(-found.ineqlin.marginals, 0)
        weights = marginals[:links]
        prices[limited] = marginals[links:] * clock / unit
        rates = weights * (times - problem.busy) / problem.rate
    return Placement(
        shares,
        placement_time(problem, shares),
        times,
        np.sum(problem.size * shares, axis=0),
        weights,
        prices,
        rates,
    )


def _shaped(name: str, value: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    try:
        return np.broadcast_to(value, shape).copy()
    except ValueError:
        raise ValueError(f"{name} must have shape {shape}, got {value.shape}") from None
