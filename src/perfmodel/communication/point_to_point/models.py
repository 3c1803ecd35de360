"""What a message costs: a latency and a bandwidth, or LogGP's five parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, at_least, non_negative, positive


def message_time(size: ArrayLike, latency: ArrayLike, bandwidth: ArrayLike) -> Floats:
    """Return the time of a message, latency + size / bandwidth: the alpha-beta model.

    Parameters
    ----------
    size : array_like
        Bytes, 0 or more.
    latency : array_like
        Seconds that a message takes whatever its size (alpha), 0 or more.
    bandwidth : array_like
        Bytes/s (1 / beta), above 0.

    Returns
    -------
    ndarray
        Seconds, of the broadcast shape.

    References
    ----------
    R. W. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel
    Computing 20(3), 1994.

    Examples
    --------
    >>> message_time([0, 1e6], 2e-6, 1e9)
    array([2.000e-06, 1.002e-03])
    """
    bytes_, wait = non_negative("size", size), non_negative("latency", latency)
    return np.asarray(wait + bytes_ / positive("bandwidth", bandwidth))


def half_bandwidth_size(latency: ArrayLike, bandwidth: ArrayLike) -> Floats:
    """Return the size at which half of the bandwidth is reached, latency * bandwidth.

    A message of that size waits as long as it flows: the time of both doubles the ideal.

    Parameters
    ----------
    latency : array_like
        Seconds, 0 or more.
    bandwidth : array_like
        Bytes/s, above 0.

    Returns
    -------
    ndarray
        Bytes (Hockney's n_1/2).

    Examples
    --------
    >>> round(float(half_bandwidth_size(2e-6, 1e9)))
    2000
    """
    return np.asarray(non_negative("latency", latency) * positive("bandwidth", bandwidth))


@dataclass(frozen=True)
class LogGP:
    """A link and the processors at its ends, in five parameters.

    Alexandrov, Ionescu, Schauser and Scheiman, "LogGP: Incorporating Long Messages into the LogP
    Model", SPAA 1995. With gap_per_byte 0 it is LogP.

    >>> link = LogGP(latency=5e-6, overhead=1e-6, gap=2e-6, gap_per_byte=1e-9)
    >>> round(1e6 * float(link.message_time(1001)), 3), round(1e6 * float(link.busy_time(10)), 3)
    (8.0, 10.0)
    """

    latency: float
    """Seconds on the way, in which both ends may do something else: L."""
    overhead: float
    """Seconds in which a processor is busy sending or receiving a message: o."""
    gap: float
    """Seconds between two messages of one sender, at least: g."""
    gap_per_byte: float
    """Seconds between two bytes of a long message, 0 or more: G."""

    def __post_init__(self) -> None:
        for name in ("latency", "overhead", "gap", "gap_per_byte"):
            non_negative(name, getattr(self, name))

    def message_time(self, size: ArrayLike) -> Floats:
        """Return seconds from the start of sending to the end of receiving, o + (k-1) G + L + o.

        Parameters
        ----------
        size : array_like
            Bytes, 1 or more.
        """
        return np.asarray(2 * self.overhead + self.latency + self._stream(size))

    def burst_time(self, size: ArrayLike, count: ArrayLike) -> Floats:
        """Return seconds until the last of several messages of one sender is received.

        The next message starts a gap after the last byte of the one before, or an overhead if that
        is longer.

        Parameters
        ----------
        size : array_like
            Bytes of each, 1 or more.
        count : array_like
            Messages, 1 or more.
        """
        more = at_least("count", count, 1) - 1
        between = max(self.gap, self.overhead) + self._stream(size)
        return np.asarray(self.message_time(size) + more * between)

    def busy_time(self, count: ArrayLike) -> Floats:
        """Return the seconds for which sending some messages keeps the processor from working.

        Parameters
        ----------
        count : array_like
            Messages, 0 or more.
        """
        return np.asarray(non_negative("count", count) * self.overhead)

    def _stream(self, size: ArrayLike) -> Floats:
        return np.asarray((at_least("size", size, 1) - 1) * self.gap_per_byte)
