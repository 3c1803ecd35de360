"""A link that sends messages: the example model of a new lab, a fixed and a growing time.

Replace it by the system's own. Say in two sentences what the system is and which question the model
answers, and name the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive


@dataclass(frozen=True)
class Link:
    """What a message goes over; both above 0."""

    latency: float
    """Seconds before the first byte arrives."""
    bandwidth: float
    """Bytes per second from then on."""


def transfer_time(link: Link, size: ArrayLike) -> Floats:
    """Return the time to send messages of `size` bytes.

    Parameters
    ----------
    link : Link
        Latency (s) and bandwidth (bytes/s), both above 0.
    size : array_like
        Message sizes, bytes, 0 or more.

    Returns
    -------
    ndarray
        Seconds, the shape of `size`.

    Raises
    ------
    ValueError
        If an argument is out of its range; the message names it.

    Examples
    --------
    >>> float(transfer_time(Link(1e-6, 1e10), 10_000))
    2e-06
    """
    size = non_negative("size", size)
    latency, bandwidth = positive("latency", link.latency), positive("bandwidth", link.bandwidth)
    return np.asarray(latency + size / bandwidth)


def half_size(link: Link) -> float:
    """Return the message size, in bytes, at which half of the bandwidth is reached.

    Parameters
    ----------
    link : Link
        Latency (s) and bandwidth (bytes/s), both above 0.

    Examples
    --------
    >>> half_size(Link(1e-6, 1e10))
    10000.0
    """
    return float(positive("latency", link.latency) * positive("bandwidth", link.bandwidth))
