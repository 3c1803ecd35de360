"""A collective as rounds of messages, and what happens when they are sent.

Every rank holds labelled blocks of numbers. In a round some ranks send copies of blocks to others,
who add them to their own or put them in place; all messages of a round are sent at the same time,
from what the senders had when the round began.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import non_negative, sample, whole

Blocks = Mapping[int, NDArray[Any]]
"""What a rank holds: blocks by their labels."""


class Message(NamedTuple):
    """What one rank sends another in a round."""

    sender: int
    receiver: int
    blocks: tuple[int, ...]
    """Labels."""
    adds: bool = False
    """Whether the receiver adds the blocks to its own, or takes them over."""


@dataclass(frozen=True)
class CollectiveSchedule:
    """The blocks that each rank sends to each other rank, by round."""

    collective: str
    algorithm: str
    ranks: int
    blocks: int
    """Into how many blocks a vector is cut."""
    rounds: tuple[tuple[Message, ...], ...]
    """At most one message of each sender, and one to each receiver, in a round."""
    root: int = 0
    """The rank that has the vector before a broadcast, and after a reduction."""


@dataclass(frozen=True, eq=False)
class CollectiveRun:
    """What a schedule left behind, and what was counted while it ran."""

    final_blocks: tuple[dict[int, NDArray[Any]], ...]
    """Blocks of each rank at the end."""
    largest: tuple[int, ...]
    """Bytes of the largest message of each round."""
    traffic: int
    """Bytes of all messages."""
    added: tuple[int, ...]
    """Most bytes that one rank had to add in each round."""

    @property
    def rounds(self) -> int:
        """How many rounds there were."""
        return len(self.largest)

    @property
    def volume(self) -> int:
        """Bytes of the largest messages of all rounds together."""
        return sum(self.largest)


def run_schedule(schedule: CollectiveSchedule, blocks: Sequence[Blocks]) -> CollectiveRun:
    """Send the messages of a schedule, round by round.

    Parameters
    ----------
    schedule : CollectiveSchedule
    blocks : sequence of mapping of int to ndarray
        What each rank holds at first: blocks by their labels.

    Raises
    ------
    ValueError
        If there is not one mapping for each rank, or a message sends a block that its sender
        hasn't, or adds to one that its receiver hasn't.

    Examples
    --------
    >>> swap = (Message(0, 1, (0,), adds=True), Message(1, 0, (0,), adds=True))
    >>> schedule = CollectiveSchedule("all-reduce", "swap", 2, 1, (swap,))
    >>> run = run_schedule(schedule, [{0: np.array([1.0, 2.0])}, {0: np.array([10.0, 20.0])}])
    >>> run.final_blocks[0][0], run.volume, run.traffic
    (array([11., 22.]), 16, 32)
    """
    if len(blocks) != schedule.ranks:
        raise ValueError(f"blocks must be of {schedule.ranks} ranks, got {len(blocks)}")
    held = [{label: array.copy() for label, array in own.items()} for own in blocks]
    largest, added, traffic = [], [], 0
    for sent in schedule.rounds:
        parcels = [_packed(message, held) for message in sent]
        sizes = [sum(block.nbytes for block in parcel) for parcel in parcels]
        for message, parcel in zip(sent, parcels, strict=True):
            _unpack(message, parcel, held[message.receiver])
        largest.append(max(sizes, default=0))
        adding = (size for size, message in zip(sizes, sent, strict=True) if message.adds)
        added.append(max(adding, default=0))
        traffic += sum(sizes)
    return CollectiveRun(tuple(held), tuple(largest), traffic, tuple(added))


def _packed(message: Message, held: Sequence[Blocks]) -> list[NDArray[Any]]:
    own, taker = held[message.sender], held[message.receiver]
    lacking = [label for label in message.blocks if label not in own]
    if lacking:
        raise ValueError(f"blocks must be held by who sends them: {message.sender} lacks {lacking}")
    if message.adds and not set(message.blocks) <= set(taker):
        raise ValueError(f"blocks must be held by who adds to them: {message.receiver} lacks some")
    return [own[label].copy() for label in message.blocks]


def _unpack(message: Message, parcel: list[NDArray[Any]], held: dict[int, NDArray[Any]]) -> None:
    for label, block in zip(message.blocks, parcel, strict=True):
        held[label] = held[label] + block if message.adds else block


def schedule_time(
    schedule: CollectiveSchedule,
    sizes: Mapping[int, float] | Sequence[float],
    message_seconds: Callable[[Message, float], float],
    addition_time: float = 0.0,
) -> float:
    """Return the seconds of a schedule whose rounds wait for each other.

    Parameters
    ----------
    schedule : CollectiveSchedule
    sizes : mapping of int to float, or sequence
        Bytes of each block, by its label, 0 or more.
    message_seconds : callable
        Takes a message and its bytes and returns its seconds: links may differ, and so may the
        protocols of small and large messages.
    addition_time : float
        Seconds that adding one byte takes, 0 or more.

    Returns
    -------
    float
        Of each round the slowest message (with its addition), summed.

    Examples
    --------
    >>> from perfmodel.communication import collective_schedule
    >>> ring = collective_schedule("all-reduce", "ring", 4)
    >>> round(schedule_time(ring, [250.0] * 4, lambda message, size: 1 + 0.01 * size), 6)
    21.0
    """
    total = 0.0
    blocks = list(sizes.values()) if isinstance(sizes, Mapping) else sizes
    non_negative("sizes", sample("sizes", blocks))
    non_negative("addition_time", addition_time)
    for sent in schedule.rounds:
        total += max(
            message_seconds(message, size) + addition_time * size * message.adds
            for message in sent
            for size in [float(sum(sizes[label] for label in message.blocks))]
        )
    return total


def block_sizes(elements: int, blocks: int) -> NDArray[np.int64]:
    """Return how many of some elements each block gets: the first ones get one more if need be.

    Parameters
    ----------
    elements : int
        0 or more.
    blocks : int
        1 or more.

    Examples
    --------
    >>> block_sizes(10, 4).tolist()
    [3, 3, 2, 2]
    """
    count, parts = whole("elements", elements), whole("blocks", blocks, 1)
    sizes = np.full(parts, count // parts)
    sizes[: count % parts] += 1
    return sizes
