"""An all-reduce of eight ranks, stepped through: of how many ranks each block is the sum."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np

from perfmodel.communication import (
    CollectiveSchedule,
    Message,
    collective_cost,
    collective_schedule,
    run_schedule,
)
from perfmodel.labs.communication.collectives.tables import BANDWIDTH, LATENCY
from perfmodel.live.drawing import Box, Fill, Line, Scene, Shape, Text
from perfmodel.validation import Floats, one_of, whole

RANKS = 8
ALGORITHMS_SHOWN = ("ring", "tree", "recursive doubling", "Rabenseifner")
MOST_ROUNDS = 14
SIZE = 64e3
"""Bytes of the vector."""
_LEFT, _CELL, _ROW, _TOP = 44.0, 39.0, 20.0, 96.0
_LANE = 11.0


def stepped_all_reduce(algorithm: str, rounds: int) -> Scene:
    """Draw eight ranks' blocks after some rounds, and the messages of the last of them.

    A block's number says how many ranks it sums. An arrow leads from a message's sender to its
    receiver. An algorithm that finishes before round 14 stays as it is.

    >>> stepped_all_reduce("tree", 6).values["ranks that have it all"]
    8.0
    >>> stepped_all_reduce("ring", 6).values["ranks that have it all"]
    0.0
    """
    one_of("algorithm", algorithm, ALGORITHMS_SHOWN)
    schedule = collective_schedule("all-reduce", algorithm, RANKS)
    done = min(whole("rounds", rounds), len(schedule.rounds))
    sums = summed_ranks(algorithm, done)
    shapes: list[Shape] = [Text("rank", 6, _TOP - 12, "start"), Text("block", 20, _TOP + 4 * _ROW)]
    shapes += [Text(str(rank), _middle(rank), _TOP - 12) for rank in range(RANKS)]
    for rank, column in enumerate(sums):
        shapes += _column(rank, column)
    if done:
        shapes += _arrows(schedule.rounds[done - 1])
    complete = int((sums == RANKS).all(axis=1).sum())
    return Scene(
        _TOP + _ROW * RANKS + 6,
        shapes,
        _says(schedule, done, complete),
        {"ranks that have it all": float(complete), "time (µs)": 1e6 * _time(schedule, done)},
    )


def _column(rank: int, sums: Floats) -> list[Shape]:
    """Return a rank's blocks; neighbours that are the sum of as many ranks are one box."""
    shapes: list[Shape] = []
    starts = [0, *(np.flatnonzero(np.diff(sums)) + 1), RANKS]
    for start, end in pairwise(starts):
        count = int(sums[start])
        fill: Fill = "light" if count == RANKS else "none"
        corner = _LEFT + _CELL * rank, _TOP + _ROW * start
        size = _CELL - 4, _ROW * (end - start) - 3
        colour = 1 if count > 1 else 0
        shapes.append(Box(*corner, *size, str(count), colour, fill, bold=count == RANKS))
    return shapes


@cache
def summed_ranks(algorithm: str, rounds: int) -> Floats:
    """Return of how many ranks each eighth of each rank's vector is the sum, shape (8, 8).

    The schedule is run on ones, so that its sums count.
    """
    schedule = collective_schedule("all-reduce", algorithm, RANKS)
    cut = CollectiveSchedule(
        "all-reduce", algorithm, RANKS, schedule.blocks, schedule.rounds[:rounds]
    )
    ones = {label: np.ones(RANKS // cut.blocks) for label in range(cut.blocks)}
    blocks = run_schedule(cut, [ones] * RANKS).final_blocks
    return np.array([np.concatenate([own[i] for i in range(cut.blocks)]) for own in blocks])


def _time(schedule: CollectiveSchedule, rounds: int) -> float:
    """Return the seconds of the first rounds, each of its largest message."""
    sizes = [
        max(len(message.blocks) for message in sent) * SIZE / schedule.blocks
        for sent in schedule.rounds[:rounds]
    ]
    return sum(LATENCY + size / BANDWIDTH for size in sizes)


def _says(schedule: CollectiveSchedule, done: int, complete: int) -> str:
    total = len(schedule.rounds)
    volume = collective_cost("all-reduce", schedule.algorithm, RANKS, SIZE).volume
    name = schedule.algorithm[0].upper() + schedule.algorithm[1:]
    return (
        f"{name}: after {done} of {total} rounds and {1e6 * _time(schedule, done):.0f} µs, "
        f"{complete} of {RANKS} ranks have the whole sum. All rounds together send "
        f"{volume / SIZE:.3g} vectors over one link."
    )


def _arrows(sent: tuple[Message, ...]) -> list[Shape]:
    """Return an arrow for each message above the ranks, in as few lanes as don't touch."""
    both = {(message.sender, message.receiver) for message in sent}
    pairs = sorted(
        {(min(pair), max(pair)) for pair in both}, key=lambda pair: (pair[1] - pair[0], pair)
    )
    lanes: list[list[tuple[int, int]]] = []
    shapes: list[Shape] = []
    for low, high in pairs:
        free = (
            i
            for i, lane in enumerate(lanes)
            if all(high <= other[0] or other[1] <= low for other in lane)
        )
        place = next(free, len(lanes))
        if place == len(lanes):
            lanes.append([])
        lanes[place].append((low, high))
        y = _TOP - 28 - _LANE * place
        left, right = _middle(low) + 3, _middle(high) - 3
        if (low, high) in both:
            shapes.append(Line([(left, y), (right, y)], 2, head=True))
        if (high, low) in both:
            shapes.append(Line([(right, y), (left, y)], 2, head=True))
    return shapes


def _middle(rank: int) -> float:
    return _LEFT + _CELL * rank + (_CELL - 4) / 2
