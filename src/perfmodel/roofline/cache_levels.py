"""Rooflines with caches: each level of the memory hierarchy is a bound of its own.

*Hierarchical*: a kernel has one intensity for each level, from the bytes that really move between
that level and the one above it, and the level with the least headroom bounds it. *Cache-aware*: a
kernel has one intensity, from all bytes that the cores ask for, and the roof that bounds it is that
of the level that its data come from.

After Ilic, Pratas and Sousa, "Cache-aware roofline model: upgrading the loft", IEEE Computer
Architecture Letters 13(1), 2014, for the second, and Yang et al., "Hierarchical roofline analysis
for GPUs", Concurrency and Computation 32(20), 2020, for the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.machines import Machine
from perfmodel.validation import Floats, non_negative, positive


@dataclass(frozen=True)
class MemoryLevel:
    """A level of the memory hierarchy, seen from the cores."""

    name: str
    bandwidth: float
    """Bytes/s that it delivers."""
    capacity: float | None = None
    """Bytes, above 0; None where unknown or without limit."""

    def __post_init__(self) -> None:
        """Refuse a level that delivers or holds nothing."""
        positive("bandwidth", self.bandwidth)
        if self.capacity is not None:
            positive("capacity", self.capacity)


def machine_levels(machine: Machine) -> tuple[MemoryLevel, ...]:
    """Return the levels of `machine` whose bandwidths are known, the closest to the cores first.

    Raises
    ------
    ValueError
        If not even the memory bandwidth is known.

    Examples
    --------
    >>> from perfmodel import machines
    >>> [level.name for level in machine_levels(machines.get("t4"))]
    ['memory']
    """
    caches = [
        MemoryLevel(
            name.upper(),
            machine.value(f"{name}_bandwidth"),
            machine.value(f"{name}_cache") if machine.has(f"{name}_cache") else None,
        )
        for name in ("l1", "l2", "l3")
        if machine.has(f"{name}_bandwidth")
    ]
    capacity = machine.memory_capacity if machine.has("memory_capacity") else None
    return (*caches, MemoryLevel("memory", machine.memory_bandwidth, capacity))


def attainable_hierarchical(
    flops: ArrayLike, traffic: ArrayLike, peak: ArrayLike, bandwidth: ArrayLike
) -> Floats:
    """Return the highest rate of a kernel whose traffic is known level by level.

    Parameters
    ----------
    flops : array_like, shape (...)
        Operations of the kernel, above 0.
    traffic : array_like, shape (..., levels)
        Bytes moved between each level and the one above it, 0 or more.
    peak : array_like, shape (...)
        FLOP/s.
    bandwidth : array_like, shape (levels,)
        Bytes/s of each level, in the order of `traffic`.

    Returns
    -------
    ndarray, shape (...)
        FLOP/s: the operations over the longest of the times that each resource needs alone.

    Examples
    --------
    A kernel that reuses in L1 what it loads from memory:

    >>> float(attainable_hierarchical(1e9, [8e9, 1e9], peak=1e11, bandwidth=[4e11, 2e10]))
    20000000000.0
    """
    times = level_times(flops, traffic, peak, bandwidth)
    return np.asarray(positive("flops", flops) / times.max(axis=-1))


def level_times(
    flops: ArrayLike, traffic: ArrayLike, peak: ArrayLike, bandwidth: ArrayLike
) -> Floats:
    """Return the seconds that each resource needs alone, shape (..., 1 + levels).

    The first is arithmetic, the others are the levels in the order of `traffic`; `flops`, `peak`,
    `bandwidth` and errors are those of `attainable_hierarchical`.
    """
    moving = non_negative("traffic", traffic) / positive("bandwidth", bandwidth)
    arithmetic = np.asarray(positive("flops", flops) / positive("peak", peak))
    shape = np.broadcast_shapes(arithmetic.shape, moving.shape[:-1])
    parts = (
        np.broadcast_to(arithmetic[..., None], (*shape, 1)),
        np.broadcast_to(moving, (*shape, moving.shape[-1])),
    )
    return np.concatenate(parts, axis=-1)


def level_bottleneck(
    flops: ArrayLike, traffic: ArrayLike, peak: ArrayLike, bandwidth: ArrayLike
) -> NDArray[np.intp]:
    """Return which resource takes longest: 0 for arithmetic, then 1, 2 ... for the levels.

    `flops`, `traffic`, `peak` and `bandwidth` are those of `attainable_hierarchical`.

    >>> int(level_bottleneck(1e9, [8e9, 1e9], 1e11, [4e11, 2e10]))
    2
    """
    return np.asarray(level_times(flops, traffic, peak, bandwidth).argmax(axis=-1))


def attainable_cache_aware(intensity: ArrayLike, peak: ArrayLike, bandwidth: ArrayLike) -> Floats:
    """Return the roofs of the cache-aware model, one for each level.

    Parameters
    ----------
    intensity : array_like, shape (...)
        FLOP per byte that the cores load or store, wherever it comes from.
    peak : float
        FLOP/s.
    bandwidth : array_like, shape (levels,)
        Bytes/s that the cores see when all data come from that level.

    Returns
    -------
    ndarray, shape (..., levels)
        FLOP/s.

    Examples
    --------
    >>> attainable_cache_aware(0.125, 1e11, [4e11, 2e10])
    array([5.0e+10, 2.5e+09])
    """
    rate = non_negative("intensity", intensity)[..., None] * positive("bandwidth", bandwidth)
    return np.asarray(np.minimum(positive("peak", peak), rate))
