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
            "You let the long job finish once it was begun. SRPT may interrupt: look again at 4 s.",
        ),
        Mistake(
            "original sizes",
            lambda: departures(COME, NEED, "PSJF"),
            "You compared the sizes that the jobs came with. At 3 s the first job has only 3 s "
            "left, and the second needs 4 s.",
        ),
        Mistake(
            "order of arrival",
            lambda: departures(COME, NEED, "FCFS"),
            "That is the order of arrival. Ask at each arrival who has the least work left.",
        ),
        Mistake(
            "equal shares",
            lambda: departures(COME, NEED, "PS"),
            "That is processor sharing. Under SRPT one job at a time has the whole server.",
        ),
        Mistake(
            "response times",
            lambda: departures(COME, NEED, "SRPT") - COME,
            "Those are the response times, counted from each arrival. Asked for are the instants "
            "on the clock.",
        ),
        Mistake(
            "in order of leaving",
            lambda: np.sort(departures(COME, NEED, "SRPT")),
            "The instants are right. Give them in the order in which the jobs come.",
        ),
    ],
    hint="Walk from event to event. Until 3 s the first job is alone: what has it left then, and "
    "at 4 s?",
    right="At 3 s the newcomer needs 4 s and the first job has 3 s left: it stays. At 4 s it has "
    "2 s left and the newcomer needs 1 s: it steps back. What counts is the work left.",
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
            "That is the expected work, as SERPT has it. You may also stop after `short` seconds: "
            "what does a completion cost then?",
        ),
        Mistake(
            "always stop early",
            lambda short, long, chance: short / chance,
            "Stopping after `short` seconds is one plan. Where short jobs are rare, or hardly "
            "shorter, serving to the end costs less: take the lower of the two.",
        ),
        Mistake(
            "short only",
            lambda short, long, chance: min(short, chance * short + (1 - chance) * long),
            "You spend `short` seconds, and only with the probability `chance` is the job done "
            "then. So how many seconds for one completion?",
        ),
        Mistake(
            "product",
            lambda short, long, chance: min(chance * short, chance * short + (1 - chance) * long),
            "The work is spent whether or not the job gets done: divide by the chance, don't "
            "multiply.",
        ),
        Mistake(
            "the larger",
            lambda short, long, chance: max(short / chance, chance * short + (1 - chance) * long),
            "You took the more expensive of the two plans. The rank is the least of them.",
        ),
    ],
    hint="Two plans: serve for `short` seconds, after which the job is done with probability "
    "`chance`; or serve to the end, which always completes it and takes the expected size. Work "
    "over completions, the lower of the two.",
    right="For 1 s or 13 s it gives 2 s, less than the 4 s of a long job that has had 9 s. The "
    "rank asks for the best return on a stretch of service, not for the whole job.",
    unit="s",
)
