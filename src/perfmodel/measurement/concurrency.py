"""Memory parallelism: bytes in flight, by Little's law of bandwidth and latency.

A load that waits for the one before it leaves memory idle most of the time. Bandwidth is what is on
its way divided by how long it is on its way, so it takes many loads at once:

>>> float(lines_in_flight(bandwidth=1.28e10, latency=1e-7))
20.0
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, positive


def chained_bandwidth(
    chains: ArrayLike, latency: ArrayLike, max_lines: float = np.inf, line: float = 64
) -> Floats:
    """Return the bytes/s of `chains` independent walks: bytes in flight over latency (Little).

    A load of a `line` in bytes has a `latency` in seconds; a core has at most `max_lines` lines on
    their way.

    Examples
    --------
    >>> chained_bandwidth([1, 10, 100], 1e-7, max_lines=10).tolist()
    [640000000.0, 6400000000.0, 6400000000.0]
    """
    flying = np.minimum(positive("chains", chains), max_lines)
    return np.asarray(flying * positive("line", line) / positive("latency", latency))


def lines_in_flight(bandwidth: ArrayLike, latency: ArrayLike, line: float = 64) -> Floats:
    """Return the lines that must be on their way at once for a `bandwidth` in bytes/s.

    A load of a `line` in bytes has a `latency` in seconds (Little's law).

    Examples
    --------
    >>> float(lines_in_flight(chained_bandwidth(8, 1e-7), 1e-7))
    8.0
    """
    flying = positive("bandwidth", bandwidth) * positive("latency", latency)
    return np.asarray(flying / positive("line", line))
