"""What the reader does: warps for a program, the compiler's stall count, and a queue of loads."""

from __future__ import annotations

import math

import numpy as np

from perfmodel.tasks import Mistake, Task

warps_needed = Task(
    "Warps that a program needs",
    reference=lambda stalls: math.ceil(np.mean(stalls)),
    cases=[([1, 4],), ([4, 4, 4],), ([1, 1, 1, 2, 9, 1],)],
    mistakes=[
        Mistake(
            "largest stall",
            lambda stalls: max(stalls),
            "You took the largest stall count. The others are shorter: what does a warp wait for "
            "an instruction on average?",
        ),
        Mistake(
            "not rounded",
            lambda stalls: np.mean(stalls),
            "There are no parts of warps: round up.",
        ),
        Mistake(
            "rounded down",
            lambda stalls: math.floor(np.mean(stalls)),
            "Rounded down it falls short: with 2 warps and 2.5 cycles an instruction a fifth of "
            "the cycles stays empty.",
        ),
        Mistake(
            "one more always",
            lambda stalls: math.floor(np.mean(stalls)) + 1,
            "Where the mean is a whole number, that is one warp more than needed.",
        ),
        Mistake(
            "sum",
            lambda stalls: sum(stalls),
            "That is the time that one warp takes for all its instructions, of which it issues "
            "more than one.",
        ),
    ],
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
    mistakes=[
        Mistake(
            "instructions between not counted",
            lambda latency, between: latency,
            "That is safe and slow: the instructions in between take a cycle each, in which the "
            "result is on its way.",
        ),
        Mistake(
            "below one",
            lambda latency, between: latency - between,
            "A stall count is 1 at least: an instruction takes its cycle.",
        ),
        Mistake(
            "never stalls",
            lambda latency, between: max(0, latency - between),
            "A stall count is 1 at least: an instruction takes its cycle.",
        ),
        Mistake(
            "one too few",
            lambda latency, between: max(1, latency - between - 1),
            "One too few: the reader would issue in the last cycle before the result is there, and "
            "would read the old value.",
        ),
        Mistake(
            "one too many",
            lambda latency, between: max(1, latency - between + 1),
            "That is safe, and wastes a cycle: the result can be read `latency` cycles after the "
            "issue.",
        ),
    ],
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
    mistakes=[
        Mistake(
            "first sub-core's",
            lambda active, loads: 13 + (loads - 6) * max(4, 2 * active),
            "That is the sub-core which is served first. The last one gets its sixth load away two "
            "cycles later for each that is served before it.",
        ),
        Mistake(
            "one sub-core too many",
            lambda active, loads: 13 + 2 * active + (loads - 6) * max(4, 2 * active),
            "The sub-core served first has its sixth load at 13; count the others after it.",
        ),
        Mistake(
            "address unit alone",
            lambda active, loads: 13 + 2 * (active - 1) + (loads - 6) * 4,
            "That has 4 cycles between two loads. With more than two active sub-cores the shared "
            "stage is slower: equation (2).",
        ),
        Mistake(
            "shared stage alone",
            lambda active, loads: 13 + 2 * (active - 1) + (loads - 6) * 2 * active,
            "A sub-core alone is held up by its own address unit: equation (2) is a maximum.",
        ),
        Mistake(
            "one gap too many",
            lambda active, loads: 13 + 2 * (active - 1) + (loads - 5) * max(4, 2 * active),
            "Count the gaps: the sixth load issues at 13, and each load after it one gap later.",
        ),
    ],
    hint="On the sub-core served first the sixth load issues at 13, on each further one 2 cycles "
    "later. From then on equation (2) gives the gap from load to load.",
    right="Five constants, and the table of the paper for any number of loads.",
)
