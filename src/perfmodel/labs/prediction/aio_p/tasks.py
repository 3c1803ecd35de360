"""The reader's tasks: the slope of a line, a transform's break-even, and the error of rounding."""

import numpy as np
from scipy.optimize import brentq

from perfmodel.labs.prediction.aio_p.label_scaling import relative_residuals, synthetic_networks
from perfmodel.tasks import Mistake, Task

ANSWERS = np.array([3.1, 4.0, 5.2, 6.1, 7.7, 8.0]) * 1e-3
"""A base's predictions for six networks (s)."""
TIMED = np.array([11.0, 17.5, 13.0, 20.5, 16.0, 24.0]) * 1e-3
"""Their latencies on another device (s)."""

slope = Task(
    "The slope of the line",
    reference=lambda base, seconds: (
        np.corrcoef(base, seconds)[0, 1] * np.std(seconds) / np.std(base)
    ),
    cases=[(ANSWERS, TIMED), (ANSWERS[:4], TIMED[:4]), (ANSWERS, TIMED[::-1].copy())],
    mistakes=[
        Mistake(
            "matched",
            lambda base, seconds: np.std(seconds) / np.std(base),
            "You used the slope of (1). It assumes that the latencies follow the base's answers "
            "perfectly. The least sum of squares belongs to a flatter line.",
        ),
        Mistake(
            "the other line",
            lambda base, seconds: np.corrcoef(base, seconds)[0, 1] * np.std(base) / np.std(seconds),
            "Your line predicts the base's answers from the latencies. Exchange the two.",
        ),
        Mistake(
            "through zero",
            lambda base, seconds: base @ seconds / (base @ base),
            "Your line goes through zero. Subtract the means first: (2) is about distances from "
            "the means.",
        ),
    ],
    hint="Subtract the means: call the results x for the base and y for the latencies. The sum of "
    "(y - slope times x) squared is least where its derivative by the slope is zero. Or use "
    "`np.polyfit`.",
    right="The slope is r times the matched slope. The less the base knows about the device, the "
    "flatter is the line. At r = 0 it is the constant, and below 0 it reverses the order.",
)

break_even = Task(
    "Where the transform is as good as a constant",
    reference=lambda: brentq(
        lambda grows: relative_residuals(*synthetic_networks(grows))[1] - 1, 0, 1
    ),
    mistakes=[
        Mistake(
            "with against without",
            lambda: brentq(
                lambda grows: np.subtract(*relative_residuals(*synthetic_networks(grows))), 0, 1
            ),
            "You found where the transform is as good as the plain scores. A constant leaves a "
            "residual of 1, so look for a 1 in the second number.",
        ),
        Mistake(
            "any growth helps",
            lambda: 0.0,
            "At 0 the transform leaves a residual of 2.3, more than twice the constant's. Try a "
            "larger fraction.",
        ),
    ],
    hint="`label_scaling.relative_residuals(*label_scaling.synthetic_networks(grows))` returns "
    "two numbers. The second is with the transform. Try `grows` from 0 to 1 in small steps, "
    "or halve the interval.",
    right="Even if the scores follow the work by two fifths, their mean predicts them better than "
    "the transform does.",
    tolerance=0.02,
)

rounding_error = Task(
    "The error of whole milliseconds",
    reference=lambda step, span: step / 4 / span,
    cases=[(1e-3, 0.041), (1e-3, 0.024), (0.5e-3, 0.01)],
    mistakes=[
        Mistake(
            "the largest",
            lambda step, span: step / 2 / span,
            "You took the largest error, half a step. Errors are spread evenly from 0 to half a "
            "step, and the question asks for their mean.",
        ),
        Mistake(
            "a whole step",
            lambda step, span: step / span,
            "You took a whole step. Rounding goes to the closest mark, so no error exceeds half a "
            "step.",
        ),
        Mistake(
            "root mean square",
            lambda step, span: step / np.sqrt(12) / span,
            "You computed the root mean square. The question asks for the mean absolute error.",
        ),
    ],
    hint="A latency lies anywhere between two marks. How far is it at most from the closer mark, "
    "and how far on average?",
    right="For pixel2 it is 1 % of the range and for samsung_s7 0.6 %. No predictor can avoid "
    "this part of the error.",
)
