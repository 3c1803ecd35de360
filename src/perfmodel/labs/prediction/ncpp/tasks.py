"""The reader's tasks: the effect of one program on a score, a noise floor, and an audited split."""

import numpy as np

from perfmodel.tasks import Mistake, Task

RUN = np.array(["a", "a", "a", "b", "b", "c", "c", "c", "c"])
"""The run of each of nine rows."""

speedup_of_one = Task(
    "The speedup of one program for a higher score",
    reference=lambda gain, programs: gain**programs,
    cases=[(1.1, 10), (1.1, 13), (1.5, 4)],
    mistakes=[
        Mistake(
            "arithmetic mean",
            lambda gain, programs: 1 + programs * (gain - 1),
            "You used the arithmetic mean of equal ratios. The score of (1) is a root of a "
            "product.",
        ),
        Mistake(
            "the other way",
            lambda gain, programs: gain ** (1 / programs),
            "You computed the score's gain from the program's speedup. Here the score's gain is "
            "given, and you need the speedup.",
        ),
        Mistake(
            "gain times programs",
            lambda gain, programs: gain * programs,
            "Your answer for a `gain` of 1 isn't 1. Without a gain the program needs no speedup. "
            "Start from (1).",
        ),
    ],
    hint="Multiply one ratio in (1) by x. Which factor does S get? Set this factor equal to "
    "`gain` and solve for x.",
    right="For 10 % more, one of ten programs must become 2.6 times as fast. To raise the score, "
    "tune the program that is easiest to speed up, not the slowest.",
)

noise_floor = Task(
    "The noise floor of repeated scores",
    reference=lambda one, others: np.mean(np.abs(one - others.mean(axis=1)) / others.mean(axis=1)),
    cases=[
        (np.array([100.0, 210.0]), np.array([[102.0, 98.0], [200.0, 200.0]])),
        (np.array([50.0, 390.0, 8.0]), np.array([[51.0, 55.0], [400.0, 392.0], [8.1, 7.5]])),
    ],
    mistakes=[
        Mistake(
            "itself among the others",
            lambda one, others: np.mean(
                np.abs(one - np.column_stack([one, others]).mean(axis=1))
                / np.column_stack([one, others]).mean(axis=1)
            ),
            "Your mean includes `one`, so the difference is too small. A predictor hasn't seen "
            "the score that it predicts.",
        ),
        Mistake(
            "signed differences",
            lambda one, others: np.mean((one - others.mean(axis=1)) / others.mean(axis=1)),
            "You averaged signed differences, which cancel. Take absolute values before the mean.",
        ),
        Mistake(
            "in ratios",
            lambda one, others: np.mean(np.abs(one - others.mean(axis=1))),
            "Your result is in units of the score, so programs with high ratios decide. Divide by "
            "the mean of the others.",
        ),
    ],
    hint="`others.mean(axis=1)` is a predictor that has seen every other iteration of the test. "
    "What is its mean relative error?",
    right="The noise floor is the error of a predictor that has seen the same program on the same "
    "server. No description of a server can do better.",
)

leaked_share = Task(
    "An audit of a split",
    reference=lambda run, tested: np.isin(run[tested], run[~tested]).mean(),
    cases=[
        (RUN, np.array([1, 0, 0, 1, 1, 1, 0, 0, 0], dtype=bool)),
        (RUN, np.array([1, 1, 0, 0, 0, 1, 1, 1, 1], dtype=bool)),
        (RUN, RUN == "b"),
    ],
    mistakes=[
        Mistake(
            "over all rows",
            lambda run, tested: np.isin(run[tested], run[~tested]).sum() / len(run),
            "You divided by all rows. The error is a mean over the tested rows, so divide by "
            "their number.",
        ),
        Mistake(
            "of the runs",
            lambda run, tested: np.isin(np.unique(run[tested]), run[~tested]).mean(),
            "You counted runs. The error is a mean over rows, and one run may have most of them.",
        ),
        Mistake(
            "training rows",
            lambda run, tested: np.isin(run[~tested], run[tested]).mean(),
            "You computed the fraction of training rows that give something away. Compute the "
            "fraction of tested rows that profit.",
        ),
        Mistake(
            "nothing seen",
            lambda run, tested: 1 - np.isin(run[tested], run[~tested]).mean(),
            "You computed the clean fraction: tested rows whose run the learner has not seen. "
            "Subtract it from 1.",
        ),
    ],
    hint="`run[tested]` are the runs of the tested rows, and `run[~tested]` the runs that the "
    "learner has seen. `np.isin(a, b)` says for each element of a whether it is in b. Its "
    "mean is a fraction.",
    right="Run this line on every split before you believe its error. It can't see a run that is "
    "there twice under two names.",
)
