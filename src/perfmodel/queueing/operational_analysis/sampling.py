"""Averages over other things: size-biased shares and means, and what an observer of a system sees.

Take the flows on a link. A flow counts once in the list of flows and once for each packet in the
list of packets, so that the two lists have other means, other shares and another distribution.
Each function here goes from one list to the other.

Sources: J.-Y. Le Boudec, "Performance evaluation as preparation for statistics and data science",
TeaPACS 2021; W. Feller, "An introduction to probability theory and its applications", vol. 2, 1971,
section I.4, for the wait until the next event.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.service import Service, checked_service
from perfmodel.validation import (
    Floats,
    check_shapes,
    finite,
    non_negative,
    one_number,
    positive,
    sample,
    within,
)


def weighted_mean(values: ArrayLike, sizes: ArrayLike) -> float:
    """Return the mean of `values` over the members of groups: each group counts by its size.

    Parameters
    ----------
    values : array_like
        One value for each group (a train's delay, a flow's rate), shape (n,).
    sizes : array_like
        Members of each group (its passengers, its packets), 0 or more and not all 0, shape (n,).

    Returns
    -------
    float
        What a member sees on average, in the unit of `values`.

    Raises
    ------
    ValueError
        If the shapes differ, a size is negative or all are 0.

    Examples
    --------
    >>> weighted_mean([0, 1], [50, 150])
    0.75
    """
    x, w = sample("values", values), non_negative("sizes", sizes)
    if w.shape != x.shape:
        raise ValueError(f"sizes must have the shape {x.shape} of values, got {w.shape}")
    if not w.any():
        raise ValueError(f"sizes must not all be 0, got {sizes!r}")
    return float(x @ w / w.sum())


def size_biased_fraction(group_fraction: ArrayLike, size_ratio: ArrayLike) -> Floats:
    """Return the share of members in the groups of one kind, from the share of those groups.

    Parameters
    ----------
    group_fraction : array_like
        Share of the groups that are of the kind (trains that are late), 0 to 1.
    size_ratio : array_like
        Mean size of the groups of the kind over the mean size of all, 0 or more; broadcasts.

    Returns
    -------
    ndarray
        share * size_ratio, the share of all members (passengers) who are in such a group.

    Raises
    ------
    ValueError
        If an argument is out of range, or the product is above 1, so that the two contradict.

    Examples
    --------
    >>> print(size_biased_fraction(0.05, 6.0).round(6))
    0.3
    """
    part, ratio = (
        within("group_fraction", group_fraction, 0, 1),
        non_negative("size_ratio", size_ratio),
    )
    check_shapes(share=part, size_ratio=ratio)
    seen = part * ratio
    if (seen > 1 + 1e-12).any():
        raise ValueError(
            f"size_ratio must be at most 1 / share, got {size_ratio!r} for share {group_fraction!r}"
        )
    return np.asarray(seen)


def size_ratio(member_fraction: ArrayLike, group_fraction: ArrayLike) -> Floats:
    """Return how large the groups of one kind are, from two surveys that disagree.

    Parameters
    ----------
    member_fraction : array_like
        Share of the members who are in a group of the kind, 0 to 1.
    group_fraction : array_like
        Share of the groups that are of the kind, above 0 and at most 1; broadcasts.

    Returns
    -------
    ndarray
        Mean size of these groups over the mean size of all groups.

    Examples
    --------
    >>> print(size_ratio(0.30, 0.05).round(9))
    6.0
    """
    seen = within("member_fraction", member_fraction, 0, 1)
    part = positive("group_fraction", within("group_fraction", group_fraction, 0, 1))
    check_shapes(share_of_members=seen, share=part)
    return np.asarray(seen / part)


def size_biased_mean(distribution: Service) -> float:
    """Return the mean size of the group that a random member is in, E[S^2] / E[S].

    Parameters
    ----------
    distribution : Service
        Law of the group sizes: of flows, or of the intervals between two buses.

    Returns
    -------
    float
        In the unit of the sizes; E[S] (1 + scv), never below E[S].

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Deterministic, Exponential
    >>> size_biased_mean(Exponential(10.0)), size_biased_mean(Deterministic(10.0))
    (20.0, 10.0)
    """
    checked_service("distribution", distribution)
    return distribution.moment(2) / distribution.moment(1)


def size_biased_tail(distribution: Service, size: ArrayLike) -> Floats:
    """Return the share of members who are in a group above a size.

    The density over members is f_P(s) = s f_F(s) / E[S], where f_F is that over groups.

    Parameters
    ----------
    distribution : Service
        Law of the group sizes.
    size : array_like
        In the unit of the sizes, 0 or more.

    Returns
    -------
    ndarray
        1 - E[S; S <= size] / E[S].

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import BoundedPareto
    >>> print(size_biased_tail(BoundedPareto(1.0, 1.0, 100.0), 10.0).round(9))
    0.5
    """
    checked_service("distribution", distribution)
    return 1 - distribution.partial_moment(1, non_negative("size", size)) / distribution.moment(1)


def wait_for_next(events: ArrayLike, times: ArrayLike) -> Floats:
    """Return how long observers who come at `times` wait for the next of `events`, in seconds.

    Parameters
    ----------
    events : array_like
        Instants, shape (n,), rising: of buses, for example.
    times : array_like
        Instants at which the observers come, none after the last event.

    Returns
    -------
    ndarray
        Seconds, of the shape of `times`.

    Raises
    ------
    ValueError
        If the events fall or an observer comes after the last one.

    Examples
    --------
    >>> print(wait_for_next([1, 2, 10], [0.5, 2.5, 10]))
    [0.5 7.5 0. ]
    """
    when, buses = finite("times", times), sample("events", events)
    if (np.diff(buses) < 0).any():
        raise ValueError(f"events must not fall, got {events!r}")
    if (when > buses[-1]).any():
        raise ValueError(f"times must be at most the last event {buses[-1]:g}, got {when.max():g}")
    return np.asarray(buses[np.searchsorted(buses, when)] - when)


def fraction_in_pause(times: ArrayLike, period: float, pause: float) -> float:
    """Return the share of observers who find a system in its pause at the start of each period.

    Parameters
    ----------
    times : array_like
        Instants of the observations in seconds, one or more.
    period, pause : float
        Every `period` seconds the system stands still for `pause` seconds.

    Returns
    -------
    float
        pause / period if the observers come at instants that don't depend on the period.

    Raises
    ------
    ValueError
        If `period` is not above 0 or `pause` is not within it.

    Examples
    --------
    >>> fraction_in_pause([0, 60, 120], 60, 3), fraction_in_pause([1, 31, 61, 91], 60, 3)
    (1.0, 0.5)
    """
    length = one_number("period", period, positive)
    stands = one_number("pause", pause, partial(within, low=0, high=length))
    return float((np.mod(sample("times", times), length) < stands).mean())
