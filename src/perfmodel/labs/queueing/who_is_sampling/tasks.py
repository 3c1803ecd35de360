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
            "That is the flow of a typical packet. A flow of 100 packets has 100 times the chance "
            "of a flow of one packet to be in your sample: weight it down.",
        ),
        Mistake(
            "weighted once more",
            lambda sizes: (sizes**2).sum() / sizes.sum(),
            "You weighted large flows up, and they are in the sample too often already.",
        ),
        Mistake(
            "mean of the reciprocals",
            lambda sizes: np.mean(1 / sizes),
            "That is flows a packet, and right so far. Asked for are packets a flow.",
        ),
        Mistake(
            "median",
            lambda sizes: np.median(sizes),
            "The median packet sits in a large flow as well. Weight each answer by 1 over its "
            "size.",
        ),
        Mistake(
            "values that differ",
            lambda sizes: np.mean(np.unique(sizes)),
            "Two packets that name the same size may come from two flows: keep all answers and "
            "weight them.",
        ),
    ],
    hint="Each packet is 1/size of a flow. So n answers stand for sum(1/size) flows.",
    right="The harmonic mean. The same weights repair a survey of passengers, of students in "
    "courses or of requests in sessions, as long as everyone knows the size of their group.",
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
            "That is right only where all gaps are alike. You come into a long gap more often.",
        ),
        Mistake(
            "the whole gap",
            lambda gaps: (gaps**2).sum() / gaps.sum(),
            "That is the mean gap that you find yourself in. On average half of it is over.",
        ),
        Mistake(
            "mean of the squares",
            lambda gaps: (gaps**2).mean() / 2,
            "Those are square minutes: E[S²]/2. Divide by the mean gap as well.",
        ),
        Mistake(
            "variance",
            lambda gaps: gaps.var() / (2 * gaps.mean()),
            "The mean of the squares isn't the variance: with equal gaps you would never wait.",
        ),
    ],
    hint="E[S²] / (2 E[S]); in the drawing, the area of the triangles over the time.",
    right="Squares: one gap of an hour costs as much waiting as 36 of ten minutes. A service that "
    "wants short waits makes its gaps alike before it makes them shorter.",
    unit="min",
)
