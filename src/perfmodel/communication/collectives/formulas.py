"""Rounds, bytes and additions of each algorithm, by formula.

Blocks of a vector differ by a word where it can't be cut evenly; the first ones are the longer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from perfmodel.communication.collectives.patterns import tree_reach
from perfmodel.validation import non_negative, positive, whole


@dataclass(frozen=True)
class CollectiveCost:
    """Rounds and bytes of a collective whose rounds wait for each other."""

    rounds: int
    volume: float
    """Bytes of the largest message of each round, summed over rounds."""
    added: float
    """Bytes that the busiest rank of each round has to add, summed over rounds."""
    traffic: float
    """Bytes of all messages."""

    def time(self, latency: float, bandwidth: float, addition_time: float = 0.0) -> float:
        """Return rounds * latency + volume / bandwidth + added * addition_time, in seconds.

        Parameters
        ----------
        latency : float
            Seconds of a message whatever its size, 0 or more.
        bandwidth : float
            Bytes/s of a link, above 0; `inf` is allowed.
        addition_time : float
            Seconds that adding one byte takes, 0 or more.

        Examples
        --------
        >>> CollectiveCost(2, 1000.0, 0.0, 0.0).time(1e-6, 1e9)
        3e-06
        """
        wait = float(non_negative("latency", latency))
        rate = inf if bandwidth == inf else float(positive("bandwidth", bandwidth))
        adding = float(non_negative("addition_time", addition_time))
        return self.rounds * wait + self.volume / rate + self.added * adding


@dataclass(frozen=True)
class CutVector:
    """Bytes that are cut into blocks, of whole words if those are given."""

    size: float
    word: int | None

    def first(self, count: int, blocks: int) -> float:
        """Return the bytes of the first `count` of `blocks` blocks."""
        if self.word is None:
            return self.size * count / blocks
        each, more = divmod(round(self.size / self.word), blocks)
        return float(self.word * (each * count + min(count, more)))


def cut_vector(size: float, word: int | None) -> CutVector:
    """Return a vector of some bytes; without a word it is cut wherever the blocks end."""
    total = float(non_negative("size", size))
    if word is not None and total % whole("word", word, 1):
        raise ValueError(f"size must be a multiple of word {word}, got {size:g}")
    return CutVector(total, word)


def total_cost(*costs: CollectiveCost) -> CollectiveCost:
    """Return the cost of one thing after the other."""
    return CollectiveCost(
        sum(cost.rounds for cost in costs),
        sum(cost.volume for cost in costs),
        sum(cost.added for cost in costs),
        sum(cost.traffic for cost in costs),
    )


def _adding(cost: CollectiveCost) -> CollectiveCost:
    """Return the cost of the same rounds backwards, in which everything received is added."""
    return CollectiveCost(cost.rounds, cost.volume, cost.volume, cost.traffic)


def _linear(ranks: int, vector: CutVector) -> CollectiveCost:
    bytes_ = (ranks - 1) * vector.size
    return CollectiveCost(ranks - 1, bytes_, 0.0, bytes_)


def _tree(ranks: int, vector: CutVector) -> CollectiveCost:
    depth = (ranks - 1).bit_length()
    return CollectiveCost(depth, depth * vector.size, 0.0, (ranks - 1) * vector.size)


def _scatter(ranks: int, vector: CutVector) -> CollectiveCost:
    """Return a binomial scatter: at distance d the root sends up to d blocks, starting at block d.

    Block v travels as many hops as v has ones in binary.
    """
    depth = (ranks - 1).bit_length()
    ends = [(d, min(2 * d, ranks)) for d in (tree_reach(ranks) >> k for k in range(depth))]
    volume = sum(vector.first(end, ranks) - vector.first(start, ranks) for start, end in ends)
    blocks = (vector.first(v + 1, ranks) - vector.first(v, ranks) for v in range(ranks))
    traffic = sum(v.bit_count() * block for v, block in enumerate(blocks))
    return CollectiveCost(depth, volume, 0.0, traffic)


def _ring(ranks: int, vector: CutVector) -> CollectiveCost:
    block = vector.first(1, ranks)
    return CollectiveCost(ranks - 1, (ranks - 1) * block, 0.0, (ranks - 1) * vector.size)


def _doubling(ranks: int, vector: CutVector) -> CollectiveCost:
    """Return recursive doubling: of 2**k ranks each round sends what the first of them hold."""
    depth = ranks.bit_length() - 1
    extra = ranks - (1 << depth)
    volume = sum(vector.first(min(2 << k, (1 << k) + extra), ranks) for k in range(depth))
    if extra:
        last = vector.first(2 * extra - 1, ranks) - vector.first(2 * extra - 2, ranks)
        volume += vector.first(1, ranks) + vector.size - last
    rounds = depth + 2 * (extra > 0)
    return CollectiveCost(rounds, volume, 0.0, (ranks - 1) * vector.size)


def _bruck(ranks: int, vector: CutVector) -> CollectiveCost:
    depth = (ranks - 1).bit_length()
    volume = sum(vector.first(min(1 << k, ranks - (1 << k)), ranks) for k in range(depth))
    return CollectiveCost(depth, volume, 0.0, (ranks - 1) * vector.size)


def _folding(ranks: int, vector: CutVector) -> CollectiveCost:
    """Return the two rounds in which ranks beyond a power of two hand over and get back."""
    extra = ranks - (1 << (ranks.bit_length() - 1))
    if not extra:
        return CollectiveCost(0, 0.0, 0.0, 0.0)
    return CollectiveCost(2, 2 * vector.size, vector.size, 2 * extra * vector.size)


def _reduce_doubling(ranks: int, vector: CutVector) -> CollectiveCost:
    depth, size = ranks.bit_length() - 1, vector.size
    core = CollectiveCost(depth, depth * size, depth * size, depth * (1 << depth) * size)
    return total_cost(core, _folding(ranks, vector))


def _rabenseifner(ranks: int, vector: CutVector) -> CollectiveCost:
    gathering = _doubling(1 << (ranks.bit_length() - 1), vector)
    return total_cost(_adding(gathering), gathering, _folding(ranks, vector))


def _exchange_bruck(ranks: int, vector: CutVector) -> CollectiveCost:
    """Return Bruck's exchange: in round k half of the ways have bit k.

    Where blocks differ by a word, the busiest rank is the one with most of the longer ones.
    """
    sizes = [vector.first(v + 1, ranks) - vector.first(v, ranks) for v in range(ranks)]
    depth = (ranks - 1).bit_length()
    volume = 0.0
    for bit in (1 << k for k in range(depth)):
        ways = [way // bit * bit for way in range(ranks) if way & bit]
        volume += max(sum(sizes[(i + way) % ranks] for way in ways) for i in range(ranks))
    hops = sum(way.bit_count() for way in range(ranks))
    return CollectiveCost(depth, volume, 0.0, hops * vector.size)


COSTS: dict[tuple[str, str], Callable[[int, CutVector], CollectiveCost]] = {
    ("broadcast", "linear"): _linear,
    ("broadcast", "tree"): _tree,
    ("broadcast", "scatter and ring"): lambda p, v: total_cost(_scatter(p, v), _ring(p, v)),
    ("reduce", "linear"): lambda p, v: _adding(_linear(p, v)),
    ("reduce", "tree"): lambda p, v: _adding(_tree(p, v)),
    ("reduce", "ring and gather"): lambda p, v: total_cost(_adding(_ring(p, v)), _scatter(p, v)),
    ("all-gather", "ring"): _ring,
    ("all-gather", "recursive doubling"): _doubling,
    ("all-gather", "Bruck"): _bruck,
    ("reduce-scatter", "ring"): lambda p, v: _adding(_ring(p, v)),
    ("reduce-scatter", "recursive halving"): lambda p, v: _adding(_doubling(p, v)),
    ("reduce-scatter", "Bruck"): lambda p, v: _adding(_bruck(p, v)),
    ("all-reduce", "ring"): lambda p, v: total_cost(_adding(_ring(p, v)), _ring(p, v)),
    ("all-reduce", "tree"): lambda p, v: total_cost(_adding(_tree(p, v)), _tree(p, v)),
    ("all-reduce", "recursive doubling"): _reduce_doubling,
    ("all-reduce", "Rabenseifner"): _rabenseifner,
    ("all-to-all", "pairwise"): _ring,
    ("all-to-all", "Bruck"): _exchange_bruck,
}
