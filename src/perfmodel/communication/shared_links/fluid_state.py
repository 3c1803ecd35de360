"""The state of the fluid simulator: the flows on each link, rates, and when flows will end.

Bundles of arrays that compiled functions change in place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats

Ints = NDArray[np.int64]


class Network(NamedTuple):
    """What doesn't change: the links of all flows in a row, each a crossing."""

    capacities: Floats
    starts: Ints
    """First crossing of each flow, and the last one's end, shape (flows + 1,)."""
    links: Ints
    """Of each crossing."""
    owners: Ints
    """The flow of each crossing."""


class LinkState(NamedTuple):
    """Rates, the flows on each link, and the current pass."""

    rates: Floats
    bottlenecks: Ints
    """The link that holds each flow back, or -1."""
    heads: Ints
    """A crossing on each link, or -1: the head of a doubly linked list."""
    after: Ints
    before: Ints
    is_open: Ints
    """Per flow: 1 while it is in the set and not held back yet, 2 once it is; 0 outside."""
    is_touched: Ints
    residual_capacity: Floats
    """Per link: capacity not taken by flows outside of the set or held back already."""
    users: Ints
    """Per link: open flows."""
    outside_level: Floats
    """Per link: the level at which flows outside of the set are held back, or infinity."""
    fastest: Floats
    """Per link: no flow outside of the set is faster."""
    levels: Floats
    """Per link: the next level at which to look at it, or infinity."""
    lowest: Ints
    """A tournament of links; the lowest level's is at 1."""
    members: Ints
    touched: Ints
    counts: Ints
    """Of members and touched links."""


class Clock(NamedTuple):
    """When flows will end if nothing changes."""

    remaining: Floats
    """Bytes that each flow had left when its rate was last changed."""
    since: Floats
    """When that was."""
    ends: Floats
    """When each flow will end, or infinity."""
    soonest: Ints
    """A tournament of flows; the one that ends first is at 1."""


def link_state(network: Network) -> LinkState:
    """Return the state before any flow has come."""
    links, flows = network.capacities.size, network.starts.size - 1

    def filled(size: int, value: int) -> Ints:
        return np.full(size, value, dtype=np.int64)

    return LinkState(
        rates=np.zeros(flows),
        bottlenecks=filled(flows, -1),
        heads=filled(links, -1),
        after=filled(network.links.size, -1),
        before=filled(network.links.size, -1),
        is_open=filled(flows, 0),
        is_touched=filled(links, 0),
        residual_capacity=np.zeros(links),
        users=filled(links, 0),
        outside_level=np.full(links, np.inf),
        fastest=np.zeros(links),
        levels=np.full(links + 1, np.inf),
        lowest=_tournament(links),
        members=filled(flows, 0),
        touched=filled(links, 0),
        counts=filled(2, 0),
    )


def clock_of(sizes: Floats) -> Clock:
    """Return the clock before any flow has come; beyond the flows nobody ever ends."""
    never = np.full(sizes.size + 1, np.inf)
    return Clock(sizes.copy(), np.zeros(sizes.size), never, _tournament(sizes.size))


def _tournament(players: int) -> Ints:
    """Return a binary tree whose leaves are the players, filled up with one who never wins."""
    leaves = 1 << max(players - 1, 1).bit_length()
    winners = np.full(2 * leaves, players, dtype=np.int64)
    winners[leaves : leaves + players] = np.arange(players)
    return winners
