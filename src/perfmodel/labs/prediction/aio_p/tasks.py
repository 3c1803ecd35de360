"""What the reader does: fit the line's slope, test a transform, and price whole milliseconds."""

import numpy as np
from scipy.optimize import brentq

from perfmodel.labs.prediction.aio_p.label_scaling import relative_residuals, synthetic_networks
from perfmodel.tasks import Mistake, Task

ANSWERS = np.array([3.1, 4.0, 5.2, 6.1, 7.7, 8.0]) * 1e-3
"""What a base says of six networks (s)."""
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
            "That is (1): it stretches the base's answers as far as the latencies spread, although "
            "these don't follow them that closely. Squares are least for a flatter line.",
        ),
        Mistake(
            "the other line",
            lambda base, seconds: np.corrcoef(base, seconds)[0, 1] * np.std(base) / np.std(seconds),
            "That line predicts the base's answers from the latencies. You want it the other way.",
        ),
        Mistake(
            "through zero",
            lambda base, seconds: base @ seconds / (base @ base),
            "That line goes through zero. Take the means off first: (2) is about distances from "
            "them.",
        ),
    ],
    hint="With the means taken off, x for the base and y for the latencies, the sum of (y - slope "
    "times x) squared is least where its derivative by the slope is zero; or use `np.polyfit`.",
    right="The slope is the matched one times r. The less the base knows of the device, the "
    "flatter the line; at r = 0 it is the constant, and below 0 it turns the order round.",
)

break_even = Task(
    "Where the transform is worth a constant",
    reference=lambda: brentq(
        lambda grows: relative_residuals(*synthetic_networks(grows))[1] - 1, 0, 1
    ),
    mistakes=[
        Mistake(
            "with against without",
            lambda: brentq(
                lambda grows: np.subtract(*relative_residuals(*synthetic_networks(grows))), 0, 1
            ),
            "There it is as good as learning the plain scores. A constant leaves 1 of the spread "
            "unexplained: look for a 1 in the second number.",
        ),
        Mistake(
            "any growth helps",
            lambda: 0.0,
            "At 0 the transform leaves 2.3 of the spread, more than twice what a constant leaves.",
        ),
    ],
    hint="`label_scaling.left_over(*label_scaling.made_up(grows))` returns two numbers; the second "
    "is with the transform. Try `grows` from 0 to 1 in small steps, or halve the interval.",
    right="Scores that follow the work two fifths of the way are still better predicted by their "
    "mean than through this transform.",
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
            "Half a step is the largest error. Errors are spread evenly from 0 to there, and their "
            "mean was asked.",
        ),
        Mistake(
            "a whole step",
            lambda step, span: step / span,
            "Rounding goes to the nearest whole number, so no error exceeds half a step.",
        ),
        Mistake(
            "root mean square",
            lambda step, span: step / np.sqrt(12) / span,
            "That is the root mean square. The tables of this page have mean absolute errors.",
        ),
    ],
    hint="A latency lies anywhere between two marks. How far is it from the nearer mark at most, "
    "and how far on average?",
    right="For pixel2 it is 1 % of the range and for samsung_s7 0.6 %: part of every error in "
    "their rows, whatever the predictor.",
)
