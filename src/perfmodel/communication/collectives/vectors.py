"""A collective on the vectors of its ranks: cut into blocks, sent, and put together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.communication.collectives.schedule import (
    CollectiveRun,
    CollectiveSchedule,
    block_sizes,
    run_schedule,
)

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class CollectiveResult:
    """Vectors that the ranks end with, and what was sent on the way."""

    vectors: tuple[Array | None, ...]
    """Of each rank; None for the ranks that a reduction leaves with nothing."""
    run: CollectiveRun


def run_collective(schedule: CollectiveSchedule, vectors: Sequence[ArrayLike]) -> CollectiveResult:
    """Run a schedule on the vectors of its ranks.

    Parameters
    ----------
    schedule : CollectiveSchedule
    vectors : sequence of array_like
        One-dimensional, of each rank, of one length and type. Of an all-gather they are the parts
        and may have several lengths; of a broadcast only the root's counts. NaN and infinity are
        passed on and added as they are.

    Returns
    -------
    CollectiveResult
        A broadcast ends with the root's vector everywhere, a reduction with the sum (at the root,
        or everywhere, or each rank with its block of it), an all-gather with all parts one behind
        another, an all-to-all with the block of each rank that was meant for this one.

    Raises
    ------
    ValueError
        If there isn't one vector for each rank, or their shapes don't fit.

    Examples
    --------
    >>> from perfmodel.communication import collective_schedule
    >>> ring = collective_schedule("all-reduce", "ring", 3)
    >>> result = run_collective(ring, [[1, 2], [10, 20], [100, 200]])
    >>> [vector.tolist() for vector in result.vectors]
    [[111, 222], [111, 222], [111, 222]]
    """
    arrays = [np.asarray(vector) for vector in vectors]
    _check(schedule, arrays)
    run = run_schedule(schedule, _cut(schedule, arrays))
    return CollectiveResult(tuple(_joined(schedule, run, rank) for rank in _ranks(schedule)), run)


def _check(schedule: CollectiveSchedule, arrays: Sequence[Array]) -> None:
    if len(arrays) != schedule.ranks:
        raise ValueError(f"vectors must be of {schedule.ranks} ranks, got {len(arrays)}")
    if any(array.ndim != 1 for array in arrays):
        shapes = [array.shape for array in arrays]
        raise ValueError(f"vectors must be one-dimensional, got shapes {shapes}")
    lengths = {array.size for array in arrays}
    if schedule.collective != "all-gather" and len(lengths) > 1:
        raise ValueError(f"vectors must have one length, got {sorted(lengths)}")


def _ranks(schedule: CollectiveSchedule) -> range:
    return range(schedule.ranks)


def _cut(schedule: CollectiveSchedule, arrays: Sequence[Array]) -> list[dict[int, Array]]:
    if schedule.collective == "all-gather":
        return [{rank: array} for rank, array in enumerate(arrays)]
    ends = np.cumsum(block_sizes(arrays[0].size, schedule.blocks))[:-1]
    cut = [dict(enumerate(np.split(array, ends))) for array in arrays]
    if schedule.collective == "all-to-all":
        count = schedule.ranks
        return [
            {rank * count + other: block for other, block in own.items()}
            for rank, own in enumerate(cut)
        ]
    if schedule.collective == "broadcast":
        return [own if rank == schedule.root else {} for rank, own in enumerate(cut)]
    return cut


def _joined(schedule: CollectiveSchedule, run: CollectiveRun, rank: int) -> Array | None:
    if schedule.collective == "reduce" and rank != schedule.root:
        return None
    labels: Sequence[int] = range(schedule.blocks)
    if schedule.collective == "reduce-scatter":
        labels = (rank,)
    if schedule.collective == "all-to-all":
        labels = [other * schedule.ranks + rank for other in _ranks(schedule)]
    return np.concatenate([run.final_blocks[rank][label] for label in labels])
