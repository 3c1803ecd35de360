"""What a predictor sees of the history, and which of its bits decide."""

from __future__ import annotations

from collections.abc import Sequence

from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.units import number

ROWS, COLUMNS = 8, 16
"""The newest 128 outcomes, the newest one first."""


def history_view(seen: Sequence[int], stored: float, matter: Sequence[int] = (37, 71)) -> Scene:
    """Draw the history before a branch, the bits that a predictor uses and those that decide.

    `seen` are the lags that the predictor uses, of which it stores `stored` counters or weights;
    `matter` are those that decide the branch.

    >>> history_view([37, 71], 3).values["deciding bits seen"]
    2.0
    """
    look: tuple[int, Fill] = (1, "light")
    hit: tuple[int, Fill] = (2, "solid")
    filled = {divmod(lag - 1, COLUMNS): hit if lag in matter else look for lag in seen}
    rims = [divmod(lag - 1, COLUMNS) for lag in matter]
    found = len(set(seen) & set(matter))
    shapes: list[Shape] = [
        Text("lag 1, the newest", 32, 18, anchor="start"),
        Cells(32, 32, ROWS, COLUMNS, 18.0, filled, rims),
        Text(f"lag {ROWS * COLUMNS}", 320, 192, anchor="end"),
        Text("thick rim: decides the branch", 32, 214, anchor="start"),
        *legend(32, 238, [("seen", *look), ("seen, and decides", *hit)]),
    ]
    says = (
        f"Sees {len(set(seen))} of {ROWS * COLUMNS} outcomes, {found} of the {len(matter)} that "
        f"decide, and stores {number(stored)} numbers."
    )
    return Scene(274, shapes, says, {"deciding bits seen": float(found), "numbers stored": stored})
