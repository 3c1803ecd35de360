"""What the reader does: ask a score what one program can do, find a floor, and audit a split."""

import numpy as np

from perfmodel.tasks import Mistake, Task

RUN = np.array(["a", "a", "a", "b", "b", "c", "c", "c", "c"])
"""The run of each of nine rows."""

speedup_of_one = Task(
    "What one program must do for the score",
    reference=lambda gain, programs: gain**programs,
    cases=[(1.1, 10), (1.1, 13), (1.5, 4)],
    mistakes=[
        Mistake(
            "arithmetic mean",
            lambda gain, programs: 1 + programs * (gain - 1),
            "That is right for the arithmetic mean of equal ratios. The score of (1) is a product "
            "under a root.",
        ),
        Mistake(
            "the other way",
            lambda gain, programs: gain ** (1 / programs),
            "That is what the score gains when the program becomes `gain` times as fast. Here the "
            "score's gain is given.",
        ),
        Mistake(
            "gain times programs",
            lambda gain, programs: gain * programs,
            "A `gain` of 1 must give 1: no gain, nothing to do.",
        ),
    ],
    hint="Multiply one ratio in (1) by x. By what is S multiplied? Set that equal to `gain` and "
    "solve for x.",
    right="For 10 % more, one of ten programs must become 2.6 times as fast. Whoever tunes for the "
    "score works on the program that is easiest to speed up, not on the slowest.",
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
            "Your mean has `one` in it, so the difference comes out too small: a predictor hasn't "
            "seen what it is asked.",
        ),
        Mistake(
            "signed differences",
            lambda one, others: np.mean((one - others.mean(axis=1)) / others.mean(axis=1)),
            "Differences up and down cancel. Take their sizes before you take the mean.",
        ),
        Mistake(
            "in ratios",
            lambda one, others: np.mean(np.abs(one - others.mean(axis=1))),
            "That is in units of the score, so programs with high ratios decide. Divide by the "
            "mean of the others.",
        ),
    ],
    hint="`others.mean(axis=1)` is a predictor that has seen every other iteration of the test. "
    "What is its mean error, as a share?",
    right="It is an error like any predictor's: that of the one who has seen the same program on "
    "the same server. No description of a server can tell more than that.",
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
            "Divide by the rows that are tested: the error is a mean over these alone.",
        ),
        Mistake(
            "of the runs",
            lambda run, tested: np.isin(np.unique(run[tested]), run[~tested]).mean(),
            "You counted runs. A mean error is taken over rows, and one run may have most of them.",
        ),
        Mistake(
            "training rows",
            lambda run, tested: np.isin(run[~tested], run[tested]).mean(),
            "That is the share of the training rows that give something away. How many of the "
            "tested rows profit?",
        ),
        Mistake(
            "nothing seen",
            lambda run, tested: 1 - np.isin(run[tested], run[~tested]).mean(),
            "That is the clean share: tested rows whose run the learner has not seen.",
        ),
    ],
    hint="`run[tested]` are the runs of the tested rows, `run[~tested]` those that the learner has "
    "seen. `np.isin(a, b)` says for each of a whether it is among b; its mean is a share.",
    right="One line, and worth running on every split before you believe its error. It can't see "
    "a run that is there twice under two names.",
)
