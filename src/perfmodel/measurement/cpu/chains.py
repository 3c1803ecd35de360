"""Several pointer chases at once: how many loads a core keeps on their way.

One chase waits for each load; k independent chases wait for k loads at a time, until the core has
no room for another line in flight. Where the time of a load stops falling is that room, seen from
outside.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from perfmodel.measurement.cpu.pinned_threads import PinnedThreads
from perfmodel.measurement.runs import Runs
from perfmodel.validation import whole

WORDS = 8
"""Eight-byte words of a line."""


def cycle(size: int, seed: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return indices that lead once through every line of `size` bytes, and the order of the walk.

    The first array has a word for every 8 bytes: at each line's first one the index of the next
    line's.

    >>> following, order = cycle(256)
    >>> bool((following[order] == np.roll(order, -1)).all())
    True
    """
    count = whole("size", size, 128) // 64
    order = np.random.default_rng(seed).permutation(count).astype(np.int64) * WORDS
    following = np.zeros(count * WORDS, dtype=np.int64)
    following[order] = np.roll(order, -1)
    return following, order


def measure_chains(
    size: int, chains: Sequence[int], threads: PinnedThreads, runs: int = 20, seconds: float = 2e-3
) -> list[Runs]:
    """Measure the loads a second of several independent walks, one `Runs` for each number of them.

    The working set has `size` bytes, `chains` lists numbers of walks up to its lines, `threads` is
    one thread, and the best of `runs` runs of about `seconds` seconds counts.
    """
    from perfmodel.measurement.cpu.pointer_chase import chase_pointers

    if len(threads) != 1:
        raise ValueError(f"threads must be one thread, got {len(threads)}")
    following, order = cycle(size)
    measured = []
    for count in chains:
        if whole("chains", count, 1) > order.size:
            raise ValueError(f"chains must be at most the {order.size} lines, got {count}")
        indices = order[:: order.size // count][:count].copy()
        steps, times = threads.short_runs(
            lambda _, n: chase_pointers(following, indices, n),  # noqa: B023
            seconds,
            runs,
        )
        measured.append(
            Runs(f"{count} at once", float(steps * count), "loads", times, 1, threads.pinned)
        )
    return measured
