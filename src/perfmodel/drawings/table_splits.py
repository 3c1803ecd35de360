"""Two ways to test a predictor on the same table: random rows, or a machine it has never seen."""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.prediction.arena.splits import Split
from perfmodel.validation import whole


def table_split(split: Split, machines: int = 5, programs: int = 8) -> Scene:
    """Draw which runs a predictor learns from and which it is tested on.

    Parameters
    ----------
    split : Split
        Of a table of machines x programs, row `machine * programs + program`, as
        `perfmodel.prediction.shuffle_split` and `unseen_split` return it.
    machines, programs : int
        Size of the table.

    >>> both = Split("random", np.array([0, 1, 2]), {"inside": np.array([3])})
    >>> table_split(both, 2, 2).values["test rows of machines seen in training (%)"]
    100.0
    """
    rows, columns = whole("machines", machines, 1), whole("programs", programs, 1)
    tested = np.concatenate(list(split.tests.values()))
    filled: dict[tuple[int, int], tuple[int, Fill]] = {}
    for row in split.train:
        filled[divmod(int(row), columns)] = (1, "light")
    for row in tested:
        filled[divmod(int(row), columns)] = (2, "hatch")
    size = min(30.0, 262 / columns, 170 / rows)
    shapes: list[Shape] = [Cells(94, 34, rows, columns, size, filled)]
    shapes += [
        Text(f"machine {chr(65 + i)}", 86, 34 + (i + 0.5) * size, anchor="end") for i in range(rows)
    ]
    shapes.append(Text("programs", 94 + columns * size / 2, 16))
    low = 34 + rows * size + 20
    shapes += legend(94, low, [("learned from", 1, "light"), ("tested on", 2, "hatch")])
    learned = {int(row) // columns for row in split.train}
    seen = [int(row) // columns in learned for row in tested]
    share = 100 * float(np.mean(seen))
    says = (
        f"Split {split.name!r}: {len(split.train)} runs learned from, {tested.size} tested on; "
        f"{share:.3g} % of the tests are on a machine that was seen."
    )
    values = {"test rows of machines seen in training (%)": share}
    return Scene(256, shapes, says, values)
