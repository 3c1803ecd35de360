"""The reader's tasks: traffic of a rectangular tile, an audit of units, and a forest's limit."""

import numpy as np

from perfmodel.tasks import Mistake, Task

rectangle_traffic = Task(
    "Traffic of a rectangular tile",
    reference=lambda m, n, k, rows, columns: 4 * (m * n * k / rows + m * n * k / columns + m * n),
    cases=[(1024, 1024, 1024, 16, 16), (1024, 2048, 512, 128, 64), (512, 512, 512, 1, 32)],
    mistakes=[
        Mistake(
            "area of the tile",
            lambda m, n, k, rows, columns: 4 * (2 * m * n * k / (rows * columns) + m * n),
            "You divided by the tile's area. A row of A serves all columns of the tile, and a "
            "column of B all its rows. Each saves loads of its own matrix only.",
        ),
        Mistake(
            "one side for both",
            lambda m, n, k, rows, columns: 4 * (2 * m * n * k / rows + m * n),
            "You used a square of `rows`. The loads of A shrink with one side of the tile, and "
            "the loads of B with the other side.",
        ),
        Mistake(
            "mean of the sides",
            lambda m, n, k, rows, columns: 4 * (4 * m * n * k / (rows + columns) + m * n),
            "You used the mean of the sides, so a tile of 1 x 31 seems as good as one of 16 x 16. "
            "Count the loads of A and the loads of B separately.",
        ),
        Mistake(
            "elements for bytes",
            lambda m, n, k, rows, columns: m * n * k / rows + m * n * k / columns + m * n,
            "You counted elements. An element in single precision has 4 bytes.",
        ),
        Mistake(
            "C left out",
            lambda m, n, k, rows, columns: 4 * (m * n * k / rows + m * n * k / columns),
            "You left out C. Each of its elements must be written once.",
        ),
    ],
    hint="A has m times k elements. Each is loaded once for every tile along its row of C. How "
    "many tiles are there along a row? Do the same for B, down a column.",
    right="A long side can't compensate for a short one: a tile of 1 x 32 loads one of the two "
    "matrices as often as a tile of 1 x 1 does.",
    unit="bytes",
)

audited_rate = Task(
    "The rate of the README's example",
    reference=lambda: 2 * 512**3 / 0.04352e-3 / 1e12,
    mistakes=[
        Mistake(
            "multiply-adds",
            lambda: 512**3 / 0.04352e-3 / 1e12,
            "You counted multiply-adds. Each is two operations, a multiplication and an addition.",
        ),
        Mistake(
            "elements",
            lambda: 2 * 512**2 / 0.04352e-3 / 1e12,
            "You counted elements of C. Each of the 512 x 512 elements is a sum of 512 terms.",
        ),
        Mistake(
            "as printed",
            lambda: 6168.094,
            "You copied the number in the column. No GPU of this kind reaches 6,168 TFLOP/s: its "
            "peak is below 30. Compute the rate.",
        ),
    ],
    hint="The product takes 2 m n k operations. Divide by seconds, then by 10 to the power of 12.",
    right='So the column "TFlops" is in GFLOP/s. Half a minute of arithmetic showed it; no '
    "score of a forest would have.",
    tolerance=0.01,
    unit="TFLOP/s",
)

least_error = Task(
    "The least error below the longest run seen",
    reference=lambda learned, asked: (1 - learned.max() / asked).clip(0).mean(),
    cases=[
        (np.array([1.0, 2.0, 4.0]), np.array([8.0, 16.0])),
        (np.array([3.0, 1.0, 2.0]), np.array([1.5, 6.0, 30.0])),
    ],
    mistakes=[
        Mistake(
            "mean instead of longest",
            lambda learned, asked: np.mean(np.maximum(0, 1 - learned.mean() / asked)),
            "You took the mean of the known times. The best answer for a long run is the longest "
            "known time.",
        ),
        Mistake(
            "errors on short runs",
            lambda learned, asked: np.mean(np.abs(1 - learned.max() / asked)),
            "You counted errors for short runs. A run below the longest known time can be "
            "predicted exactly, so its least error is 0.",
        ),
        Mistake(
            "over the prediction",
            lambda learned, asked: np.mean(np.maximum(0, asked / learned.max() - 1)),
            "You divided by the prediction. A percentage error divides by the measured time.",
        ),
    ],
    hint="For each run in `asked`, the best prediction is the smaller of its own time and "
    "`learned.max()`. Then take the mean relative error.",
    right="This bound holds for all forests on seconds, whatever their settings. You can reject "
    "them for a question without training one.",
)
