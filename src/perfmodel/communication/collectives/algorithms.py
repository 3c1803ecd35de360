"""Schedules of each collective by its algorithms.

Rounds and names as in R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective
Communication Operations in MPICH", IJHPCA 19(1), 2005.
"""

from __future__ import annotations

from collections.abc import Callable

from perfmodel.communication.collectives.patterns import (
    Round,
    backwards,
    brucks_gather,
    doubling,
    fold,
    ring,
    scatter,
    tree,
)
from perfmodel.communication.collectives.schedule import CollectiveSchedule, Message
from perfmodel.validation import one_of, whole

Plan = tuple[int, tuple[Round, ...]]
"""Blocks of a vector, and rounds."""


def collective_schedule(
    collective: str, algorithm: str, ranks: int, root: int = 0, per_node: int | None = None
) -> CollectiveSchedule:
    """Return who sends what to whom in which round.

    Parameters
    ----------
    collective, algorithm : str
        A key of `ALGORITHMS`, and one of its values.
    ranks : int
        2 or more.
    root : int
        Of a broadcast or reduction, below `ranks`.
    per_node : int, optional
        Ranks of a node, a divisor of `ranks`: for the algorithm `hierarchical`, which needs it.

    Raises
    ------
    ValueError
        If an argument is out of range or there is no such algorithm.

    Examples
    --------
    >>> ring = collective_schedule("all-reduce", "ring", 4)
    >>> len(ring.rounds), ring.rounds[0][0]
    (6, Message(sender=1, receiver=0, blocks=(2,), adds=True))
    """
    check_algorithm(collective, algorithm)
    count, first = whole("ranks", ranks, 2), whole("root", root)
    if first >= count:
        raise ValueError(f"root must be below ranks {count}, got {root}")
    if algorithm == "hierarchical" or per_node is not None:
        node = check_node(count, per_node)
    if algorithm == "hierarchical":
        blocks, rounds = _hierarchical(count, node)
    else:
        blocks, rounds = _PLANS[collective, algorithm](count, first)
    return CollectiveSchedule(collective, algorithm, count, blocks, rounds, first)


def check_algorithm(collective: str, algorithm: str) -> None:
    """Raise ValueError unless there is such a collective, and such an algorithm of it."""
    one_of("collective", collective, ALGORITHMS)
    one_of(f"algorithm of {collective}", algorithm, ALGORITHMS[collective])


def check_node(ranks: int, per_node: int | None) -> int:
    """Return the ranks of a node, if as many of them make up all ranks."""
    count = whole("per_node", 0 if per_node is None else per_node, 1)
    if ranks % count:
        raise ValueError(f"per_node must divide ranks {ranks}, got {per_node}")
    return count


def _each(ranks: int) -> list[tuple[int, ...]]:
    return [(rank,) for rank in range(ranks)]


def _broadcast_linear(ranks: int, root: int) -> Plan:
    others = (rank for rank in range(ranks) if rank != root)
    return 1, tuple((Message(root, other, (0,)),) for other in others)


def _broadcast_tree(ranks: int, root: int) -> Plan:
    return 1, tree(ranks, root, (0,))


def _broadcast_scatter(ranks: int, root: int) -> Plan:
    members = [(root + i) % ranks for i in range(ranks)]
    return ranks, scatter(ranks, root) + ring(members, _each(ranks))


def _reduce_gather(ranks: int, root: int) -> Plan:
    members = [(root + i) % ranks for i in range(ranks)]
    summing = backwards(ring(members, _each(ranks)))
    return ranks, summing + backwards(scatter(ranks, root), adds=False)


def _reversed_plan(plan: Callable[[int, int], Plan]) -> Callable[[int, int], Plan]:
    def reversed_(ranks: int, root: int) -> Plan:
        blocks, rounds = plan(ranks, root)
        return blocks, backwards(rounds)

    return reversed_


def _gather_ring(ranks: int, root: int) -> Plan:
    return ranks, ring(range(ranks), _each(ranks))


def _gather_doubling(ranks: int, root: int) -> Plan:
    """Return recursive doubling; a rank that is folded in gives its block and gets all others."""
    core, pairs = fold(ranks)
    owned = [pairs[i] if i < len(pairs) else (rank,) for i, rank in enumerate(core)]
    rounds = doubling(core, owned)
    if not pairs:
        return ranks, rounds
    into = tuple(Message(extra, partner, (extra,)) for extra, partner in pairs)
    out = tuple(
        Message(partner, extra, tuple(label for label in range(ranks) if label != extra))
        for extra, partner in pairs
    )
    return ranks, (into, *rounds, out)


def _gather_bruck(ranks: int, root: int) -> Plan:
    return ranks, brucks_gather(ranks)


def _reduce_ring(ranks: int, root: int) -> Plan:
    blocks, gathering = _gather_ring(ranks, root)
    return blocks, backwards(gathering) + gathering


def _reduce_tree(ranks: int, root: int) -> Plan:
    blocks, spreading = _broadcast_tree(ranks, 0)
    return blocks, backwards(spreading) + spreading


def _folded(ranks: int, blocks: int, rounds: tuple[Round, ...]) -> Plan:
    """Put before and after the core's rounds what takes the other ranks' vectors in and out."""
    pairs, every = fold(ranks).pairs, tuple(range(blocks))
    if not pairs:
        return blocks, rounds
    into = tuple(Message(extra, partner, every, True) for extra, partner in pairs)
    out = tuple(Message(partner, extra, every) for extra, partner in pairs)
    return blocks, (into, *rounds, out)


def _reduce_doubling(ranks: int, root: int) -> Plan:
    core = fold(ranks).core
    rounds = []
    for k in range(len(core).bit_length() - 1):
        partners = [core[i ^ (1 << k)] for i in range(len(core))]
        rounds.append(tuple(Message(a, b, (0,), True) for a, b in zip(core, partners, strict=True)))
    return _folded(ranks, 1, tuple(rounds))


def _reduce_rabenseifner(ranks: int, root: int) -> Plan:
    core = fold(ranks).core
    gathering = doubling(core, _each(len(core)))
    return _folded(ranks, len(core), backwards(gathering) + gathering)


def _hierarchical(ranks: int, per_node: int) -> Plan:
    """Return reduce-scatter in each node, all-reduce of each part between nodes, all-gather."""
    nodes = ranks // per_node
    parts = [tuple(range(j * nodes, (j + 1) * nodes)) for j in range(per_node)]
    inside = _side_by_side(
        [ring(range(node * per_node, (node + 1) * per_node), parts) for node in range(nodes)]
    )
    between = _side_by_side(
        [ring(range(j, ranks, per_node), [(label,) for label in parts[j]]) for j in range(per_node)]
    )
    return ranks, backwards(inside) + backwards(between) + between + inside


def _side_by_side(several: list[tuple[Round, ...]]) -> tuple[Round, ...]:
    return tuple(
        tuple(message for sent in rounds for message in sent)
        for rounds in zip(*several, strict=True)
    )


def _exchange_pairwise(ranks: int, root: int) -> Plan:
    """Return direct exchange; label src * ranks + dst is what src has for dst."""
    return ranks, tuple(
        tuple(
            Message(i, (i + step) % ranks, (i * ranks + (i + step) % ranks,)) for i in range(ranks)
        )
        for step in range(1, ranks)
    )


def _exchange_bruck(ranks: int, root: int) -> Plan:
    """Return Bruck's exchange: a block that has o ranks to go moves by the powers of two in o."""
    rounds, bit = [], 1
    while bit < ranks:
        sent = []
        for i in range(ranks):
            ways = [(i - way % bit, way) for way in range(ranks) if way & bit]
            labels = tuple((src % ranks) * ranks + (src + way) % ranks for src, way in ways)
            sent.append(Message(i, (i + bit) % ranks, labels))
        rounds.append(tuple(sent))
        bit *= 2
    return ranks, tuple(rounds)


_PLANS: dict[tuple[str, str], Callable[[int, int], Plan]] = {
    ("broadcast", "linear"): _broadcast_linear,
    ("broadcast", "tree"): _broadcast_tree,
    ("broadcast", "scatter and ring"): _broadcast_scatter,
    ("reduce", "linear"): _reversed_plan(_broadcast_linear),
    ("reduce", "tree"): _reversed_plan(_broadcast_tree),
    ("reduce", "ring and gather"): _reduce_gather,
    ("all-gather", "ring"): _gather_ring,
    ("all-gather", "recursive doubling"): _gather_doubling,
    ("all-gather", "Bruck"): _gather_bruck,
    ("reduce-scatter", "ring"): _reversed_plan(_gather_ring),
    ("reduce-scatter", "recursive halving"): _reversed_plan(_gather_doubling),
    ("reduce-scatter", "Bruck"): _reversed_plan(_gather_bruck),
    ("all-reduce", "ring"): _reduce_ring,
    ("all-reduce", "tree"): _reduce_tree,
    ("all-reduce", "recursive doubling"): _reduce_doubling,
    ("all-reduce", "Rabenseifner"): _reduce_rabenseifner,
    ("all-to-all", "pairwise"): _exchange_pairwise,
    ("all-to-all", "Bruck"): _exchange_bruck,
}
ALGORITHMS: dict[str, tuple[str, ...]] = {}
for _collective, _algorithm in (*_PLANS, ("all-reduce", "hierarchical")):
    ALGORITHMS[_collective] = (*ALGORITHMS.get(_collective, ()), _algorithm)
