"""In how many places the experts of a token are, and how uneven the load of many tokens is."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from perfmodel.validation import Floats, positive, whole

_REACH = 12.0
"""Standard deviations beyond which a normal variable isn't followed."""
_NODES = 400
"""Of the quadrature."""

Counts = dict[tuple[int, ...], Fraction]


def expert_counts(groups: int, experts: int, chosen: int, limit: int | None = None) -> Counts:
    """Return how the experts of one token are spread over places, exactly.

    Any set of experts is as likely as any other. With a limit, the gate ranks the places by their
    best expert, and takes the best experts of the first `limit` places only.

    Parameters
    ----------
    groups : int
        Nodes or devices, with equally many experts each.
    experts : int
        All of a layer, a multiple of `groups`.
    chosen : int
        Different experts of a token.
    limit : int, optional
        Places that a token may go to, which hold `chosen` experts or more; all if left out.

    Returns
    -------
    dict of tuple of int to Fraction
        The experts in each place that has any, largest number first, and its probability.

    Examples
    --------
    >>> expert_counts(2, 4, 2)
    {(1, 1): Fraction(2, 3), (2,): Fraction(1, 3)}
    """
    count = whole("groups", groups, 1)
    each, rest = divmod(whole("experts", experts, 1), count)
    if rest:
        raise ValueError(
            f"experts must be a multiple of places = {count}, got {experts}; the next ones are "
            + " and ".join(str(e) for e in (each * count, (each + 1) * count) if e)
        )
    k = whole("chosen", chosen, 1, each * count)
    most = count if limit is None else whole("limit", limit, 1, count)
    if most * each < k:
        raise ValueError(
            f"limit must leave chosen = {k} experts or more, got {most} places of {each}"
        )
    return dict(_counts(count, each, k, most))


@lru_cache(maxsize=256)
def _counts(places: int, each: int, chosen: int, limit: int) -> Counts:
    """Draw experts from the best to the worst, without those of places beyond the limit."""
    states: Counts = {(): Fraction(1)}
    for _ in range(chosen):
        following: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for held, probability in states.items():
            new = (places - len(held)) * each if len(held) < limit else 0
            left = len(held) * each - sum(held) + new
            moves = [((*held[:i], n + 1, *held[i + 1 :]), each - n) for i, n in enumerate(held)]
            for counts, ways in [*moves, ((*held, 1), new)]:
                if ways:
                    order = tuple(sorted(counts, reverse=True))
                    following[order] += probability * Fraction(ways, left)
        states = following
    return dict(sorted(states.items()))


def expected_destinations(
    groups: int, experts: int, chosen: int, limit: int | None = None
) -> float:
    """Return in how many places the experts of a token are on average.

    Without a limit this is m (1 - C(E - E/m, k) / C(E, k)) for m places, E experts and k chosen.

    Parameters
    ----------
    groups, experts, chosen, limit : int
        As for `expert_counts`.

    Examples
    --------
    >>> [round(expected_destinations(8, 256, 8, limit), 3) for limit in (8, 4)]
    [5.295, 3.983]
    """
    counts = expert_counts(groups, experts, chosen, limit)
    return float(sum(len(held) * probability for held, probability in counts.items()))


def expected_ranks(
    nodes: int, node_ranks: int, experts: int, chosen: int, limit: int | None = None
) -> float:
    """Return on how many ranks the experts of a token are on average, if it may go to few nodes.

    Parameters
    ----------
    nodes : int
        1 or more.
    node_ranks : int
        Ranks of a node, whose number divides the experts of a node.
    experts, chosen, limit : int
        As for `expert_counts`, the places being nodes.

    Examples
    --------
    >>> [round(expected_ranks(8, 8, 256, 8, limit), 3) for limit in (8, 4)]
    [7.676, 7.471]
    """
    counts = expert_counts(whole("nodes", nodes, 1), experts, chosen, limit)
    ranks = whole("node_ranks", node_ranks, 1)
    if experts % (nodes * ranks):
        raise ValueError(
            f"experts must be a multiple of all ranks = {nodes * ranks}, got {experts}"
        )
    within = {
        held: expected_destinations(ranks, experts // nodes, held)
        for held in {n for counted in counts for n in counted}
    }
    return sum(float(p) * sum(within[n] for n in held) for held, p in counts.items())


def largest_of_normals(count: int) -> float:
    """Return the mean of the largest of `count` independent standard normal variables.

    Parameters
    ----------
    count : int
        1 or more.

    Examples
    --------
    >>> [round(largest_of_normals(n), 2) for n in (8, 32, 256)]
    [1.42, 2.07, 2.83]
    """
    n = whole("count", count, 1)
    nodes, weights = leggauss(_NODES)
    x = _REACH * nodes
    below = np.exp(n * log_ndtr(x))
    return float(_REACH * (weights * np.where(x > 0, 1 - below, -below)).sum())


def load_imbalance(ranks: int, choices: ArrayLike) -> Floats:
    """Return the largest load over the mean one, if every choice falls on any rank equally often.

    Loads are nearly normal with mean and variance `choices`: 1 + z sqrt((1 - 1/n) / choices), z
    the mean of the largest of n standard normals. With 16 choices a rank or fewer it's too small
    by a tenth of the excess and more.

    Parameters
    ----------
    ranks : int
        n equally popular ones, 1 or more.
    choices : array_like
        Choices (tokens times experts of a token) that a rank gets on average, above 0.

    Examples
    --------
    >>> load_imbalance(256, [128 * 8, 16384 * 8]).round(3)
    array([1.088, 1.008])
    """
    mean = positive("choices", choices)
    free = 1 - 1 / whole("ranks", ranks, 1)
    return np.asarray(1 + largest_of_normals(ranks) * np.sqrt(free / mean))
