"""What GPUs of a server pay to add up their parts: NCCL's all-reduce as it was measured.

The tables are those of the lab on collectives, which looks into them; here a line is enough.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.communication import fit_messages
from perfmodel.labs.communication.collectives.tables import collective_times
from perfmodel.validation import Floats, non_negative


class AllReduce(NamedTuple):
    """The line alpha + beta x bytes."""

    latency: float
    """alpha, seconds."""
    byte_time: float
    """beta, seconds a byte."""


@cache
def all_reduce(ranks: int, gpu: str = "H100") -> AllReduce:
    """Return the line through the measured times of an all-reduce on `ranks` GPUs.

    Least squared relative errors over all sizes; one GPU needs no exchange. Measured were H100,
    H200 and V100, the H100 with 2, 4 and 8 ranks.

    >>> [round(1e6 * all_reduce(ranks).latency, 1) for ranks in (2, 4, 8)]
    [8.8, 12.3, 19.0]
    """
    if ranks == 1:
        return AllReduce(0.0, 0.0)
    fit = fit_messages(*collective_times(gpu, "all-reduce").of(ranks), breaks=0)
    return AllReduce(float(fit.latencies[0]), float(fit.byte_times[0]))


def looked_up(ranks: int, size: ArrayLike, gpu: str = "H100") -> Floats:
    """Return the seconds of an all-reduce of `size` bytes as APEX has it, straight between points.

    >>> float(1e6 * looked_up(8, 96 * 1024).round(9))
    21.0
    """
    sizes, times = collective_times(gpu, "all-reduce").of(ranks)
    return np.asarray(np.interp(non_negative("size", size), sizes, times))


def bus_bandwidth(ranks: int, gpu: str = "H100") -> float:
    """Return 2 (n - 1) / n times the bytes a second of the largest all-reduce that was measured.

    What each GPU's link would have to carry in a ring.

    >>> round(bus_bandwidth(8) / 1e9)
    393
    """
    sizes, times = collective_times(gpu, "all-reduce").of(ranks)
    return float(2 * (ranks - 1) / ranks * sizes[-1] / times[-1])
