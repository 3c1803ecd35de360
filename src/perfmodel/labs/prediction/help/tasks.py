"""The reader's tasks: a ratio of convolutions, a fit of prices, and cells without a path."""

import numpy as np
from scipy import optimize

from perfmodel.tasks import Mistake, Task

COUNTED = np.array(
    [[1, 2, 1, 2], [2, 0, 3, 1], [0, 3, 1, 0], [3, 1, 0, 2], [1, 1, 2, 2], [0, 0, 4, 1]],
    dtype=float,
)
"""Edges of six networks by operation: skip, 1x1, 3x3, pooling."""
TIMED = np.array([12.1, 23.4, 15.9, 6.0, 17.8, 30.2]) * 1e-3

conv_ratio = Task(
    "A wide convolution in 1×1 convolutions",
    reference=lambda channels, width: (width**2 * channels + 2) / (channels + 2),
    cases=[(16, 3), (32, 3), (64, 5)],
    mistakes=[
        Mistake(
            "width once",
            lambda channels, width: (width * channels + 2) / (channels + 2),
            "You used the width once. The window is square, so `width` times `width` numbers are "
            "multiplied.",
        ),
        Mistake(
            "second term left out",
            lambda channels, width: float(width**2),
            "You left out the second term of (1). It is the same for every width, so the ratio "
            "stays below the square of the width.",
        ),
        Mistake(
            "upside down",
            lambda channels, width: (channels + 2) / (width**2 * channels + 2),
            "You divided the wrong way round: your answer is the cost of a 1×1 convolution in "
            "wide ones.",
        ),
    ],
    hint="Divide (1) with k = `width` by (1) with k = 1. C times the square of H appears in every "
    "term and cancels.",
    right="With 16 channels and a width of 3 the ratio is 8.1. Remember it: below, six devices "
    "show the same ratio in seconds.",
)

five_prices = Task(
    "A base and prices that are not negative",
    reference=lambda counted, seconds: optimize.nnls(
        np.column_stack([np.ones(len(seconds)), counted]), seconds
    )[0],
    cases=[(COUNTED, TIMED), (COUNTED[:, 1:], TIMED)],
    mistakes=[
        Mistake(
            "base left out",
            lambda counted, seconds: optimize.nnls(counted, seconds)[0],
            "You left out the base. Every network pays it once, so it needs a column of ones.",
        ),
        Mistake(
            "negative prices",
            lambda counted, seconds: np.linalg.lstsq(
                np.column_stack([np.ones(len(seconds)), counted]), seconds, rcond=None
            )[0],
            "One of your prices is below 0, so an added operation would save time. Use a fit that "
            "keeps all prices at 0 or more.",
        ),
        Mistake(
            "cut off at zero",
            lambda counted, seconds: np.maximum(
                np.linalg.lstsq(
                    np.column_stack([np.ones(len(seconds)), counted]), seconds, rcond=None
                )[0],
                0,
            ),
            "You set negative prices to 0 after the fit. The other prices were fitted together "
            "with them and are now wrong. Put the condition into the fit.",
        ),
    ],
    hint="`np.column_stack([np.ones(len(seconds)), counted])` has the column of the base in "
    "front. `optimize.nnls(matrix, seconds)[0]` is least squares with coefficients of 0 or "
    "more.",
    right="A price can't be negative. This knowledge makes a fit to ten measurements stable.",
    tolerance=1e-4,
    unit="s",
)

reaches_output = Task(
    "Does the output depend on the input?",
    reference=lambda e01, e02, e12, e03, e13, e23: bool(
        e03 or (e01 and e13) or (e02 and e23) or (e01 and e12 and e23)
    ),
    cases=[
        (3, 3, 3, 0, 0, 0),
        (0, 0, 0, 0, 0, 4),
        (0, 0, 0, 1, 0, 0),
        (2, 0, 1, 0, 0, 3),
        (0, 4, 0, 0, 0, 2),
        (1, 0, 0, 0, 1, 0),
        (0, 0, 2, 0, 0, 3),
        (0, 4, 2, 0, 3, 0),
    ],
    mistakes=[
        Mistake(
            "anything into the output",
            lambda e01, e02, e12, e03, e13, e23: bool(e03 or e13 or e23),
            "You checked only the edges into the output. An edge may come from a node that no "
            "edge leads to. A path must begin at the input.",
        ),
        Mistake(
            "long path forgotten",
            lambda e01, e02, e12, e03, e13, e23: bool(e03 or (e01 and e13) or (e02 and e23)),
            "You left out one path: the path through all four nodes.",
        ),
        Mistake(
            "skip breaks the path",
            lambda e01, e02, e12, e03, e13, e23: (
                e03 > 1
                or (e01 > 1 and e13 > 1)
                or (e02 > 1 and e23 > 1)
                or (e01 > 1 and e12 > 1 and e23 > 1)
            ),
            "You ended paths at a skip (digit 1). A skip passes its input on unchanged, so the "
            "path continues.",
        ),
    ],
    hint="List the paths from node 0 to node 3. One path has one edge, two paths have two edges, "
    "and one path has three.",
    right="All edges of a path must be there, and one whole path is enough. The next cell counts "
    "the instant networks without a path.",
)
