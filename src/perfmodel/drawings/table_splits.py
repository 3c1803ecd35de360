"""Four ways to test a predictor on one table of runs: what it has seen, and what it is asked."""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.prediction import (
    Dataset,
    Split,
    few_shot_split,
    larger_split,
    shuffle_split,
    unseen_split,
)

MACHINES, SIZES = 5, 8
SPLITS = ("random", "larger", "unseen machine", "few-shot")
_SEED, _SIDE = 3, 30.0


def table_split(kind: str) -> Scene:
    """Draw which runs of a table of machines by sizes are learned from, and which tested on.

    Parameters
    ----------
    kind : str
        One of `SPLITS`.

    Examples
    --------
    >>> table_split("unseen machine").values["runs of its own machine"]
    0.0
    """
    split = _split(kind)
    tested = np.concatenate(
        [rows for name, rows in split.tests.items() if kind != "larger" or name == "beyond"]
    )
    looks: dict[tuple[int, int], tuple[int, Fill]] = {}
    for rows, look in ((split.train, (1, "light")), (tested, (2, "hatch"))):
        for row in rows:
            looks[divmod(int(row), SIZES)] = look  # type: ignore[assignment]
    shapes: list[Shape] = [Cells(94, 34, MACHINES, SIZES, _SIDE, looks)]
    for i in range(MACHINES):
        shapes.append(Text(f"machine {'ABCDE'[i]}", 86, 34 + (i + 0.5) * _SIDE, anchor="end"))
    shapes.append(Text("size of the run, small to large", 94 + SIZES * _SIDE / 2, 18))
    shapes += legend(94, 208, [("learned from", 1, "light"), ("tested on", 2, "hatch")])
    own = np.bincount(split.train // SIZES, minlength=MACHINES)[tested // SIZES].mean()
    inside = 100 * float(np.mean(tested % SIZES <= max(split.train % SIZES)))
    says = (
        f"{kind.capitalize()}: for a test run, the model has learned from {own:.3g} "
        f"run{'' if own == 1 else 's'} of the same machine. Of all test runs, {inside:.3g} % are "
        f"within the sizes that it has learned from."
    )
    values = {"runs of its own machine": float(own), "tests within the sizes (%)": inside}
    return Scene(244, shapes, says, values)


def _split(kind: str) -> Split:
    runs, size = _runs()
    if kind == "random":
        return shuffle_split(runs, 32, _SEED)
    if kind == "larger":
        return larger_split(runs, size, 24, _SEED, small_fraction=0.62)
    if kind == "unseen machine":
        return unseen_split(runs, "machine", "C", 32, _SEED)
    if kind == "few-shot":
        return few_shot_split(runs, "machine", "C", 2, 32, _SEED)
    raise ValueError(f"kind must be one of {', '.join(SPLITS)}, got {kind!r}")


def _runs() -> tuple[Dataset, np.ndarray]:
    """Return a table with a row for each machine and size, and the sizes."""
    import pandas as pd

    machine, size = np.repeat(list("ABCDE"), SIZES), np.tile(2.0 ** np.arange(SIZES), MACHINES)
    time = size * np.repeat(1.0 + np.arange(MACHINES), SIZES) + 1
    runs = Dataset(
        "machines by sizes",
        pd.DataFrame({"machine": machine, "size": size}),
        {"machine": "", "size": "1"},
        time,
        "time",
        "s",
        "made up for a drawing",
        "CC0-1.0",
        groups={"machine": list(machine)},
    )
    return runs, size
