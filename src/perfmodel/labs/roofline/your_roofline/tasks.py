"""What the reader does: count the bytes of a loop, move fewer, and count the sums of a dot."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Faster, Task
from perfmodel.validation import Floats

LARGE = 2**22 + 5
"""Elements of the arrays that are timed: 32 MiB each, more than most caches hold, and no multiple
of a power of two, so that blocks leave a rest."""
PASSES, ONCE = 24 + 24 + 16 + 8, 8 + 8
"""Bytes an element that `four_passes` moves, and those that any way must move."""


def four_passes(b: Floats, c: Floats, work: Floats) -> float:
    """Return the sum of (b + 3 c)², one operation on whole arrays after the other."""
    np.multiply(c, 3.0, out=work)
    np.add(b, work, out=work)
    np.multiply(work, work, out=work)
    return float(work.sum())


def in_blocks(b: Floats, c: Floats, work: Floats) -> float:
    """Return what `four_passes` does, block by block, each finished while it is in the cache."""
    total = 0.0
    for start in range(0, b.size, 16_384):
        own = slice(start, start + 16_384)
        part = work[: b[own].size]
        np.multiply(c[own], 3.0, out=part)
        part += b[own]
        total += float(part @ part)
    return total


def _arrays(size: int) -> tuple[Floats, Floats, Floats]:
    return np.linspace(0.0, 1.0, size), np.linspace(2.0, 1.0, size), np.zeros(size)


moved_bytes = Task(
    "Bytes that a loop must move",
    reference=lambda n, read, overwritten, updated: 8 * n * (read + 2 * overwritten + 2 * updated),
    cases=[(1000, 2, 1, 0), (1000, 1, 0, 1), (500, 3, 2, 2)],
    mistakes=mistakes(
        lambda n, read, overwritten, updated: 8 * n * (read + overwritten + 2 * updated),
        "overwritten lines not read: A line that is overwritten is read first (assumption 2). Only "
        "streaming stores, which go round the caches, avoid that.",
        lambda n, read, overwritten, updated: 8 * n * (read + 2 * overwritten + 3 * updated),
        "updated lines read twice: An array that is updated has been read when it is written: its "
        "line is there already.",
        lambda n, read, overwritten, updated: 8 * n * (read + 2 * overwritten + updated),
        "updates once: In a[i] += b[i] the array a is read, and it is written, too.",
        lambda n, read, overwritten, updated: 8 * n * (read + overwritten + updated),
        "each array once: Each array once is what the text of the loop names. What is written has "
        "to be there first, and has to go back.",
        lambda n, read, overwritten, updated: n * (read + 2 * overwritten + 2 * updated),
        "numbers, not bytes: That counts numbers. One in double precision has 8 bytes.",
    ),
    hint="Arrays that are only read move once. How often do those move that are overwritten, and "
    "those of which the loop needs the old value, too?",
    right="So a[i] += 3 c[i] moves 24 bytes an element where a[i] = b[i] + 3 c[i] moves 32, with "
    "the same two operations.",
    unit="bytes",
)

fewer_bytes = Faster(
    "Move fewer bytes",
    given=four_passes,
    cases=[_arrays(7), _arrays(100), _arrays(LARGE)],
    reference=in_blocks,
    bound=lambda: PASSES / ONCE,
    aim=1.5,
    model="the roofline",
    mistakes=mistakes(
        lambda b, c, work: four_passes(*(x[: b.size // 2**15 * 2**15] for x in (b, c, work))),
        "rest left out: What is left behind the last full block is missing: the size is no "
        "multiple of your block's.",
        lambda b, c, work: four_passes(*(x[b.size // 2**15 * 2**15 :] for x in (b, c, work))),
        "last block alone: That is the sum of the last block alone. Add up the blocks' sums.",
        lambda b, c, work: float((b + 3 * c).sum()) ** 2,
        "square of the sum: You squared the sum. Asked for is the sum of the squares.",
        lambda b, c, work: float((b + 3 * c).sum()),
        "not squared: The square is missing.",
    ),
    hint="Take some 16,000 elements at a time through all operations: `own = slice(start, start + "
    "16_384)`, then the same lines on `b[own]`, `c[own]` and a piece of `work` of their size, "
    "which stays in the cache. Or write one loop over the elements in a function under "
    "`@numba.njit(fastmath=True)`.",
    right="Same operations, same memory: what changed is how often the data went through it.",
)

sums_at_once = Task(
    "Sums that a dot product needs at once",
    reference=lambda latency, starts, lanes: latency * starts * lanes,
    cases=[(4, 2, 8), (3, 1, 4), (5, 2, 2)],
    mistakes=mistakes(
        lambda latency, starts, lanes: latency * starts,
        "registers, not numbers: That counts vector registers. Each holds a sum in every lane.",
        lambda latency, starts, lanes: latency * lanes,
        "one a cycle: That keeps the core busy if it starts one instruction a cycle. This one "
        "starts more.",
        lambda latency, starts, lanes: starts * lanes,
        "vectors only: That many numbers start in one cycle. In the next one, too, while the first "
        "results aren't there yet: what of the latency?",
        lambda latency, starts, lanes: 2 * latency * starts * lanes,
        "operations: That counts operations, two a number. Asked for are sums.",
    ),
    hint="How many instructions start before the first has its result, and how many numbers does "
    "each work on?",
    right="That is Little's law: work under way is rate times latency. A dot in order keeps one "
    "sum under way, and so gets one part in 64 of the peak where 64 are needed.",
    unit="sums",
)
