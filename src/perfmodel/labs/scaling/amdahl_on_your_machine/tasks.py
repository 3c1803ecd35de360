"""Tasks: apply the law to cores, pay for a start, and make a job faster."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.scaling.amdahl_on_your_machine.job import LARGEST, checksum, step
from perfmodel.scaling import amdahl_limit, amdahl_speedup
from perfmodel.tasks import Faster, Mistake, Task

CHAINED, FREE = 2_000, 8_000
"""Steps of the job that is timed: a fifth of it is serial."""


def in_arrays(chained: int, free: int) -> int:
    """Return what `checksum` does, with all free steps in one array."""
    state = 1
    for i in range(chained):
        state = step(LARGEST - state) ^ i
    states = np.uint64(LARGEST) - np.arange(free, dtype=np.uint64)
    return state ^ int(np.bitwise_xor.reduce(step(states)))


law_on_cores = Task(
    "The law on the cores that you have",
    reference=lambda serial, processes, cores: 1 / (serial + (1 - serial) / min(processes, cores)),
    cases=[(0.1, 2, 4), (0.1, 8, 4), (0.25, 3, 1)],
    mistakes=[
        Mistake(
            "processes for processors",
            lambda serial, processes, cores: amdahl_speedup(serial, processes),
            "Your line assumes one processor for each process. Four processes on two cores take "
            "turns. How many processors work for them?",
        ),
        Mistake(
            "all cores always",
            lambda serial, processes, cores: amdahl_speedup(serial, cores),
            "Your line assumes that all cores work. Two processes can't keep four cores busy.",
        ),
        Mistake(
            "the larger of the two",
            lambda serial, processes, cores: amdahl_speedup(serial, max(processes, cores)),
            "You took the larger of the two numbers. The smaller one limits the speedup.",
        ),
    ],
    hint="Use equation (1) with the smaller of the two numbers.",
    right="The table below compares your measurement with this speedup. The difference is the gap.",
)

jobs_until_paid = Task(
    "Jobs until the workers have paid for their start",
    reference=lambda startup, alone, speedup: startup / (alone - alone / speedup),
    cases=[(0.3, 0.1, 2.0), (2.0, 0.5, 1.25)],
    mistakes=[
        Mistake(
            "whole job gained",
            lambda startup, alone, speedup: startup / alone,
            "You divided by the whole time of a job. With workers a job still takes T(1)/S, so "
            "it gains only the difference.",
        ),
        Mistake(
            "job of a second",
            lambda startup, alone, speedup: startup / (1 - 1 / speedup),
            "Your line is right only if a job takes one second on one process. Use `alone`.",
        ),
        Mistake(
            "time with workers",
            lambda startup, alone, speedup: startup / (alone / speedup),
            "You divided by the time that a job takes with workers. What does each job gain?",
        ),
        Mistake(
            "speedup as gain",
            lambda startup, alone, speedup: startup / (alone * (speedup - 1)),
            "You used S - 1 times the old time as the gain. The new time is the old time divided "
            "by S.",
        ),
    ],
    hint="A job gains T(1) - T(1)/S seconds. How many gains make one start-up?",
    right="As the speedup approaches 1, the number grows without limit. Then the start never pays.",
    unit="jobs",
)

faster_checksum = Faster(
    "Make the free steps faster",
    given=checksum,
    cases=[(0, 3), (3, 0), (5, 7), (CHAINED, FREE)],
    reference=in_arrays,
    bound=lambda: float(amdahl_limit(CHAINED / (CHAINED + FREE))),
    aim=3.0,
    model="Amdahl's law",
    mistakes=[
        Mistake(
            "chain left out",
            lambda chained, free: checksum(0, free),
            "The chain is missing. It can't be split, but the result needs it.",
        ),
        Mistake(
            "free steps left out",
            lambda chained, free: checksum(chained, 0),
            "The free steps are missing. Add their states to the result.",
        ),
        Mistake(
            "one short",
            lambda chained, free: checksum(chained, max(free - 1, 0)),
            "One free step is missing. The states run from LARGEST - 0 to LARGEST - (free - 1).",
        ),
    ],
    hint="`step` takes arrays, too. The array of all free states is `np.uint64(LARGEST) - "
    "np.arange(free, dtype=np.uint64)`. Combine the results with `np.bitwise_xor.reduce`, and "
    "convert the total with `int`.",
    right="The chain takes 20 % of the old time, however fast the free steps become.",
)
