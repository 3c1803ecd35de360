"""What the reader does: a constant's error, the risk at a coverage, the error behind a leak."""

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
            "You answered the mean. It is best for squared errors; another constant has a smaller "
            "mean absolute error.",
        ),
        Mistake(
            "always 50",
            lambda scores: np.mean(np.abs(scores - 50)),
            "You answered 50. A constant may look at the scores that it is told.",
        ),
        Mistake(
            "squares",
            lambda scores: np.sqrt(np.mean((scores - np.median(scores)) ** 2)),
            "That is a root mean square. (2) has absolute errors.",
        ),
        Mistake(
            "median error",
            lambda scores: np.median(np.abs(scores - np.median(scores))),
            "The constant is right, but (2) takes the mean of the errors, not their median.",
        ),
        Mistake(
            "signed",
            lambda scores: np.mean(scores - np.median(scores)),
            "Errors above and below cancel. Take them without their signs.",
        ),
    ],
    hint="Which number has as many scores above it as below it? `np.median`.",
    right="Moving the answer up brings it nearer to the scores above and away from those below: it "
    "pays until half lie on either side.",
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
            "You answered those it is least sure of: `np.argsort` sorts upwards.",
        ),
        Mistake(
            "the smallest errors",
            lambda errors, confidence, coverage: np.sort(errors)[
                : round(coverage * len(errors))
            ].mean(),
            "You picked the smallest errors. Nobody knows them beforehand; only the confidence may "
            "choose.",
        ),
        Mistake(
            "as they came",
            lambda errors, confidence, coverage: errors[: round(coverage * len(errors))].mean(),
            "The cases aren't sorted by confidence: sort them first.",
        ),
        Mistake(
            "over all cases",
            lambda errors, confidence, coverage: (
                errors[np.argsort(-confidence)[: round(coverage * len(errors))]].sum() / len(errors)
            ),
            "Divide by the cases answered: leaving cases out must not count as answering them "
            "without error.",
        ),
        Mistake(
            "a threshold",
            lambda errors, confidence, coverage: errors[confidence >= coverage].mean(),
            "You took the coverage for a confidence. It is the share of the cases answered.",
        ),
    ],
    hint="`np.argsort(-confidence)` has the surest first; keep the first coverage times n of them.",
    right="It needs the order alone: a confidence in any unit will do.",
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
            "Nearly: what was read errs too, by its rounding. Take off its part first.",
        ),
        Mistake(
            "mixed again",
            lambda reported, share, reading: (1 - share) * reported + share * reading,
            "You mixed the reported error with reading once more, and it fell further. Solve (6) "
            "for E.",
        ),
        Mistake(
            "reading added",
            lambda reported, share, reading: (reported + share * reading) / (1 - share),
            "You added what the read ones err. It is in the reported error already: take it off.",
        ),
        Mistake(
            "shares swapped",
            lambda reported, share, reading: (reported - (1 - share) * reading) / share,
            "The share belongs to what was read, and the rest to honest forecasts.",
        ),
    ],
    hint="Solve (6) for E: take off what the read ones contribute, and divide by the share of the "
    "others.",
    right="The less is left that had to be forecast, the less a reported error says about it.",
    unit="points",
)
