"""Throughput by the GPUs that share a layer: fitted inside a node, predicted beyond it.

A token costs a GPU the seconds of its products, which sharing doesn't change in all, and those of
the sums: with t GPUs each waits for all of them, so that t GPUs pay t times.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from perfmodel import machines
from perfmodel.communication import Tier, TieredCluster
from perfmodel.labs.communication.frontier.inputs import H100_NETWORK, NODE, TENSOR_THROUGHPUT
from perfmodel.validation import Floats


def h100_nodes() -> TieredCluster:
    """Return nodes of eight H100, with half of the two-way figure of their links each way."""
    gpu = machines.get("h100-sxm5-80gb")
    tiers = [Tier(NODE, gpu.peer_link_two_way / 2), Tier(64, H100_NETWORK)]
    memory = 80e9  # not from the registry: what training can use of 80 GiB
    return TieredCluster(gpu.peak("fp16"), memory, tiers)


@dataclass(frozen=True)
class TensorFit:
    """Seconds of a GPU for a token: `products` + t `size` (time of a sum of one byte)."""

    products: float
    size: float
    """Bytes summed for a token, all layers and passes together, as far as they are waited for."""

    def throughput(self, group: ArrayLike) -> Floats:
        """Return tokens/s of each GPU in a `group` of t."""
        t = np.asarray(group, np.float64)
        return np.asarray(
            1 / (self.products + t * self.size * h100_nodes().all_reduce_time(1.0, t))
        )


@cache
def fit_inside_node() -> TensorFit:
    """Return the least-squares fit to the measured groups of 2, 4 and 8, which share a node.

    >>> fit = fit_inside_node()
    >>> bool(0.5 < fit.products * TENSOR_THROUGHPUT[2] < 1)
    True
    """
    inside = [t for t in TENSOR_THROUGHPUT if t <= NODE]
    sums = np.array(inside) * h100_nodes().all_reduce_time(1.0, inside)
    seconds = 1 / np.array([TENSOR_THROUGHPUT[t] for t in inside])
    size, products = np.polyfit(sums, seconds, 1)
    return TensorFit(float(products), float(size))
