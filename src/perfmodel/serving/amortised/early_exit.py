"""Early exit: a token stops at the first layer that already knows the word, if somebody asks.

How many layers run follows from the shares of exits: entry i of `exit_probabilities` is the share
of tokens whose last layer is i + 1, out of L layers. What asking costs is in `exit_checks`.

After SpecEE (Xu and others, ISCA 2025), with devices and batches made explicit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, sample, whole, whole_numbers


class DeviceLayers(NamedTuple):
    """Mean layers that a token runs on each of two devices."""

    first: float
    second: float


def ideal_exit_speedup(layers: ArrayLike, mean_exit: ArrayLike, draft: ArrayLike = 1.0) -> Floats:
    r"""Return the speedup if checks were free: :math:`L / (E + d)`.

    Parameters
    ----------
    layers : array_like
        L, above 0.
    mean_exit : array_like
        Mean layers that a token runs, E, above 0 and at most L.
    draft : array_like
        Cost of the draft, d, in layers, 0 or more.

    Returns
    -------
    ndarray
        Below 1 where the draft costs more than the skipped layers.

    Examples
    --------
    >>> float(ideal_exit_speedup(32, 23).round(3))
    1.333
    """
    count, ran = positive("layers", layers), positive("mean_exit", mean_exit)
    if (ran > count).any():
        raise ValueError(f"mean_exit must be at most layers {layers!r}, got {mean_exit!r}")
    return np.asarray(count / (ran + non_negative("draft", draft)))


def exit_probabilities(exits: ArrayLike, layers: int) -> Floats:
    """Return the share of tokens that leave after each layer, shape (layers,).

    Parameters
    ----------
    exits : array_like of int, shape (tokens,)
        Last layer that each token ran, 1 to `layers`.
    layers : int
        L, 1 or more.

    Examples
    --------
    >>> exit_probabilities([2, 3, 3, 4], 4)
    array([0.  , 0.25, 0.5 , 0.25])
    """
    count = whole("layers", layers, 1)
    last = whole_numbers("exits", sample("exits", exits), 1, count)
    return np.asarray(np.bincount(last.astype(int) - 1, minlength=count) / last.size)


def mean_exit_layer(exit_probabilities: ArrayLike) -> float:
    """Return the mean layers that a token runs, given the `exit_probabilities` of all layers.

    >>> mean_exit_layer([0.0, 0.25, 0.5, 0.25])
    3.0
    """
    return float(np.sum(survival_probabilities(exit_probabilities)))


def survival_probabilities(exit_probabilities: ArrayLike) -> Floats:
    """Return the share of tokens that run each layer, shape (layers,), from 1 downwards.

    Parameters
    ----------
    exit_probabilities : array_like, shape (layers,)
        Share of tokens that leave after each layer, 0 or more; any multiple of it, such as counts.

    Raises
    ------
    ValueError
        If `exit_probabilities` has a negative element or none above 0.
    """
    weights = non_negative("exit_probabilities", sample("exit_probabilities", exit_probabilities))
    total = weights.sum()
    if total <= 0:
        raise ValueError(
            f"exit_probabilities must have an element above 0, got {exit_probabilities!r}"
        )
    return np.asarray(np.cumsum(weights[::-1])[::-1] / total)


def device_layers(exit_probabilities: ArrayLike, on_first: int) -> DeviceLayers:
    """Return the mean layers a token runs on each device, the first g on one, the rest on another.

    Parameters
    ----------
    exit_probabilities : array_like, shape (layers,)
        Share of tokens that leave after each layer.
    on_first : int
        g, 0 to L.

    Returns
    -------
    DeviceLayers
        E[min(exit, g)] and E[max(exit - g, 0)].

    Examples
    --------
    >>> device_layers([0.0, 0.25, 0.5, 0.25], 2)
    DeviceLayers(first=2.0, second=1.0)
    """
    ran, place = survival_probabilities(exit_probabilities), whole("on_first", on_first)
    if place > ran.size:
        raise ValueError(f"on_first must be at most the {ran.size} layers, got {on_first}")
    return DeviceLayers(float(ran[:place].sum()), float(ran[place:].sum()))


def two_device_time(
    exit_probabilities: ArrayLike, on_first: int, first: float, second: float, extra: float = 0.0
) -> float:
    """Return the mean seconds of a token, its first g layers on one device, the rest on another.

    Parameters
    ----------
    exit_probabilities, on_first
        As of `device_layers`.
    first, second : float
        Seconds of a layer on each device, above 0.
    extra : float
        Seconds of draft, checks and what else a token costs, 0 or more.

    Examples
    --------
    If the late layers are the slow ones, leaving early skips these: 2.2 ms instead of 4.2.

    >>> round(two_device_time([0.0, 0.25, 0.5, 0.25], 2, 1e-4, 2e-3) * 1e3, 3)
    2.2
    """
    here, there = device_layers(exit_probabilities, on_first)
    seconds = here * positive("first", first) + there * positive("second", second)
    return float(seconds + non_negative("extra", extra))


def latest_exit(exit_probabilities: ArrayLike, batch: ArrayLike) -> Floats:
    """Return the mean layers of a step that runs until the last of its sequences has left.

    Parameters
    ----------
    exit_probabilities : array_like, shape (layers,)
        Share of tokens that leave after each layer; sequences are independent.
    batch : array_like
        Sequences advanced together, 1 or more.

    Returns
    -------
    ndarray
        Shape of `batch`: the mean exit at batch 1, L for large ones.

    Examples
    --------
    >>> latest_exit([0.5, 0.0, 0.0, 0.5], [1, 2, 8]).round(2)
    array([2.5 , 3.25, 3.99])
    """
    ran = np.append(survival_probabilities(exit_probabilities), 0.0)
    size = np.asarray(positive("batch", batch))
    if (size < 1).any():
        raise ValueError(f"batch must be 1 or more, got {batch!r}")
    return np.asarray(np.sum(1 - (1 - ran[:-1]) ** size[..., None], axis=-1))
