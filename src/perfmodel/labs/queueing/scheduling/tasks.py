"""What the reader does: a schedule by hand, and the rank of a job of unknown size."""

from __future__ import annotations

import numpy as np

from perfmodel.queueing import departures
from perfmodel.tasks import Mistake, Task

COME, NEED = (0, 3, 4), (6, 4, 1)

by_hand = Task(
    "Least work first, by hand",
    reference=lambda: departures([0, 3, 4], [6, 4, 1], "SRPT"),
    mistakes=[
        Mistake(
            "no interruption",
            lambda: departures(COME, NEED, "SJF"),
            "You let the long job finish. SRPT may interrupt: look again at 4 s.",
        ),
        Mistake(
            "original sizes",
            lambda: departures(COME, NEED, "PSJF"),
            "You compared the original sizes. At 3 s the first job has only 3 s left, and the "
            "second needs 4 s.",
        ),
        Mistake(
            "order of arrival",
            lambda: departures(COME, NEED, "FCFS"),
            "That is the order of arrival. At each arrival, ask which job has the least work left.",
        ),
        Mistake(
            "equal shares",
            lambda: departures(COME, NEED, "PS"),
            "That is processor sharing. Under SRPT one job at a time has the whole server.",
        ),
        Mistake(
            "response times",
            lambda: departures(COME, NEED, "SRPT") - COME,
            "You computed the response times, counted from each arrival. The task asks for the "
            "instants on the clock.",
        ),
        Mistake(
            "in order of leaving",
            lambda: np.sort(departures(COME, NEED, "SRPT")),
            "The instants are right. Give them in the order in which the jobs come.",
        ),
    ],
    hint="Go from event to event. Until 3 s the first job is alone. How much work has it left at "
    "3 s, and at 4 s?",
    right="At 3 s the new job needs 4 s and the first job has 3 s left, so the first job goes on. "
    "At 4 s it has 2 s left and the new job needs 1 s, so the new job runs.",
    tolerance=0.001,
    unit="s",
)

rank_of_two_sizes = Task(
    "The rank of a job that is short or long",
    reference=lambda short, long, chance: min(short / chance, chance * short + (1 - chance) * long),
    cases=[(1.0, 13.0, 0.5), (2.0, 3.0, 0.1), (0.01, 10.0, 0.02)],
    mistakes=[
        Mistake(
            "expected work",
            lambda short, long, chance: chance * short + (1 - chance) * long,
            "You computed the expected work. The server may also stop after `short` seconds. What "
            "does a completion cost then?",
        ),
        Mistake(
            "always stop early",
            lambda short, long, chance: short / chance,
            "Stopping after `short` seconds is one plan. If short jobs are rare, or hardly "
            "shorter, serving to the end costs less. Take the lower of the two.",
        ),
        Mistake(
            "short only",
            lambda short, long, chance: min(short, chance * short + (1 - chance) * long),
            "After `short` seconds the job is done only with the probability `chance`. How many "
            "seconds does one completion take on average?",
        ),
        Mistake(
            "product",
            lambda short, long, chance: min(chance * short, chance * short + (1 - chance) * long),
            "The server spends the work whether or not the job gets done. Divide by the "
            "probability, don't multiply.",
        ),
        Mistake(
            "the larger",
            lambda short, long, chance: max(short / chance, chance * short + (1 - chance) * long),
            "You took the more expensive plan. The rank is the lower of the two.",
        ),
    ],
    hint="Plan 1 serves for `short` seconds, and then the job is done with probability `chance`. "
    "Plan 2 serves to the end: it always completes the job and takes the expected size. Divide "
    "work by completions for each plan, and take the lower result.",
    right="For 1 s or 13 s the rank is 2 s. An old job with 4 s left has the rank 4 s, so the new "
    "job goes first, although it needs 7 s on average.",
    unit="s",
)
