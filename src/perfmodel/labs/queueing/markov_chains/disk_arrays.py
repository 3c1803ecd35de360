"""Disks in groups that survive one failure, or two: how long until data are lost.

A group's state is the number of its failed disks, of which one at a time is replaced.

Source, also of the arrays: D. Patterson, G. Gibson, R. Katz, "A case for redundant arrays of
inexpensive disks (RAID)", SIGMOD 1988; P. Chen, E. Lee, G. Gibson, R. Katz, D. Patterson, "RAID:
high-performance, reliable secondary storage", ACM Computing Surveys 26(2), 1994.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from perfmodel.queueing import (
    MarkovChain,
    explore_chain,
    first_passage_distribution,
    first_passage_time,
)
from perfmodel.validation import non_negative, positive, whole

HOUR = 3600.0
YEAR = 8760 * HOUR
"""365 days, as the papers count."""


@dataclass(frozen=True)
class DiskGroup:
    """Disks that share their check disks; data are lost when `lives` has no more to give.

    >>> DiskGroup(2, (30_000 * HOUR,) * 2, HOUR).moves(1)[0]
    (0, 0.0002777777777777778)
    """

    disks: int
    """Data and check disks together, 2 or more."""
    lives: Sequence[float]
    """Mean seconds until a disk of those left fails, when 0, 1, ... have failed already."""
    repair_time: float
    """Mean seconds until a failed disk is replaced and filled again, above 0."""

    def __post_init__(self) -> None:
        whole("disks", self.disks, 2)
        positive("lives", self.lives)
        positive("repair_time", self.repair_time)
        if not 1 <= len(self.lives) <= self.disks:
            raise ValueError(f"lives must be 1 to {self.disks} times, got {len(self.lives)}")

    def failure_rate(self, failed: int) -> float:
        """Return the rate in 1/s at which one of the disks left fails."""
        return (self.disks - failed) / self.lives[failed]

    def moves(self, failed: int) -> list[tuple[int, float]]:
        """Return where a group with this many failed disks goes next, with the rates in 1/s."""
        if failed == len(self.lives):
            return []
        repaired = [(failed - 1, 1 / self.repair_time)] if failed else []
        return [*repaired, (failed + 1, self.failure_rate(failed))]

    def chain(self) -> MarkovChain:
        """Return the chain of its failed disks, from none to the loss of data."""
        return explore_chain(0, self.moves)


def time_to_loss(group: DiskGroup, groups: float = 1) -> float:
    """Return the mean time until one of several equal groups loses data, from its chain.

    It is in seconds. The time of each group is treated as exponential, which is nearly right for
    short repairs.

    >>> mirrored = DiskGroup(2, (30_000 * HOUR,) * 2, HOUR)
    >>> round(time_to_loss(mirrored) / HOUR)
    450045000
    """
    times = first_passage_time(group.chain(), [len(group.lives)])
    return float(times[0] / positive("groups", groups))


def rare_failure_time(group: DiskGroup, groups: float = 1) -> float:
    """Return the papers' formula for `time_to_loss`: repairs much shorter than lives.

    It is in seconds: the time to the first failure, times the odds of each repair against one more.

    >>> mirrored = DiskGroup(2, (30_000 * HOUR,) * 2, HOUR)
    >>> round(rare_failure_time(mirrored) / HOUR)
    450000000
    """
    rates = [group.failure_rate(failed) for failed in range(len(group.lives))]
    in_repair = group.repair_time ** (len(rates) - 1)
    return float(1 / (math.prod(rates) * in_repair * positive("groups", groups)))


def loss_probability(group: DiskGroup, groups: float, time: float) -> float:
    """Return the probability that one of several equal groups loses data within `time`.

    `time` is in seconds; the probability is from the phase-type distribution of the time to loss.

    >>> mirrored = DiskGroup(2, (30_000 * HOUR,) * 2, 24 * HOUR)
    >>> round(loss_probability(mirrored, 100, YEAR), 4)
    0.0454
    """
    distribution = first_passage_distribution(group.chain(), 0, [len(group.lives)])
    survival = float(distribution.tail(float(non_negative("time", time))))
    return float(1 - survival ** positive("groups", groups))


def staged_repair_chain(group: DiskGroup, stages: int) -> MarkovChain:
    """Return the chain of a group that survives one failure, its repair in equal stages.

    With k stages a repair has the squared coefficient of variation 1/k. States are (0, 0): whole;
    (1, i): one failed, in stage i of its repair; (2, 0): data lost.

    >>> mirrored = DiskGroup(2, (30_000 * HOUR,) * 2, HOUR)
    >>> staged_repair_chain(mirrored, 2).states
    ((0, 0), (1, 1), (1, 2), (2, 0))
    """
    last = whole("stages", stages, 1)
    if len(group.lives) != 2:
        raise ValueError(f"lives must be 2 times for a staged repair, got {len(group.lives)}")
    pace = last / group.repair_time

    def moves(state: tuple[int, int]) -> list[tuple[tuple[int, int], float]]:
        failed, stage = state
        if failed == 2:
            return []
        if failed == 0:
            return [((1, 1), group.failure_rate(0))]
        onward = (1, stage + 1) if stage < last else (0, 0)
        return [(onward, pace), ((2, 0), group.failure_rate(1))]

    return explore_chain((0, 0), moves)


class Array(NamedTuple):
    """Equal groups of disks that hold the data of 100 disks together."""

    group: DiskGroup
    groups: float


_INEXPENSIVE = (30_000 * HOUR,) * 2
"""Mean life of the small disk in Patterson, Gibson and Katz (1988), section 5."""

MIRRORED = Array(DiskGroup(2, _INEXPENSIVE, HOUR), 100)
"""Level 1 of Patterson, Gibson and Katz: each disk twice; a repair takes 1 h."""

PARITY_OF_TEN = Array(DiskGroup(11, _INEXPENSIVE, HOUR), 10)
"""Their level 3 with 10 data disks and one check disk a group."""

PARITY_OF_25 = Array(DiskGroup(26, _INEXPENSIVE, HOUR), 4)
"""Their level 3 with 25 data disks and one check disk a group."""

_FAILING_TOGETHER = (200_000 * HOUR, 20_000 * HOUR, 2_000 * HOUR)
"""Mean lives in Chen et al. (1994) of a disk, and after one and two others have failed."""

SURVEY_PARITY = Array(DiskGroup(16, _FAILING_TOGETHER[:2], HOUR), 100 / 15)
"""Level 5 of Chen et al.: groups of 16, of which one holds parity."""

SURVEY_TWO_CHECKS = Array(DiskGroup(16, _FAILING_TOGETHER, HOUR), 100 / 14)
"""Their P + Q array: groups of 16, of which two hold check data."""
