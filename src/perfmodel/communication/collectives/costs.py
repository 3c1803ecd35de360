"""What a collective costs, and above which size one algorithm is faster than another."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from perfmodel.communication.collectives.algorithms import check_algorithm, check_node
from perfmodel.communication.collectives.formulas import (
    COSTS,
    CollectiveCost,
    cut_vector,
    total_cost,
)
from perfmodel.validation import positive, whole

_ROUNDING = 1e-12
"""Relative difference of times below which they are equal."""


@dataclass(frozen=True)
class TieredCost:
    """Cost of a hierarchical collective: what is sent inside nodes, and what between them."""

    intra_node: CollectiveCost
    inter_node: CollectiveCost


def collective_cost(
    collective: str,
    algorithm: str,
    ranks: int,
    size: float,
    word: int | None = None,
    per_node: int | None = None,
) -> CollectiveCost:
    """Return rounds and bytes of a collective, by formula.

    Parameters
    ----------
    collective, algorithm : str
        A key of `ALGORITHMS`, and one of its values.
    ranks : int
        2 or more.
    size : float
        Bytes of the vector, 0 or more: what a rank starts with, or of an all-gather what it ends
        with.
    word : int, optional
        Bytes of an element, which no block cuts in two; `size` is a multiple of it. Without it
        blocks are equal, whatever the size, and costs are proportional to it.
    per_node : int, optional
        Ranks of a node, for the algorithm `hierarchical`.

    Raises
    ------
    ValueError
        If an argument is out of range or there is no such algorithm.

    Examples
    --------
    >>> collective_cost("all-reduce", "ring", 8, 800.0)
    CollectiveCost(rounds=14, volume=1400.0, added=700.0, traffic=11200.0)
    >>> collective_cost("all-reduce", "tree", 8, 800.0)
    CollectiveCost(rounds=6, volume=4800.0, added=2400.0, traffic=11200.0)
    """
    check_algorithm(collective, algorithm)
    count, vector = whole("ranks", ranks, 2), cut_vector(size, word)
    if algorithm == "hierarchical" or per_node is not None:
        node = check_node(count, per_node)
    if algorithm == "hierarchical":
        tiers = hierarchical_cost(count, node, size, word)
        return total_cost(tiers.intra_node, tiers.inter_node)
    return COSTS[collective, algorithm](count, vector)


def hierarchical_cost(
    ranks: int, per_node: int, size: float, word: int | None = None
) -> TieredCost:
    """Return the cost of an all-reduce that first adds up inside nodes, and then between them.

    Parameters
    ----------
    ranks : int
        2 or more.
    per_node : int
        Ranks of a node, a divisor of `ranks`.
    size : float
        Bytes of the vector, 0 or more.
    word : int, optional
        As for `collective_cost`.

    Examples
    --------
    >>> tiers = hierarchical_cost(16, 8, 1600.0)
    >>> tiers.intra_node.volume, tiers.inter_node.volume
    (2800.0, 200.0)
    """
    count = whole("ranks", ranks, 2)
    inner, vector = check_node(count, per_node), cut_vector(size, word)
    nodes = count // inner
    part, block = vector.first(nodes, count), vector.first(1, count)
    rings = 2 * nodes * (inner - 1) * vector.size
    return TieredCost(
        CollectiveCost(2 * (inner - 1), 2 * (inner - 1) * part, (inner - 1) * part, rings),
        CollectiveCost(
            2 * (nodes - 1),
            2 * (nodes - 1) * block,
            (nodes - 1) * block,
            2 * (nodes - 1) * vector.size,
        ),
    )


def crossover_size(
    collective: str,
    first: str,
    second: str,
    ranks: int,
    latency: float,
    bandwidth: float,
    addition_time: float = 0.0,
) -> float:
    """Return the size above which the second algorithm is faster than the first.

    Parameters
    ----------
    collective : str
        A key of `ALGORITHMS`.
    first, second : str
        Two of its algorithms, not `hierarchical`.
    ranks : int
        2 or more.
    latency : float
        Seconds of a message whatever its size, above 0.
    bandwidth : float
        Bytes/s of a link, above 0.
    addition_time : float
        Seconds that adding one byte takes, 0 or more.

    Returns
    -------
    float
        Bytes; 0 if the second is at least as good at any size, `inf` if it is never faster.

    Raises
    ------
    ValueError
        If an argument is out of range, or the second has fewer rounds and more bytes, so that it is
        the algorithm of small sizes.

    Examples
    --------
    >>> round(crossover_size("all-reduce", "tree", "ring", 8, 10e-6, 1e9))
    18824
    """
    wait, rate = positive("latency", latency), positive("bandwidth", bandwidth)
    early, late = (collective_cost(collective, name, ranks, 1.0) for name in (first, second))
    behind = (late.rounds - early.rounds) * float(wait)
    times = [cost.time(0, float(rate), addition_time) for cost in (early, late)]
    gain = times[0] - times[1]
    if abs(gain) <= _ROUNDING * max(times):
        gain = 0.0
    if behind < 0 > gain:
        raise ValueError(
            f"second must be the algorithm of large sizes, got {second!r}, which has fewer rounds "
            f"than {first!r} and more bytes"
        )
    if behind <= 0 <= gain:
        return 0.0
    return behind / gain if gain > 0 else inf
