"""Topologies: hosts, switches and one-way links between them, and the routes that messages take.

Eight GPUs may be joined by a link for each pair, by one switch, or in a ring; thousands of hosts by
a fat tree. Each builder returns a `Topology`; hosts are vertices 0 to hosts - 1, switches follow.

Sources: C. Leiserson, "Fat-trees", IEEE Trans. Computers C-34(10), 1985; M. Al-Fares, A. Loukissas,
A. Vahdat, "A scalable, commodity data center network architecture", SIGCOMM 2008, for `fat_tree`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.communication.shared_links.max_min import Routes
from perfmodel.validation import Floats, one_number, positive, whole

Indexes = NDArray[np.int64]
Pairs = Sequence[tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Topology:
    """Hosts and switches joined by one-way links, messages taking a shortest way."""

    name: str
    hosts: int
    ends: Indexes
    """The vertex that each link leaves and the one that it enters, shape (links, 2)."""
    capacities: Floats
    """Bytes a second of each link, shape (links,)."""
    other_order: Sequence[int] = ()
    """The hosts in another order, whose first half may have a smaller cut."""

    @property
    def vertices(self) -> int:
        """Hosts and switches."""
        return int(self.ends.max()) + 1

    @cached_property
    def hops(self) -> NDArray[np.int32]:
        """Links on a shortest way from each vertex to each, shape (vertices, vertices)."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import shortest_path

        ones, shape = np.ones(len(self.ends)), (self.vertices, self.vertices)
        graph = coo_array((ones, (self.ends[:, 0], self.ends[:, 1])), shape=shape).tocsr()
        return np.asarray(shortest_path(graph, unweighted=True), dtype=np.int32)

    @property
    def diameter(self) -> int:
        """Links between the two hosts that are farthest apart."""
        return int(self.hops[: self.hosts, : self.hosts].max())

    @cached_property
    def _exits(self) -> Indexes:
        """Links that leave each vertex, shape (vertices, most of any), -1 where there are fewer."""
        order = np.argsort(self.ends[:, 0], kind="stable")
        leaving = self.ends[order, 0]
        place = np.arange(len(order)) - np.searchsorted(leaving, leaving)
        exits = np.full((self.vertices, place.max() + 1), -1)
        exits[leaving, place] = order
        return exits

    def routes(self, sources: ArrayLike, targets: ArrayLike, seed: int | None = None) -> Routes:
        """Return a shortest way for each pair of hosts; of several, the first or one at random.

        Parameters
        ----------
        sources, targets : array_like of int, shape (flows,)
            Hosts, different in each pair.
        seed : int, optional
            Choose among equally short ways at random, as switches do that spread flows by a hash.

        Examples
        --------
        >>> ring_network(6, 1e9).routes([0, 0], [2, 5]).lengths
        array([2, 1])
        """
        here, goal = self._pairs(sources, targets)
        flow, rng = np.arange(here.size), None if seed is None else np.random.default_rng(seed)
        taken, flows = [], []
        while flow.size:
            exits = self._exits[here]
            nearer = self.hops[self.ends[exits, 1], goal[:, None]] < self.hops[here, goal][:, None]
            nearer &= exits >= 0
            score = nearer * (1.0 if rng is None else 1 + rng.random(exits.shape))
            link = exits[np.arange(flow.size), score.argmax(axis=1)]
            taken.append(link)
            flows.append(flow)
            here = self.ends[link, 1]
            going = here != goal
            flow, here, goal = flow[going], here[going], goal[going]
        owners = np.concatenate(flows)
        order = np.argsort(owners, kind="stable")
        return Routes(np.concatenate(taken)[order], np.bincount(owners))

    def _pairs(self, sources: ArrayLike, targets: ArrayLike) -> tuple[Indexes, Indexes]:
        here, goal = self._named("sources", sources), self._named("targets", targets)
        if here.shape != goal.shape:
            raise ValueError(f"targets must have the shape of sources, got {goal.shape}")
        if (here == goal).any():
            raise ValueError(f"targets must differ from sources, got {goal[here == goal][0]} twice")
        return here, goal

    def _named(self, name: str, hosts: ArrayLike) -> Indexes:
        """Return one host or more in an array of one axis."""
        array = np.atleast_1d(np.asarray(hosts))
        if array.ndim != 1 or array.size == 0:
            raise ValueError(f"{name} must name one host or more in a row, got {hosts!r}")
        if array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= self.hosts:
            raise ValueError(f"{name} must be hosts from 0 to {self.hosts - 1}, got {hosts!r}")
        return array

    def bandwidth_between(self, group: Iterable[int], others: Iterable[int]) -> float:
        """Return the bytes a second that a group of hosts can send to others, over all ways.

        It is the largest flow, found as a linear program, and so the narrowest cut between them.

        >>> full_mesh(8, 1.0).bandwidth_between([0, 1], [2, 3, 4, 5, 6, 7])
        12.0
        """
        from scipy.optimize import linprog
        from scipy.sparse import coo_array, hstack

        inside, outside = self._named("group", list(group)), self._named("others", list(others))
        if np.isin(outside, inside).any():
            both = np.intersect1d(inside, outside).tolist()
            raise ValueError(f"others must be hosts outside group, got {both} in both")
        links, one = np.arange(len(self.ends)), np.ones(len(self.ends))
        shape = (self.vertices, len(links))
        kept = coo_array((one, (self.ends[:, 1], links)), shape=shape) - coo_array(
            (one, (self.ends[:, 0], links)), shape=shape
        )
        doors = np.zeros((self.vertices, len(inside) + len(outside)))
        doors[inside, np.arange(len(inside))] = 1
        doors[outside, len(inside) + np.arange(len(outside))] = -1
        unit = float(self.capacities.max())
        bounds = [(0, c) for c in self.capacities / unit] + [(0, None)] * doors.shape[1]
        sent = np.concatenate([np.zeros(len(links)), -np.ones(len(inside)), np.zeros(len(outside))])
        found = linprog(
            sent, A_eq=hstack([kept, doors]).tocsr(), b_eq=np.zeros(self.vertices), bounds=bounds
        )
        return float(-found.fun * unit)

    @property
    def bisection(self) -> float:
        """Bytes a second from the first half of the hosts to the second.

        For rails it is the least of two cuts, through nodes in a row and through rails in a row.
        The builders of this module number hosts in an order in which no other halves have a smaller
        cut. Exceptions are a torus whose longest side is odd, and rails with an odd number of nodes
        or GPUs.
        """
        half = self.hosts // 2
        orders = [order for order in (range(self.hosts), self.other_order) if order]
        return min(self.bandwidth_between(order[:half], order[half:]) for order in orders)


def full_mesh(hosts: int, capacity: float) -> Topology:
    """Return `hosts` hosts with a link of `capacity` bytes/s from each to each other.

    >>> full_mesh(8, 64e9).bisection / 64e9
    16.0
    """
    count = whole("hosts", hosts, 2)
    return _one_way("full mesh", count, list(permutations(range(count), 2)), capacity)


def single_switch(hosts: int, capacity: float) -> Topology:
    """Return `hosts` hosts with a link of `capacity` bytes/s to one switch, and one from it.

    >>> single_switch(8, 450e9).diameter
    2
    """
    count = whole("hosts", hosts, 2)
    return _both_ways("switch", count, [(host, count) for host in range(count)], capacity)


def ring_network(hosts: int, capacity: float) -> Topology:
    """Return `hosts` hosts in a ring, with a link of `capacity` bytes/s to either neighbor.

    >>> ring_network(8, 1e9).bisection / 1e9
    2.0
    """
    count = whole("hosts", hosts, 3)
    return _both_ways("ring", count, [(i, (i + 1) % count) for i in range(count)], capacity)


def torus(shape: Sequence[int], capacity: float) -> Topology:
    """Return a grid of hosts whose rows and columns are rings.

    Parameters
    ----------
    shape : sequence of int
        Hosts along each direction, the longest first, each 2 or more; along a direction of 2 there
        is one link each way.
    capacity : float
        Bytes a second of each link.

    Examples
    --------
    >>> torus((4, 4), 1.0).bisection, torus((4, 4), 1.0).diameter
    (8.0, 4)
    """
    sizes = [whole("shape", size, 2) for size in shape]
    if not sizes or sizes != sorted(sizes, reverse=True):
        raise ValueError(f"shape must list sizes, the longest first, got {shape!r}")
    pairs = []
    for place in product(*map(range, sizes)):
        for axis, size in enumerate(sizes):
            if size > 2 or place[axis] == 0:
                other = (*place[:axis], (place[axis] + 1) % size, *place[axis + 1 :])
                pairs.append(tuple(int(np.ravel_multi_index(p, sizes)) for p in (place, other)))
    return _both_ways("torus", int(np.prod(sizes)), pairs, capacity)


def fat_tree(ports: int, capacity: float) -> Topology:
    """Return a fat tree of three layers of equal switches: any half can send to the other at once.

    Parameters
    ----------
    ports : int
        Of each switch, even: ports^3 / 4 hosts in as many pods as ports.
    capacity : float
        Bytes a second of each link.

    Examples
    --------
    >>> tree = fat_tree(4, 1.0)
    >>> tree.hosts, tree.vertices - tree.hosts, tree.bisection, tree.diameter
    (16, 20, 8.0, 6)
    """
    count = whole("ports", ports, 2)
    if count % 2:
        raise ValueError(f"ports must be even, got {ports!r}")
    half, hosts = count // 2, count**3 // 4
    edge, upper, core = hosts, hosts + count * half, hosts + 2 * count * half
    pairs = [(host, edge + host // half) for host in range(hosts)]
    for pod, i, j in product(range(count), range(half), range(half)):
        pairs.append((edge + pod * half + i, upper + pod * half + j))
        pairs.append((upper + pod * half + i, core + i * half + j))
    return _both_ways("fat tree", hosts, pairs, capacity)


def rail_network(
    nodes: int, gpus: int, intra_node_bandwidth: float, rail_bandwidth: float
) -> Topology:
    """Return nodes of fully meshed GPUs where one switch, a rail, joins the GPUs of each number.

    Parameters
    ----------
    nodes, gpus : int
        Nodes, and GPUs in each, 2 or more; GPU j of node i is host i * gpus + j.
    intra_node_bandwidth, rail_bandwidth : float
        Bytes a second of a link between two GPUs of a node, and of a GPU's link to its rail.

    Examples
    --------
    >>> rails = rail_network(4, 8, 64e9, 50e9)
    >>> rails.routes([0, 0, 0], [1, 8, 9]).lengths
    array([1, 2, 3])
    """
    count, each = whole("nodes", nodes, 2), whole("gpus", gpus, 2)
    hosts = count * each
    pairs = [
        (node * each + i, node * each + j)
        for node in range(count)
        for i, j in permutations(range(each), 2)
    ]
    mesh = _one_way(
        "rails", hosts, pairs, one_number("intra_node_bandwidth", intra_node_bandwidth, positive)
    )
    to_rails = [(host, hosts + host % each) for host in range(hosts)]
    rails = _both_ways(
        "rails", hosts, to_rails, one_number("rail_bandwidth", rail_bandwidth, positive)
    )
    return Topology(
        "rails",
        hosts,
        np.concatenate([mesh.ends, rails.ends]),
        np.concatenate([mesh.capacities, rails.capacities]),
        sorted(range(hosts), key=lambda host: host % each),
    )


def _one_way(name: str, hosts: int, pairs: Pairs, capacity: float) -> Topology:
    each = float(positive("capacity", capacity))
    return Topology(name, hosts, np.array(pairs, dtype=np.int64), np.full(len(pairs), each))


def _both_ways(name: str, hosts: int, pairs: Pairs, capacity: float) -> Topology:
    return _one_way(name, hosts, [way for a, b in pairs for way in ((a, b), (b, a))], capacity)
