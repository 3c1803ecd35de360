"""Congestion control as a fluid: flows behind one link that adapt their rates to its state.

Imagine a shower with a long pipe: who turns the tap too far, too late, gets hot and cold by turns.
Here the tap is a flow's rate, and the pipe a queue that all flows fill.

Sources: R. Jain, D. Chiu, W. Hawe, DEC report TR-301, 1984, for the index; D. Chiu, R. Jain,
"Analysis of the increase and decrease algorithms for congestion avoidance in computer networks",
Computer Networks and ISDN Systems 17, 1989, for AIMD; G. Appenzeller, I. Keslassy, N. McKeown,
"Sizing router buffers", SIGCOMM 2004, for the rule of the square root.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, sample, whole, within


def jain_index(rates: ArrayLike) -> Floats:
    """Return Jain's fairness: the square of the sum over n times the sum of squares.

    Parameters
    ----------
    rates : array_like, shape (..., n)
        0 or more, not all 0.

    Returns
    -------
    ndarray, shape (...)
        From 1 / n, where one has all, to 1, where all have the same.

    Examples
    --------
    >>> print(jain_index([1.0, 1.0, 1.0, 1.0]), jain_index([1.0, 0.0, 0.0, 0.0]))
    1.0 0.25
    """
    each = non_negative("rates", rates)
    if each.ndim == 0 or each.shape[-1] == 0 or (each.max(axis=-1) == 0).any():
        raise ValueError(f"rates must hold a flow with a rate above 0, got {rates!r}")
    scaled = each / each.max(axis=-1, keepdims=True)
    return np.asarray(scaled.sum(axis=-1) ** 2 / (each.shape[-1] * (scaled**2).sum(axis=-1)))


def square_root_buffer(round_trip: ArrayLike, capacity: ArrayLike, flows: ArrayLike) -> Floats:
    """Return the buffer, in bytes, that keeps a link busy under `flows` unsynchronized AIMD flows.

    Parameters
    ----------
    round_trip : array_like
        Mean round-trip time without queueing, in seconds.
    capacity : array_like
        Of the link, in bytes/s.
    flows : array_like
        Number of flows, 1 or more.

    Returns
    -------
    ndarray
        round_trip * capacity / sqrt(flows), Appenzeller et al. 2004.

    Examples
    --------
    >>> print(square_root_buffer(0.1, 1.25e9, 10_000) / 1e6)
    1.25
    """
    pipe = positive("round_trip", round_trip) * positive("capacity", capacity)
    count = positive("flows", flows)
    if (count < 1).any():
        raise ValueError(f"flows must be 1 or more, got {flows!r}")
    return np.asarray(pipe / np.sqrt(count))


def follow_aimd(
    rates: ArrayLike, steps: int, increase: float = 0.01, decrease: float = 0.5
) -> Floats:
    """Let flows add to their rates until the link is full, and all multiply them down when it is.

    Parameters
    ----------
    rates : array_like, shape (flows,)
        To start with, shares of the line rate, 0 or more.
    steps : int
        1 or more.
    increase : float
        Added to each rate in a step, above 0.
    decrease : float
        Factor of a step after the sum has passed 1, between 0 and 1.

    Returns
    -------
    ndarray, shape (steps + 1, flows)
        Rates; differences between flows shrink by the factor at every decrease.

    Examples
    --------
    >>> print(jain_index(follow_aimd([0.9, 0.1], 1000)[[0, -1]]).round(3))
    [0.61 1.  ]
    """
    first = sample("rates", non_negative("rates", rates))
    added, factor = float(positive("increase", increase)), float(within("decrease", decrease, 0, 1))
    history = np.empty((whole("steps", steps, 1) + 1, first.size))
    history[0] = first
    for step, now in enumerate(history[:-1]):
        history[step + 1] = now * factor if now.sum() > 1 else now + added
    return history


def aimd_windows(
    flows: int, moments: int, seed: int, decrease: float = 0.5, together: bool = False
) -> Floats:
    """Return the sum of AIMD flows' windows at random moments, as a share of its mean.

    A flow alone swings between its peak and `decrease` times it, evenly in time.

    Parameters
    ----------
    flows, moments : int
        1 or more.
    seed : int
    decrease : float
        Between 0 and 1.
    together : bool
        Whether all lose at the same moments; otherwise each has a phase of its own.

    Returns
    -------
    ndarray, shape (moments,)

    Examples
    --------
    >>> [round(float(aimd_windows(flows, 10_000, 0).std()), 3) for flows in (1, 100)]
    [0.193, 0.019]
    """
    count, many = whole("flows", flows, 1), whole("moments", moments, 1)
    low = float(within("decrease", decrease, 0, 1))
    rng = np.random.default_rng(whole("seed", seed))
    phases = rng.random((many, 1 if together else count))
    return np.asarray((low + (1 - low) * phases).mean(axis=1) * 2 / (1 + low))
