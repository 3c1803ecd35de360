"""Tasks: warps for a program, the compiler's stall count, and a queue of loads."""

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
        "largest stall: You took the largest stall count, but the others are shorter. How long "
        "does a warp wait for an instruction on average?",
        lambda stalls: np.mean(stalls),
        "not rounded: The number of warps must be whole. Round up.",
        lambda stalls: math.floor(np.mean(stalls)),
        "rounded down: You rounded down. With 2 warps and 2.5 cycles an instruction, 20 % of the "
        "cycles stay empty. Round up.",
        lambda stalls: math.floor(np.mean(stalls)) + 1,
        "one more always: If the mean is a whole number, you have one warp too many.",
        lambda stalls: sum(stalls),
        "sum: You computed the time of one warp for all its instructions. Divide by their number.",
    ),
    hint="A warp issues `len(stalls)` instructions in `sum(stalls)` cycles. How many such warps "
    "fill all cycles?",
    right="Stalls of 1 and 4 in turn need three warps. In the next experiment three warps rotate.",
    unit="warps",
)

stall_count = Task(
    "The stall count that the compiler has to write",
    reference=lambda latency, between: max(1, latency - between),
    cases=[(4, 0), (4, 2), (4, 7), (11, 3)],
    mistakes=mistakes(
        lambda latency, between: latency,
        "instructions between not counted: Your stall count is safe but too large. The "
        "instructions in between already take a cycle each.",
        lambda latency, between: latency - between,
        "below one: Your stall count can be below 1. It is at least 1, because an instruction "
        "takes a cycle.",
        lambda latency, between: max(0, latency - between),
        "never stalls: Your stall count can be 0. It is at least 1, because an instruction takes a "
        "cycle.",
        lambda latency, between: max(1, latency - between - 1),
        "one too few: Your stall count is one too small. The reader would issue one cycle before "
        "the result is ready, and would read the old value.",
        lambda latency, between: max(1, latency - between + 1),
        "one too many: Your stall count is safe but one too large. The result can be read "
        "`latency` cycles after the issue.",
    ),
    hint="The reader issues `stall + between` cycles after the writer, and must not issue before "
    "`latency` cycles have passed.",
    right="A compiler for these GPUs does this for every instruction of known latency. With one "
    "cycle less, the program is wrong, and nothing reports it.",
    unit="cycles",
)

last_load = Task(
    "When the last load issues",
    reference=lambda active, loads: 13 + 2 * (active - 1) + (loads - 6) * max(4, 2 * active),
    cases=[(1, 8), (4, 8), (2, 20), (4, 10)],
    mistakes=mistakes(
        lambda active, loads: 13 + (loads - 6) * max(4, 2 * active),
        "first sub-core's: You computed the sub-core that is served first. Each later sub-core "
        "issues its sixth load two cycles later.",
        lambda active, loads: 13 + 2 * active + (loads - 6) * max(4, 2 * active),
        "one sub-core too many: The first sub-core issues its sixth load at 13. Count only the "
        "others after it.",
        lambda active, loads: 13 + 2 * (active - 1) + (loads - 6) * 4,
        "address unit alone: You used 4 cycles between two loads. With more than two active "
        "sub-cores the shared stage is slower. Use equation (2).",
        lambda active, loads: 13 + 2 * (active - 1) + (loads - 6) * 2 * active,
        "shared stage alone: You used only the shared stage. For a single sub-core its own address "
        "unit is slower. Equation (2) is a maximum.",
        lambda active, loads: 13 + 2 * (active - 1) + (loads - 5) * max(4, 2 * active),
        "one gap too many: You counted one gap too many. The sixth load issues at 13, and each "
        "later load one gap after the previous one.",
    ),
    hint="On the first sub-core the sixth load issues at 13, and on each further sub-core 2 cycles "
    "later. After that, equation (2) gives the gap between loads.",
    right="Five constants give the paper's table for any number of loads.",
)
