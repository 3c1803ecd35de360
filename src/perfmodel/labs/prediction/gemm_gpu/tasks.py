"""What the reader does: traffic of a tile that is no square, an audit, and a forest's limit."""

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
            "You divided by the tile's area. A row of A serves as many columns as the tile has, "
            "and a column of B as many rows: each saves on its own matrix only.",
        ),
        Mistake(
            "one side for both",
            lambda m, n, k, rows, columns: 4 * (2 * m * n * k / rows + m * n),
            "That is a square of `rows`. The loads of A shrink with one side of the tile, those "
            "of B with the other.",
        ),
        Mistake(
            "mean of the sides",
            lambda m, n, k, rows, columns: 4 * (4 * m * n * k / (rows + columns) + m * n),
            "Put in the mean of the sides and a tile of 1 x 31 seems as good as one of 16 x 16. "
            "Count the loads of A and those of B apart.",
        ),
        Mistake(
            "elements for bytes",
            lambda m, n, k, rows, columns: m * n * k / rows + m * n * k / columns + m * n,
            "You counted elements. An element in single precision has 4 bytes.",
        ),
        Mistake(
            "C left out",
            lambda m, n, k, rows, columns: 4 * (m * n * k / rows + m * n * k / columns),
            "C must be written, too, each element once.",
        ),
    ],
    hint="A has m times k elements. Each is loaded once for every tile along its row of C: how "
    "many tiles are that? The same for B, down a column.",
    right="The longer side can't make up for the shorter: a tile of 1 x 32 loads one of the two "
    "matrices as often as a tile of 1 x 1 does.",
    unit="bytes",
)

audited_rate = Task(
    "What the README's example reaches",
    reference=lambda: 2 * 512**3 / 0.04352e-3 / 1e12,
    mistakes=[
        Mistake(
            "multiply-adds",
            lambda: 512**3 / 0.04352e-3 / 1e12,
            "You counted multiply-adds. A product of an element of A and one of B is multiplied "
            "and added: two operations.",
        ),
        Mistake(
            "elements",
            lambda: 2 * 512**2 / 0.04352e-3 / 1e12,
            "Each of the 512 x 512 elements of C is a sum of 512 terms.",
        ),
        Mistake(
            "as printed",
            lambda: 6168.094,
            "That is the number in the column, and no GPU of this kind does 6,168 TFLOP/s: its "
            "peak is below 30. Which unit is it in?",
        ),
    ],
    hint="Operations are 2 m n k. Divide by seconds, then by 10 to the power of 12.",
    right="So the column that is called TFlops is in GFLOP/s. Half a minute of arithmetic found "
    "it; no score of a forest would have.",
    tolerance=0.01,
    unit="TFLOP/s",
)

least_error = Task(
    "The least error without going beyond the longest run seen",
    reference=lambda learned, asked: (1 - learned.max() / asked).clip(0).mean(),
    cases=[
        (np.array([1.0, 2.0, 4.0]), np.array([8.0, 16.0])),
        (np.array([3.0, 1.0, 2.0]), np.array([1.5, 6.0, 30.0])),
    ],
    mistakes=[
        Mistake(
            "mean instead of longest",
            lambda learned, asked: np.mean(np.maximum(0, 1 - learned.mean() / asked)),
            "You took the mean of what was learned. Its best answer to a long run is the longest "
            "time that it has seen.",
        ),
        Mistake(
            "errors on short runs",
            lambda learned, asked: np.mean(np.abs(1 - learned.max() / asked)),
            "A run that is shorter than the longest one seen can be met exactly: its error is 0 "
            "at best.",
        ),
        Mistake(
            "over the prediction",
            lambda learned, asked: np.mean(np.maximum(0, asked / learned.max() - 1)),
            "A percentage error divides by what was measured, not by what was predicted.",
        ),
    ],
    hint="For each run asked for, the best prediction is the smaller of its own time and "
    "`learned.max()`. Then take the mean relative error.",
    right="A bound for all forests and all sums of trees on seconds, whatever their settings: you "
    "can reject them for a question without training one.",
)
