"""A step cut into chunks that visit its channels one after the other, played through.

While one chunk is on the link the next one is read from disk: the overlap follows from the chunks
and their order of waiting, and no norm is assumed.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.communication import TaskGraph, simulate_tasks
from perfmodel.offloading.channels.work import busy_times
from perfmodel.validation import Floats, whole


def even_chunks(seconds: ArrayLike, chunks: int) -> Floats:
    """Return the times of equal chunks of a step.

    Parameters
    ----------
    seconds : array_like, shape (visits,)
        Time of each visit of the whole step, s, 0 or more.
    chunks : int
        How many chunks it is cut into, 1 or more.

    Returns
    -------
    ndarray
        Seconds, shape (chunks, visits).

    Examples
    --------
    >>> even_chunks([4.0, 2.0], 2)
    array([[2., 1.],
           [2., 1.]])
    """
    parts, busy = whole("chunks", chunks, 1), busy_times(seconds)
    if busy.ndim != 1:
        raise ValueError(f"seconds must be of shape (visits,), got {busy.shape}")
    return np.tile(busy / parts, (parts, 1))


def chunk_graph(
    seconds: ArrayLike,
    channel: ArrayLike | None = None,
    after: Iterable[tuple[int, int]] | None = None,
    serial: bool = False,
) -> TaskGraph:
    """Return the tasks of a step's chunks, each of which makes the same visits to channels.

    Parameters
    ----------
    seconds : array_like, shape (chunks, visits)
        Time of each visit of each chunk, s, 0 or more.
    channel : array_like of int, shape (visits,), optional
        Channel of each visit, from 0; without it each visit has its own. Two visits to the same
        channel take turns, as a disk's reads and writes do.
    after : iterable of (int, int), optional
        Pairs of visits: the second of a chunk waits for the first of the same chunk. Without it
        each visit waits for the one before.
    serial : bool
        Whether a chunk waits for all visits of the chunk before: nothing is read ahead.

    Returns
    -------
    TaskGraph
        Task `chunk * visits + visit`. Of the ready ones a channel takes that of the first chunk,
        and of that the first visit; `simulate_tasks` plays it.

    Raises
    ------
    ValueError
        If an argument is out of range, or (when played) if visits wait for each other.

    Examples
    --------
    >>> graph = chunk_graph(even_chunks([4.0, 2.0], 2))
    >>> graph.stage, graph.edges.tolist()
    (array([0, 1, 0, 1]), [[0, 1], [2, 3]])
    """
    busy = busy_times(seconds)
    if busy.ndim != 2 or not len(busy):
        raise ValueError(f"seconds must be of shape (chunks, visits), got {busy.shape}")
    chunks, visits = busy.shape
    places = np.arange(visits) if channel is None else np.asarray(channel)
    if places.shape != (visits,):
        raise ValueError(f"channel must be of shape ({visits},), got {places.shape}")
    if places.dtype.kind not in "iu" or (places < 0).any():
        raise ValueError(f"channel must hold whole numbers from 0, got {channel!r}")
    waits = ((visit, visit + 1) for visit in range(visits - 1)) if after is None else after
    pairs = [tuple(whole("after", visit) for visit in pair) for pair in waits]
    if any(len(pair) != 2 or max(pair) >= visits for pair in pairs):
        raise ValueError(f"after must name two visits from 0 to {visits - 1} each, got {pairs}")
    edges = [(at + one, at + two) for at in range(0, busy.size, visits) for one, two in pairs]
    if serial:
        edges += [
            (at - visits + one, at + two)
            for at in range(visits, busy.size, visits)
            for one in range(visits)
            for two in range(visits)
        ]
    return TaskGraph(
        np.tile(places, chunks),
        busy.ravel(),
        np.array(edges, np.int64).reshape(-1, 2),
        priority=np.arange(busy.size, dtype=np.float64),
    )


def chunked_time(
    seconds: ArrayLike,
    channel: ArrayLike | None = None,
    after: Iterable[tuple[int, int]] | None = None,
    serial: bool = False,
) -> float:
    """Return the time of a step in chunks, found by playing it.

    It lies between that of the busiest channel and the sum of all visits. Of n equal chunks that
    visit each channel once in turn it is max + (sum - max)/n: the overlap is 1 - 1/n.

    Parameters
    ----------
    seconds, channel, after, serial
        As of `chunk_graph`: s of shape (chunks, visits), a channel for each visit, pairs of visits,
        and whether a chunk waits for the one before.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    ValueError
        If an argument is out of range, or visits wait for each other.

    Examples
    --------
    >>> [chunked_time(even_chunks([4.0, 2.0, 2.0], n)) for n in (1, 2, 4)]
    [8.0, 6.0, 5.0]
    """
    return float(simulate_tasks(chunk_graph(seconds, channel, after, serial)).makespan)
