"""A cluster in tiers: devices of a package, of a node, of the machine, each tier slower.

>>> cluster = TieredCluster(1e14, 64e9, [Tier(8, 100e9), Tier(1024, 25e9, together=12.5e9)])
>>> cluster.ring_bandwidth([2, 8, 16]) / 1e9
array([100., 100.,  25.])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, at_least, non_negative, positive, whole


@dataclass(frozen=True)
class Tier:
    """Devices that reach each other equally well.

    Attributes
    ----------
    devices : int
        In a unit of the tier, those of the tiers below included.
    bandwidth : float
        Bytes/s, one way, from a device to another, where one of the unit below sends outside.
    latency : float
        Seconds of a message whatever its size.
    together : float, optional
        Bytes/s of each device where all of the unit below send outside at once; `bandwidth` if
        they don't share links. Not for the first tier, whose units are single devices.
    """

    devices: int
    bandwidth: float
    latency: float = 0.0
    together: float | None = None

    def __post_init__(self) -> None:
        """Refuse links that carry nothing."""
        whole("devices", self.devices, low=1)
        positive("bandwidth", self.bandwidth)
        non_negative("latency", self.latency)
        if self.together is not None:
            positive("together", self.together)


@dataclass(frozen=True)
class TieredCluster:
    """Equal devices and the tiers that join them.

    Attributes
    ----------
    peak : float
        FLOP/s of a device.
    memory : float
        Bytes of a device.
    tiers : sequence of Tier
        From the closest to the farthest; each holds a multiple of the devices of the one before.
    """

    peak: float
    memory: float
    tiers: Sequence[Tier]

    def __post_init__(self) -> None:
        """Refuse a cluster without devices and tiers that don't fit into each other."""
        positive("peak", self.peak)
        positive("memory", self.memory)
        if not self.tiers:
            raise ValueError("tiers must be one or more, got none")
        if self.tiers[0].together is not None:
            raise ValueError(
                "together must be left out of the first tier, whose units are single devices, got "
                f"{self.tiers[0].together:g}"
            )
        for inner, outer in pairwise(self.tiers):
            if outer.devices <= inner.devices or outer.devices % inner.devices:
                raise ValueError(
                    f"tiers must hold multiples of the one before, got {outer.devices} devices "
                    f"after {inner.devices}"
                )

    @property
    def devices(self) -> int:
        """How many there are."""
        return self.tiers[-1].devices

    def ring_bandwidth(self, group: ArrayLike) -> Floats:
        """Return the bytes/s, one way, of one ring through a `group` of neighbouring devices."""
        return self._by_tier([tier.bandwidth for tier in self.tiers], group)

    def shared_bandwidth(self, group: ArrayLike) -> Floats:
        """Return the bytes/s of each device where all in a `group` send far at once."""
        return self._by_tier([tier.together or tier.bandwidth for tier in self.tiers], group)

    def latency(self, group: ArrayLike) -> Floats:
        """Return the seconds of a message between the farthest in a `group` of neighbours."""
        return self._by_tier([tier.latency for tier in self.tiers], group)

    def all_reduce_time(self, size: ArrayLike, group: ArrayLike) -> Floats:
        """Return the seconds in which a `group` of neighbours adds up vectors of `size` bytes.

        The faster of two ways: one ring through all, or tier by tier, where what was added up in
        a unit is shared out in it before all of the unit send their share outside at once. The
        second needs units that are full.

        >>> nodes = TieredCluster(1e14, 64e9, [Tier(8, 450e9), Tier(64, 50e9)])
        >>> nodes.all_reduce_time(1e9, [8, 16]) * 1e3
        array([3.88888889, 6.38888889])
        """
        vector, count = non_negative("size", size), _whole_groups(group)
        ring = ring_time(vector, count, self.ring_bandwidth(count), self.latency(count))
        stepwise, inner = np.zeros_like(ring), np.ones_like(count)
        for tier in self.tiers:
            outer = np.minimum(count, tier.devices)
            units = outer / inner
            rate = tier.together or tier.bandwidth
            stepwise = stepwise + ring_time(vector / inner, units, rate, tier.latency)
            stepwise = np.where(units % 1 == 0, stepwise, np.inf)
            inner = outer
        return np.minimum(ring, stepwise)

    def _by_tier(self, values: list[float], group: ArrayLike) -> Floats:
        size = _whole_groups(group)
        if (size > self.devices).any():
            raise ValueError(f"group must be {self.devices} or less, got {size.max():g}")
        place = np.searchsorted([tier.devices for tier in self.tiers], size)
        return np.asarray(np.array(values, np.float64)[place])


def ring_time(
    size: ArrayLike, ranks: ArrayLike, bandwidth: ArrayLike, latency: ArrayLike = 0.0
) -> Floats:
    """Return the seconds of a ring's all-reduce, 2 (n - 1)(size / (n bandwidth) + latency).

    Parameters
    ----------
    size : array_like
        Bytes of the vector.
    ranks : array_like
        n, 1 or more; one rank takes no time.
    bandwidth, latency : array_like
        Bytes/s of each link, seconds of each message.
    """
    n = at_least("ranks", ranks, 1)
    each = non_negative("size", size) / (n * positive("bandwidth", bandwidth))
    return np.asarray(2 * (n - 1) * (each + non_negative("latency", latency)))


def _whole_groups(group: ArrayLike) -> Floats:
    size = at_least("group", group, 1)
    if (size % 1).any():
        raise ValueError(f"group must be whole numbers, got {group!r}")
    return size
