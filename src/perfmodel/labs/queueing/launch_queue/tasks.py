"""What the reader does: Lindley's line, what a faster GPU buys, and the chain worth fusing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from perfmodel.tasks import Mistake, Task
from perfmodel.validation import Floats

faster_gpu = Task(
    "What a faster GPU buys",
    reference=lambda cost, duration, faster: max(cost, duration) / max(cost, duration / faster),
    cases=[(8.0, 24.0, 2.0), (8.0, 10.0, 3.0), (8.0, 4.0, 3.0)],
    mistakes=[
        Mistake(
            "the GPU alone",
            lambda cost, duration, faster: faster,
            "The kernels get that much faster. But the CPU still launches one every `cost` "
            "microseconds.",
        ),
        Mistake(
            "times added up",
            lambda cost, duration, faster: (cost + duration) / (cost + duration / faster),
            "You added the CPU's time and the GPU's time. They work at the same time, and the "
            "slower side sets the pace.",
        ),
        Mistake(
            "no launches afterwards",
            lambda cost, duration, faster: max(cost, duration) / (duration / faster),
            "After the upgrade the CPU may be the slower side. Take the larger time there too.",
        ),
        Mistake(
            "no launches before",
            lambda cost, duration, faster: duration / max(cost, duration / faster),
            "Before the upgrade the CPU may already be the slower side. Then a faster GPU changes "
            "nothing.",
        ),
    ],
    hint="For many kernels the latency in (3) is n times the larger of cost and duration. Compute "
    "it before and after the upgrade.",
    right="So a GPU three times as fast can answer in the same 2.4 ms. The batch and the cost of a "
    "launch tell you before you buy it.",
    unit="times",
)


def kernel_starts(launches: Floats, durations: Floats, earliest: float) -> Floats:
    """Return when kernels start, in seconds, by equation (1)."""
    start = launches + earliest
    for i in range(1, len(start)):
        start[i] = max(launches[i] + earliest, start[i - 1] + durations[i - 1])
    return start


def _path(line: Callable[..., float]) -> Callable[..., Floats]:
    def starts(launches: Floats, durations: Floats, earliest: float) -> Floats:
        start = launches + earliest
        for i in range(1, len(start)):
            start[i] = line(i, start, launches, durations, earliest)
        return start

    return starts


path = Task(
    "Lindley's line",
    reference=kernel_starts,
    cases=[
        (np.array([0.0, 8.0, 16.0, 24.0]), np.array([4.0, 30.0, 2.0, 5.0]), 2.0),
        (np.array([0.0, 1.0, 2.0, 30.0]), np.array([6.0, 3.0, 1.0, 1.0]), 0.5),
    ],
    mistakes=[
        Mistake(
            "never idle",
            _path(lambda i, start, a, d, t0: start[i - 1] + d[i - 1]),
            "You let a kernel start before its launch. Take the later of two instants.",
        ),
        Mistake(
            "own duration",
            _path(lambda i, start, a, d, t0: max(a[i] + t0, start[i - 1] + d[i])),
            "You used the kernel's own duration. It waits for the kernel before: `durations[i - "
            "1]`.",
        ),
        Mistake(
            "from the launch before",
            _path(lambda i, start, a, d, t0: max(a[i] + t0, a[i - 1] + d[i - 1])),
            "The kernel before may have waited too. It ends at its start plus its duration.",
        ),
        Mistake(
            "latency left out",
            _path(lambda i, start, a, d, t0: max(a[i], start[i - 1] + d[i - 1])),
            "You left out `earliest`. No kernel starts at its launch, but `earliest` later.",
        ),
        Mistake(
            "latency after the wait",
            _path(lambda i, start, a, d, t0: max(a[i], start[i - 1] + d[i - 1]) + t0),
            "The launch latency passes while the kernel waits. Don't add it to the wait.",
        ),
    ],
    hint="Equation (1) is the `max` of two instants: the launch plus `earliest`, and the end of "
    "the kernel before.",
    right="This line is the whole queue. Lindley found it in 1952 for any queue with one server, "
    "and it is exact for any launches and durations.",
)

shortest_chain = Task(
    "The chain that is long enough",
    reference=lambda cost, duration: np.ceil(cost / duration),
    cases=[(8.0, 2.0), (10.0, 4.0), (8.0, 3.0), (5.0, 20.0)],
    mistakes=[
        Mistake(
            "a kernel short",
            lambda cost, duration: np.floor(cost / duration),
            "At this length the fused kernel is still shorter than a launch. Round up.",
        ),
        Mistake(
            "no whole number",
            lambda cost, duration: cost / duration,
            "At this length both times are equal. A chain has a whole number of kernels.",
        ),
        Mistake(
            "one too many",
            lambda cost, duration: np.floor(cost / duration) + 1,
            "If the quotient is a whole number, that length is enough.",
        ),
        Mistake(
            "launches added up",
            lambda cost, duration: np.ceil(duration / cost),
            "A fused kernel has one launch and the duration of all its parts. Solve "
            "`length * duration >= cost`.",
        ),
    ],
    hint="A chain of `length` kernels costs the CPU one launch and the GPU `length * duration`. "
    "`np.ceil` rounds up.",
    right="At this length the GPU sets the pace, and longer chains save nothing. At ten times the "
    "batch a tenth of the length is enough.",
    unit="kernels",
)
