"""What the reader does: the groups' mean size from their members' answers, and a mean wait."""

from __future__ import annotations

import numpy as np

from perfmodel.tasks import Mistake, Task

mean_size = Task(
    "The mean flow, from packets alone",
    reference=lambda sizes: 1 / np.mean(1 / sizes),
    cases=[
        (np.array([1.0, 1.0, 2.0, 100.0, 100.0, 100.0]),),
        (np.array([10.0, 90.0, 90.0, 90.0, 90.0, 90.0, 90.0, 90.0, 90.0, 90.0]),),
    ],
    mistakes=[
        Mistake(
            "mean over the members",
            lambda sizes: np.mean(sizes),
            "You computed the mean over packets. A flow of 100 packets is 100 times as likely to "
            "be in your sample as a flow of one packet. Weight each answer by 1/size.",
        ),
        Mistake(
            "weighted once more",
            lambda sizes: (sizes**2).sum() / sizes.sum(),
            "You gave large flows more weight, but the sample already has too many of them.",
        ),
        Mistake(
            "mean of the reciprocals",
            lambda sizes: np.mean(1 / sizes),
            "You computed flows a packet. The task asks for packets a flow.",
        ),
        Mistake(
            "median",
            lambda sizes: np.median(sizes),
            "The median packet is in a large flow too. Weight each answer by 1/size.",
        ),
        Mistake(
            "values that differ",
            lambda sizes: np.mean(np.unique(sizes)),
            "Two packets with the same size may come from two flows. Keep all answers, and weight "
            "them.",
        ),
    ],
    hint="Each packet is 1/size of a flow. So n answers stand for sum(1/size) flows.",
    right="This is the harmonic mean. The same weights correct a survey of passengers, of students "
    "in courses, or of requests in sessions.",
    unit="packets",
)

mean_wait = Task(
    "The wait, from a timetable",
    reference=lambda gaps: (gaps**2).sum() / (2 * gaps.sum()),
    cases=[(np.array([1.0] * 9 + [91.0]),), (np.array([5.0, 10.0, 15.0, 30.0]),)],
    mistakes=[
        Mistake(
            "half the mean gap",
            lambda gaps: gaps.mean() / 2,
            "Half the mean gap is right only if all gaps are equal. Passengers are more often in a "
            "long gap.",
        ),
        Mistake(
            "the whole gap",
            lambda gaps: (gaps**2).sum() / gaps.sum(),
            "You computed the mean gap that a passenger is in. On average half of it is over.",
        ),
        Mistake(
            "mean of the squares",
            lambda gaps: (gaps**2).mean() / 2,
            "Your answer, E[S²]/2, is in square minutes. Divide by the mean gap as well.",
        ),
        Mistake(
            "variance",
            lambda gaps: gaps.var() / (2 * gaps.mean()),
            "You used the variance instead of the mean of the squares. With equal gaps the wait "
            "would then be 0.",
        ),
    ],
    hint="The formula is E[S²] / (2 E[S]). In the drawing it is the area of the triangles divided "
    "by the time.",
    right="Gaps count by their squares: one gap of an hour costs as much waiting as 36 gaps of ten "
    "minutes. For short waits, first make the gaps equal, then shorter.",
    unit="min",
)
