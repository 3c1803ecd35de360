"""Max-min fair sharing: what flows get that share links, when no flow is favored over another.

A flow's rate can be raised only by taking from a flow that has no more. So every flow has a
bottleneck: a link that is full, and on which no flow is faster. Long transfers under a fair
congestion control come near to it.

Source: D. Bertsekas, R. Gallager, "Data Networks", 2nd edition, Prentice Hall, 1992, section 6.5.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.validation import Floats, finite, non_negative, positive


@dataclass(frozen=True, eq=False)
class Routes:
    """The links that each flow crosses, one flow after the other."""

    links: NDArray[np.int64]
    """Links of all flows in a row, shape (crossings,)."""
    lengths: NDArray[np.int64]
    """Links of each flow, 1 or more, shape (flows,)."""

    @classmethod
    def of(cls, routes: Iterable[Sequence[int]]) -> Routes:
        """Return routes given as one list of links for each flow.

        >>> Routes.of([[0, 2], [1]]).flows
        2
        """
        lists = [list(route) for route in routes]
        lengths = np.array([len(route) for route in lists], dtype=np.int64)
        links = finite("routes", np.array([link for route in lists for link in route]))
        if (links != np.floor(links)).any():
            raise ValueError(f"routes must hold numbers of links, which are whole, got {links}")
        return cls(links.astype(np.int64), lengths)

    @property
    def flows(self) -> int:
        """Number of flows."""
        return len(self.lengths)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the links of each flow begin, and where the last one's end, shape (flows + 1,)."""
        return np.concatenate([[0], np.cumsum(self.lengths)])

    @property
    def owners(self) -> NDArray[np.int64]:
        """The flow that each crossing belongs to, shape (crossings,)."""
        return np.repeat(np.arange(self.flows), self.lengths)

    def loads(self, amounts: ArrayLike, links: int) -> Floats:
        """Return the sum of the flows' amounts (rates or bytes) on each of this many links.

        >>> Routes.of([[0, 2], [2]]).loads([1.0, 3.0], 3)
        array([1., 0., 4.])
        """
        each = non_negative("amounts", amounts)[self.owners]
        return np.asarray(np.bincount(self.links, each, minlength=links), dtype=np.float64)

    def check(self, links: int) -> None:
        """Raise a ValueError unless every flow crosses a link, and none twice, of this many."""
        if not self.flows or (self.lengths < 1).any():
            raise ValueError("routes must hold one flow or more, each with one link or more")
        if self.links.min() < 0 or self.links.max() >= links:
            raise ValueError(f"routes must use links from 0 to {links - 1}, got {self.links}")
        crossings = self.owners * links + self.links
        if np.unique(crossings).size < crossings.size:
            raise ValueError("routes must cross no link twice")


def max_min_rates(routes: Routes | Iterable[Sequence[int]], capacities: ArrayLike) -> Floats:
    """Return the max-min fair rates of flows by filling the links evenly, the tightest first.

    Parameters
    ----------
    routes : Routes or iterable of sequences of int
        The links that each flow crosses.
    capacities : array_like, shape (links,)
        Bytes a second of each link, above 0.

    Returns
    -------
    ndarray, shape (flows,)
        Bytes a second.

    Raises
    ------
    ValueError
        If a flow crosses no link, an unknown one, or one twice.

    Examples
    --------
    Two flows share link 0; one of them goes on over link 1, which is narrow:

    >>> max_min_rates([[0], [0, 1]], [10.0, 2.0])
    array([8., 2.])
    """
    room = np.atleast_1d(positive("capacities", capacities)).copy()
    paths = routes if isinstance(routes, Routes) else Routes.of(routes)
    paths.check(room.size)
    owners, links = paths.owners, paths.links
    sharing = np.bincount(links, minlength=room.size)
    rates, waiting = np.zeros(paths.flows), np.ones(paths.flows, dtype=bool)
    by_link = np.argsort(links, kind="stable")
    first = np.concatenate([[0], np.cumsum(sharing)])
    starts = paths.starts
    while waiting.any():
        shares = np.divide(room, sharing, out=np.full(room.size, np.inf), where=sharing > 0)
        link = int(shares.argmin())
        users = owners[by_link[first[link] : first[link + 1]]]
        fixed = users[waiting[users]]
        rates[fixed] = shares[link]
        waiting[fixed] = False
        crossed = np.concatenate([links[starts[f] : starts[f + 1]] for f in fixed])
        np.subtract.at(sharing, crossed, 1)
        np.subtract.at(room, crossed, shares[link])
        np.maximum(room, 0, out=room)
    return rates
