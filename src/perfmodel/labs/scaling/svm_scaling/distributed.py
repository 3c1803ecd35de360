"""SMO on several nodes: the samples are shared out, and every step ends in an exchange.

A node works out its share of the two kernel rows (`step_cost`); then the worst
pair over all nodes is reduced and its two samples are broadcast. The first part shrinks with the
number of nodes and the second grows with its logarithm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfmodel.labs.scaling.svm_scaling.step_cost import (
    FUSED,
    Data,
    Method,
    Processor,
    smo_step_time,
)
from perfmodel.validation import Floats, non_negative, positive, whole


@dataclass(frozen=True)
class Interconnect:
    """What joins the nodes; both figures are the reader's to give."""

    latency: float
    """Time of one message, s."""
    bandwidth: float
    """Bytes/s of one link."""

    def __post_init__(self) -> None:
        """Refuse a link that carries nothing."""
        non_negative("latency", self.latency)
        positive("bandwidth", self.bandwidth)


def distributed_step_time(
    data: Data,
    processor: Processor,
    nodes: int,
    interconnect: Interconnect,
    method: Method = FUSED,
) -> Floats:
    """Return the time of one step on `nodes` equal nodes that share the samples evenly.

    Each step reduces the worst pair over the nodes and broadcasts its two samples, in ceil(log2 p)
    rounds: of a latency each for the reduction, of a latency and 2 d w bytes for the broadcast. The
    time is in seconds; each of the p nodes has n/p samples of the table, and one or more.

    >>> processor = Processor("node", flop_rate=20e12, bandwidth=2e12)
    >>> links = Interconnect(latency=2e-6, bandwidth=10e9)
    >>> table = Data(60_000, 780)
    >>> alone, shared = (distributed_step_time(table, processor, p, links) for p in (1, 4))
    >>> print((alone / shared).round(2))
    2.16
    """
    count = whole("nodes", nodes, 1)
    if not (np.asarray(data.samples) >= count).all():
        raise ValueError(f"nodes must be at most the samples, got {nodes!r} of {data.samples!r}")
    share = Data(np.divide(data.samples, count), data.features, data.density, data.word_bytes)
    rounds = float(np.ceil(np.log2(count)))
    broadcast = 2 * np.multiply(data.features, data.word_bytes) / interconnect.bandwidth
    return smo_step_time(share, processor, method) + rounds * (2 * interconnect.latency + broadcast)
