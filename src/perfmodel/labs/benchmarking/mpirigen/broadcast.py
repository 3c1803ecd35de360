"""One message for everybody: sent by the root to each in turn, or passed on along a tree.

A message of m bytes takes alpha + m beta seconds on its way, alpha the latency and beta the time of
a byte; a process sends one message at a time.
"""

from __future__ import annotations

from typing import NamedTuple

from perfmodel.validation import non_negative, whole


class Sending(NamedTuple):
    """A message from one process to another."""

    sender: int
    receiver: int


def send_loop(processes: int) -> list[list[Sending]]:
    """Return the rounds in which process 0 sends to each other one after the other.

    >>> len(send_loop(8))
    7
    """
    return [[Sending(0, other)] for other in range(1, whole("processes", processes, 1))]


def broadcast_tree(processes: int) -> list[list[Sending]]:
    """Return the rounds of a binomial tree: who has the message passes it on, all at once.

    Parameters
    ----------
    processes : int
        1 or more; process 0 has the message.

    Returns
    -------
    list of list of Sending
        In round r, process i below 2**r sends to i + 2**r.

    Examples
    --------
    >>> [len(sendings) for sendings in broadcast_tree(8)]
    [1, 2, 4]
    """
    count, rounds, reach = whole("processes", processes, 1), [], 1
    while reach < count:
        rounds.append([Sending(i, i + reach) for i in range(min(reach, count - reach))])
        reach *= 2
    return rounds


def message_time(size: float, latency: float, byte_time: float) -> float:
    """Return the seconds of a message of `size` bytes: `latency` (s) + size * `byte_time` (s).

    >>> round(message_time(1e6, 2e-6, 1e-10), 9)
    0.000102
    """
    for name, value in (("size", size), ("latency", latency), ("byte_time", byte_time)):
        non_negative(name, value)
    return float(latency + size * byte_time)
