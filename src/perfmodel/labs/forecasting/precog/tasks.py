"""The reader's tasks: a constant's error, the risk at a coverage, the error behind a leak."""

from __future__ import annotations

import numpy as np

from perfmodel.tasks import Mistake, Task

constant_error = Task(
    "The error of the best constant",
    reference=lambda scores: np.mean(np.abs(scores - np.median(scores))),
    cases=[
        (np.array([90.0, 20.0, 40.0, 85.0, 95.0]),),
        (np.array([5.0, 10.0, 62.0, 8.0, 30.0, 12.0]),),
    ],
    mistakes=[
        Mistake(
            "the mean",
            lambda scores: np.mean(np.abs(scores - scores.mean())),
            "You answered the mean, which is best for squared errors. Another constant has a "
            "smaller mean absolute error.",
        ),
        Mistake(
            "always 50",
            lambda scores: np.mean(np.abs(scores - 50)),
            "You answered 50. Choose the constant from the given scores.",
        ),
        Mistake(
            "squares",
            lambda scores: np.sqrt(np.mean((scores - np.median(scores)) ** 2)),
            "You computed a root mean square. (1) has absolute errors.",
        ),
        Mistake(
            "median error",
            lambda scores: np.median(np.abs(scores - np.median(scores))),
            "The constant is right, but (1) takes the mean of the errors, not their median.",
        ),
        Mistake(
            "signed",
            lambda scores: np.mean(scores - np.median(scores)),
            "Your errors cancel. Take their absolute values.",
        ),
    ],
    hint="Which number has as many scores above it as below it? `np.median`.",
    right="Moving the answer up brings it closer to the scores above, and further from the scores "
    "below. This pays until half of the scores are on each side.",
    unit="points",
)

risk_at = Task(
    "The risk at a coverage",
    reference=lambda errors, confidence, coverage: errors[
        np.argsort(-confidence)[: round(coverage * len(errors))]
    ].mean(),
    cases=[
        (
            np.array([12.0, 3.0, 25.0, 7.0, 9.0]),
            np.array([0.6, 0.9, 0.2, 0.4, 0.8]),
            0.4,
        ),
        (np.array([1.0, 8.0, 2.0, 30.0]), np.array([0.3, 0.95, 0.5, 0.1]), 0.75),
    ],
    mistakes=[
        Mistake(
            "the least sure",
            lambda errors, confidence, coverage: errors[
                np.argsort(confidence)[: round(coverage * len(errors))]
            ].mean(),
            "You answered the least certain cases. `np.argsort` sorts in ascending order.",
        ),
        Mistake(
            "the smallest errors",
            lambda errors, confidence, coverage: np.sort(errors)[
                : round(coverage * len(errors))
            ].mean(),
            "You chose the smallest errors, which nobody knows in advance. Choose by the "
            "confidence.",
        ),
        Mistake(
            "as they came",
            lambda errors, confidence, coverage: errors[: round(coverage * len(errors))].mean(),
            "You didn't sort the cases. Sort them by confidence first.",
        ),
        Mistake(
            "over all cases",
            lambda errors, confidence, coverage: (
                errors[np.argsort(-confidence)[: round(coverage * len(errors))]].sum() / len(errors)
            ),
            "You divided by all cases, as if the others had no error. Divide by the answered "
            "cases.",
        ),
        Mistake(
            "a threshold",
            lambda errors, confidence, coverage: errors[confidence >= coverage].mean(),
            "You used the coverage as a threshold. It is the fraction of answered cases.",
        ),
    ],
    hint="`np.argsort(-confidence)` puts the most certain case first. Keep the first coverage "
    "times n of them.",
    right="Only the order matters, so a confidence in any unit works.",
    unit="points",
)

honest_error = Task(
    "The error behind a leak",
    reference=lambda reported, share, reading: (reported - share * reading) / (1 - share),
    cases=[(8.0, 0.4, 0.25), (12.0, 0.1, 0.25)],
    mistakes=[
        Mistake(
            "nothing for reading",
            lambda reported, share, reading: reported / (1 - share),
            "You ignored the error of reading. Subtract its part first.",
        ),
        Mistake(
            "mixed again",
            lambda reported, share, reading: (1 - share) * reported + share * reading,
            "You mixed the reported error with reading again. Solve (3) for E.",
        ),
        Mistake(
            "reading added",
            lambda reported, share, reading: (reported + share * reading) / (1 - share),
            "You added the error of reading. The reported error contains it, so subtract it.",
        ),
        Mistake(
            "shares swapped",
            lambda reported, share, reading: (reported - (1 - share) * reading) / share,
            "You exchanged the fractions. `share` belongs to the descriptions that were read.",
        ),
    ],
    hint="Solve (3) for E: subtract the part of the descriptions that were read, and divide by the "
    "fraction of the others.",
    right="The fewer descriptions need a forecast, the less the reported error says about the "
    "forecasts.",
    unit="points",
)
