"""Items, tiers and links: what a placement over memory tiers is chosen for.

An item (a tensor, a cache, an optimizer's state) is cut into fractions, one for each tier (GPU
memory, DRAM, CXL, disk). The data in a tier make work for links in each step: the directions of a
bus, a disk or a processor. Links of one phase work at the same time, and the phase takes as long as
its busiest link. Phases follow one another. With all links in one phase a step is the maximum over
links; with one phase for each link it is their sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, finite, non_negative, positive, sample


@dataclass(frozen=True, eq=False)
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
        if size.shape[:1] != (items,):
            raise ValueError(f"size must be one for each of {items} items, got shape {size.shape}")
        size = fitted("size", size[:, None] if size.ndim == 1 else size, (items, tiers))
        capacity = np.asarray(self.capacity, float)
        non_negative("capacity", np.where(np.isposinf(capacity), 0.0, capacity))
        phase = finite("phase", self.phase)
        if not np.array_equal(np.unique(phase), np.arange(max(1, len(np.unique(phase))))):
            raise ValueError(f"phase must number phases from 0 without a gap, got {self.phase!r}")
        allowed = np.asarray(self.allowed)
        if allowed.dtype != np.bool_:
            raise ValueError(f"allowed must be true or false, got {self.allowed!r}")
        full: dict[str, Any] = {
            "size": size,
            "capacity": fitted("capacity", capacity, (tiers,)),
            "work": work,
            "rate": fitted("rate", positive("rate", self.rate), (links,)),
            "busy": fitted("busy", non_negative("busy", self.busy), (links,)),
            "phase": fitted("phase", phase, (links,)).astype(int),
            "repeats": fitted(
                "repeats", non_negative("repeats", self.repeats), (int(phase.max()) + 1,)
            ),
            "allowed": fitted("allowed", allowed, (items, tiers)),
        }
        if not full["allowed"].any(axis=1).all():
            raise ValueError("allowed must leave each item a tier, got an item without one")
        for name, count in (("items", items), ("tiers", tiers), ("links", links)):
            names = tuple(getattr(self, name)) or tuple(str(n) for n in range(count))
            if len(names) != count:
                raise ValueError(f"{name} must be {count} names, got {len(names)}")
            full[name] = names
        for name, value in full.items():
            object.__setattr__(self, name, value)


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
        Bytes of each tier, shape (tiers,); infinity for no limit.
    read_rate, write_rate : array_like
        Bytes/s of each tier in each direction, shape (tiers,).
    overlap : bool
        Whether all links work at once (the step is the longest), or one after the other (the sum).
    items, tiers : sequence of str
        Names; numbers where left out.

    Examples
    --------
    >>> near = tier_problem([10], [10], [0], [np.inf, np.inf], [4, 1], [4, 1])
    >>> near.links
    ('0 read', '1 read', '0 write', '1 write')
    """
    size = sample("size", size)
    read = _as_many("read", non_negative("read", read), "size", size)
    written = _as_many("written", non_negative("written", written), "size", size)
    reads = sample("read_rate", positive("read_rate", read_rate))
    writes = _as_many("write_rate", positive("write_rate", write_rate), "read_rate", reads)
    rates, count = np.concatenate([reads, writes]), len(reads)
    work = np.zeros((2 * count, len(read), count))
    for tier in range(count):
        work[tier, :, tier] = read
        work[count + tier, :, tier] = written
    names = tuple(tiers) or tuple(str(n) for n in range(count))
    return PlacementProblem(
        size=size,
        capacity=np.asarray(capacity, float),
        work=work,
        rate=rates,
        phase=np.zeros(1, int) if overlap else np.arange(2 * count),
        items=items,
        tiers=names,
        links=[f"{name} {way}" for way in ("read", "write") for name in names],
    )


def fitted(name: str, value: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a copy of `value` in a shape that it must broadcast to."""
    try:
        return np.broadcast_to(value, shape).copy()
    except ValueError:
        raise ValueError(f"{name} must have shape {shape}, got {value.shape}") from None


def _as_many(name: str, value: Floats, other: str, counted: Floats) -> Floats:
    if value.shape != counted.shape:
        raise ValueError(
            f"{name} must be one for each {other}, got shape {value.shape} for {counted.shape}"
        )
    return value
