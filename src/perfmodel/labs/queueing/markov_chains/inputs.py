"""Arrays after the papers: disks in a group, their lives, and the repair; see `claims`."""

from __future__ import annotations

from typing import NamedTuple

from perfmodel.labs.queueing.markov_chains.disk_arrays import HOUR, DiskGroup


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
