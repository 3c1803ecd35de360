"""What the reader does: warps for a program, the compiler's stall count, and a queue of loads."""

from __future__ import annotations

import math

import numpy as np

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

warps_needed = Task(
    "Warps that a program needs",
    reference=lambda stalls: math.ceil(np.mean(stalls)),
    cases=[([1, 4],), ([4, 4, 4],), ([1, 1, 1, 2, 9, 1],)],
    mistakes=mistakes(
        lambda stalls: max(stalls),
        "largest stall: You took the largest stall count. The others are shorter: what does a warp "
        "wait for an instruction on average?",
        lambda stalls: np.mean(stalls),
        "not rounded: There are no parts of warps: round up.",
        lambda stalls: math.floor(np.mean(stalls)),
        "rounded down: Rounded down it falls short: with 2 warps and 2.5 cycles an instruction a "
        "fifth of the cycles stays empty.",
        lambda stalls: math.floor(np.mean(stalls)) + 1,
        "one more always: Where the mean is a whole number, that is one warp more than needed.",
        lambda stalls: sum(stalls),
        "sum: That is the time that one warp takes for all its instructions, of which it issues "
        "more than one.",
    ),
    hint="A warp issues `len(stalls)` instructions in `sum(stalls)` cycles. How many such warps "
    "fill all cycles?",
    right="Three warps for stalls of 1 and 4 in turn: look for three that rotate in the next "
    "experiment.",
    unit="warps",
)

stall_count = Task(
    "The stall count that the compiler has to write",
    reference=lambda latency, between: max(1, latency - between),
    cases=[(4, 0), (4, 2), (4, 7), (11, 3)],
    mistakes=mistakes(
        lambda latency, between: latency,
        "instructions between not counted: That is safe and slow: the instructions in between take "
        "a cycle each, in which the result is on its way.",
        lambda latency, between: latency - between,
        "below one: A stall count is 1 at least: an instruction takes its cycle.",
        lambda latency, between: max(0, latency - between),
        "never stalls: A stall count is 1 at least: an instruction takes its cycle.",
        lambda latency, between: max(1, latency - between - 1),
        "one too few: One too few: the reader would issue in the last cycle before the result is "
        "there, and would read the old value.",
        lambda latency, between: max(1, latency - between + 1),
        "one too many: That is safe, and wastes a cycle: the result can be read `latency` cycles "
        "after the issue.",
    ),
    hint="The reader issues `stall + between` cycles after the writer, and must not issue before "
    "`latency` cycles have passed.",
    right="This is what a compiler for these GPUs does at every instruction of known latency. One "
    "less, and the program is wrong without a word.",
    unit="cycles",
)

last_load = Task(
    "When the last load issues",
    reference=lambda active, loads: 13 + 2 * (active - 1) + (loads - 6) * max(4, 2 * active),
    cases=[(1, 8), (4, 8), (2, 20), (4, 10)],
    mistakes=mistakes(
        lambda active, loads: 13 + (loads - 6) * max(4, 2 * active),
        "first sub-core's: That is the sub-core which is served first. The last one gets its sixth "
        "load away two cycles later for each that is served before it.",
        lambda active, loads: 13 + 2 * active + (loads - 6) * max(4, 2 * active),
        "one sub-core too many: The sub-core served first has its sixth load at 13; count the "
        "others after it.",
        lambda active, loads: 13 + 2 * (active - 1) + (loads - 6) * 4,
        "address unit alone: That has 4 cycles between two loads. With more than two active "
        "sub-cores the shared stage is slower: equation (2).",
        lambda active, loads: 13 + 2 * (active - 1) + (loads - 6) * 2 * active,
        "shared stage alone: A sub-core alone is held up by its own address unit: equation (2) is "
        "a maximum.",
        lambda active, loads: 13 + 2 * (active - 1) + (loads - 5) * max(4, 2 * active),
        "one gap too many: Count the gaps: the sixth load issues at 13, and each load after it one "
        "gap later.",
    ),
    hint="On the sub-core served first the sixth load issues at 13, on each further one 2 cycles "
    "later. From then on equation (2) gives the gap from load to load.",
    right="Five constants, and the table of the paper for any number of loads.",
)
