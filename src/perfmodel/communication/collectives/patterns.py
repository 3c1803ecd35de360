"""What schedules are made of: trees, rings, and hypercubes with some ranks folded in.

Rounds are lists of messages; a pattern names the blocks that each rank owns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from perfmodel.communication.collectives.schedule import Message

Round = tuple[Message, ...]
Owned = Sequence[tuple[int, ...]]
"""Labels of the blocks that each rank of a pattern owns."""


def backwards(rounds: Sequence[Round], adds: bool = True) -> tuple[Round, ...]:
    """Return rounds in the opposite order, each message from its receiver to its sender.

    What spread a block to all ranks now adds up what they have of it: a broadcast becomes a
    reduction, an all-gather a reduce-scatter, provided that no rank got a block twice.
    """
    return tuple(
        tuple(Message(one.receiver, one.sender, one.blocks, adds) for one in sent)
        for sent in reversed(rounds)
    )


def tree(ranks: int, root: int, blocks: tuple[int, ...]) -> tuple[Round, ...]:
    """Return a binomial tree: each round twice as many ranks have the blocks."""
    rounds, reach = [], 1
    while reach < ranks:
        pairs = ((near, near + reach) for near in range(min(reach, ranks - reach)))
        rounds.append(
            tuple(Message((a + root) % ranks, (b + root) % ranks, blocks) for a, b in pairs)
        )
        reach *= 2
    return tuple(rounds)


def scatter(ranks: int, root: int) -> tuple[Round, ...]:
    """Return a binomial tree that leaves block i with the i-th rank, counted from the root.

    First half of the blocks travel, then quarters: a rank with several blocks passes the farther
    half on.
    """
    rounds = []
    reach = tree_reach(ranks)
    while reach:
        starts = range(0, ranks - reach, 2 * reach)
        rounds.append(
            tuple(
                Message(
                    (start + root) % ranks,
                    (start + reach + root) % ranks,
                    tuple(range(start + reach, min(start + 2 * reach, ranks))),
                )
                for start in starts
            )
        )
        reach //= 2
    return tuple(rounds)


def tree_reach(ranks: int) -> int:
    """Return the largest power of two below the number of ranks, 0 for one rank."""
    return (1 << (ranks - 1).bit_length()) >> 1


def ring(members: Sequence[int], owned: Owned) -> tuple[Round, ...]:
    """Return the rounds that take what each member owns once round a ring, to all others."""
    count = len(members)
    return tuple(
        tuple(
            Message(members[i], members[(i + 1) % count], owned[(i - step) % count])
            for i in range(count)
        )
        for step in range(count - 1)
    )


def doubling(members: Sequence[int], owned: Owned) -> tuple[Round, ...]:
    """Return the rounds in which pairs swap all they have, at distance 1, 2, 4, ...

    The number of members is a power of two.
    """
    rounds, distance = [], 1
    while distance < len(members):
        sent = []
        for i, member in enumerate(members):
            first = i // distance * distance
            known = (label for each in owned[first : first + distance] for label in each)
            sent.append(Message(member, members[i ^ distance], tuple(known)))
        rounds.append(tuple(sent))
        distance *= 2
    return tuple(rounds)


def brucks_gather(ranks: int) -> tuple[Round, ...]:
    """Return Bruck's all-gather: like doubling, but round a circle of any number of ranks."""
    rounds, distance = [], 1
    while distance < ranks:
        count = min(distance, ranks - distance)
        rounds.append(
            tuple(
                Message(i, (i - distance) % ranks, tuple((i + k) % ranks for k in range(count)))
                for i in range(ranks)
            )
        )
        distance *= 2
    return tuple(rounds)


class Folding(NamedTuple):
    """Ranks of which a power of two work on, and the others leave their part to a partner."""

    core: tuple[int, ...]
    """Those who work on."""
    pairs: tuple[tuple[int, int], ...]
    """Each rank that is folded in, and its partner: the first members of `core`, in order."""


def fold(ranks: int) -> Folding:
    """Fold the even ones of the first ranks into their odd neighbours, until 2**k are left.

    >>> fold(5)
    Folding(core=(1, 2, 3, 4), pairs=((0, 1),))
    """
    extra = ranks - (1 << (ranks.bit_length() - 1))
    pairs = tuple((2 * i, 2 * i + 1) for i in range(extra))
    return Folding(tuple(partner for _, partner in pairs) + tuple(range(2 * extra, ranks)), pairs)
