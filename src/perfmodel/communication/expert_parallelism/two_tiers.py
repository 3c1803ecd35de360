"""An all-to-all over two tiers at once: the network between nodes and the links inside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.communication.expert_parallelism.routing import (
    expected_destinations,
    expected_ranks,
)
from perfmodel.validation import Floats, non_negative, positive, whole


@dataclass(frozen=True)
class ExpertDispatch:
    """Ranks that send each token to its experts, once to a node and there once to a rank.

    Attributes
    ----------
    network, intra_node : float
        Bytes/s of a rank, one way, to other nodes and to other ranks of its node; above 0.
    experts, chosen : int
        Of a layer, and of a token.
    node_ranks : int
        Ranks of a node.
    limit : int, optional
        Nodes that a token may go to; all if left out.
    """

    network: float
    intra_node: float
    experts: int
    chosen: int
    node_ranks: int = 8
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse links that carry nothing and counts of nothing."""
        positive("network", self.network)
        positive("intra_node", self.intra_node)
        whole("experts", self.experts, 1)
        whole("chosen", self.chosen, 1, self.experts)
        whole("node_ranks", self.node_ranks, 1)
        if self.limit is not None:
            whole("limit", self.limit, 1)

    def copies(self, nodes: int) -> tuple[float, float]:
        """Return to how many nodes and to how many ranks a token goes on average, its own included.

        Parameters
        ----------
        nodes : int
            1 or more, whose ranks have equally many experts each.

        Examples
        --------
        >>> links = ExpertDispatch(network=50e9, intra_node=150e9, experts=256, chosen=8, limit=4)
        >>> [round(copies, 3) for copies in links.copies(8)]
        [3.983, 7.471]
        """
        most = None if self.limit is None else min(self.limit, whole("nodes", nodes, 1))
        return (
            expected_destinations(nodes, self.experts, self.chosen, most),
            expected_ranks(nodes, self.node_ranks, self.experts, self.chosen, most),
        )

    def tier_times(self, nodes: int, size: ArrayLike) -> tuple[Floats, Floats]:
        """Return the seconds for which the network and the links inside are busy.

        A copy for the token's own node is never on the network, nor one for its own rank on a link.

        Parameters
        ----------
        nodes : int
            As for `copies`.
        size : array_like
            Bytes of one copy of all tokens of a rank, 0 or more.

        Returns
        -------
        tuple of ndarray
            Shape of `size` each.
        """
        each, (to_nodes, to_ranks) = non_negative("size", size), self.copies(nodes)
        outside = (nodes - 1) / nodes * to_nodes / self.network
        own = 1 - 1 / self.node_ranks
        return np.asarray(each * outside), np.asarray(each * own * to_ranks / self.intra_node)

    def time(self, nodes: int, size: ArrayLike) -> Floats:
        """Return the seconds of the whole exchange, in which both tiers work at the same time.

        Parameters
        ----------
        nodes, size
            As for `tier_times`.

        Examples
        --------
        >>> links = ExpertDispatch(network=50e9, intra_node=150e9, experts=256, chosen=8)
        >>> [round(1e6 * float(links.time(nodes, 3e7))) for nodes in (1, 2, 4)]
        [927, 1142, 1626]
        """
        return np.asarray(np.maximum(*self.tier_times(nodes, size)))
