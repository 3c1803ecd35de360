"""Tasks: count the bytes of a loop, move fewer bytes, and count the sums of a dot product."""

from __future__ import annotations

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Faster, Task
from perfmodel.validation import Floats

LARGE = 2**22 + 5
"""Elements of the arrays that are timed, 32 MiB each. Most caches are smaller. The number isn't a
multiple of a power of two, so blocks leave a remainder."""
PASSES, ONCE = 24 + 24 + 16 + 8, 8 + 8
"""Bytes an element that `four_passes` moves, and bytes that any function must move."""


def four_passes(b: Floats, c: Floats, work: Floats) -> float:
    """Return the sum of (b + 3 c)², with four operations on whole arrays."""
    np.multiply(c, 3.0, out=work)
    np.add(b, work, out=work)
    np.multiply(work, work, out=work)
    return float(work.sum())


def in_blocks(b: Floats, c: Floats, work: Floats) -> float:
    """Return the result of `four_passes`, computed in blocks that stay in the cache."""
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
        "streaming stores, which bypass the caches, avoid this read.",
        lambda n, read, overwritten, updated: 8 * n * (read + 2 * overwritten + 3 * updated),
        "updated lines read twice: The loop reads an updated array itself, so its line is already "
        "in the cache when the loop writes it.",
        lambda n, read, overwritten, updated: 8 * n * (read + 2 * overwritten + updated),
        "updates once: You counted updated arrays once. In a[i] += b[i] the array a is read and "
        "written.",
        lambda n, read, overwritten, updated: 8 * n * (read + overwritten + updated),
        "each array once: You counted each array once. But a written line is read first, and "
        "written back later.",
        lambda n, read, overwritten, updated: n * (read + 2 * overwritten + 2 * updated),
        "numbers, not bytes: You counted numbers. A number in double precision has 8 bytes.",
    ),
    hint="Arrays that are only read move once. How often does an overwritten array move? How often "
    "does an updated array move?",
    right="For example, a[i] += 3 c[i] moves 24 bytes an element and a[i] = b[i] + 3 c[i] moves "
    "32. Both do two operations.",
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
        "rest left out: The elements after the last full block are missing. The size of the arrays "
        "isn't a multiple of your block size.",
        lambda b, c, work: four_passes(*(x[b.size // 2**15 * 2**15 :] for x in (b, c, work))),
        "last block alone: Your result is the sum of the last block only. Add the sums of all "
        "blocks.",
        lambda b, c, work: float((b + 3 * c).sum()) ** 2,
        "square of the sum: You squared the sum. The function returns the sum of the squares.",
        lambda b, c, work: float((b + 3 * c).sum()),
        "not squared: The square is missing. Square each term before you add it.",
    ),
    hint="Take about 16,000 elements at a time through all operations. Set `own = slice(start, "
    "start + 16_384)`, and apply the same lines to `b[own]`, `c[own]` and a piece of `work` of "
    "the same size, which stays in the cache. Or write one loop over the elements in a function "
    "with `@numba.njit(fastmath=True)`.",
    right="The operations and the memory are the same. But the data now move through memory less "
    "often.",
)

sums_at_once = Task(
    "Sums that a dot product needs at once",
    reference=lambda latency, starts, lanes: latency * starts * lanes,
    cases=[(4, 2, 8), (3, 1, 4), (5, 2, 2)],
    mistakes=mistakes(
        lambda latency, starts, lanes: latency * starts,
        "registers, not numbers: You counted vector registers. Each holds a sum in every lane.",
        lambda latency, starts, lanes: latency * lanes,
        "one a cycle: Your number is right for a core that starts one instruction a cycle. This "
        "core starts `starts` of them.",
        lambda latency, starts, lanes: starts * lanes,
        "vectors only: You counted the numbers that start in one cycle. More start before the "
        "first results arrive. Use the latency.",
        lambda latency, starts, lanes: 2 * latency * starts * lanes,
        "operations: You counted operations, two for each number. The task asks for sums.",
    ),
    hint="How many instructions start before the first has its result? How many numbers does each "
    "of them work on?",
    right="This is Little's law: work in progress is rate times latency. A dot product in order "
    "keeps one sum in progress. Where 64 are needed, it reaches 1/64 of the peak.",
    unit="sums",
)
