"""Four machines, a table in four parts, and the rows that travel in one step of training."""

from __future__ import annotations

import numpy as np

from perfmodel.labs.communication.sparse_updates.traffic import moved, random_gradients
from perfmodel.live.drawing import Box, Fill, Line, Scene, Shape, Text
from perfmodel.validation import within

MACHINES, ROWS = 4, 16
_LEFT, _CELL, _TOP = 84.0, 17.0, 48.0


def travelling_rows(method: str, share: float) -> Scene:
    """Draw which rows each machine touches, and how many it receives by a method.

    >>> travelling_rows("dense ring", 0.2).values["rows received, mean"]
    24.0
    """
    gradients = random_gradients(MACHINES, ROWS, float(within("share", share, 0, 1)), seed=3)
    come = moved(method, gradients).received
    shapes: list[Shape] = [Text("rows of the table, kept by machine", _LEFT + 8 * _CELL, 12)]
    for part in range(MACHINES):
        middle = _LEFT + (part + 0.5) * ROWS / MACHINES * _CELL
        shapes.append(Text(str(part + 1), middle, 32))
    for part in range(1, MACHINES):
        x = _LEFT + part * ROWS / MACHINES * _CELL - 1
        shapes.append(Line([(x, _TOP - 8), (x, _TOP + 26 * MACHINES - 8)], 1, "dashed"))
    for machine, row in enumerate(gradients):
        y = _TOP + 26 * machine
        shapes.append(Text(f"machine {machine + 1}", 8, y + 7, "start"))
        for i, value in enumerate(row):
            fill: Fill = "solid" if value else "none"
            shapes.append(Box(_LEFT + i * _CELL, y, _CELL - 3, 14, "", 1, fill))
    top = _TOP + 26 * MACHINES + 26
    shapes.append(Text("rows received", 8, top - 14, "start"))
    widest = 2 * (MACHINES - 1) * ROWS / MACHINES
    for machine, count in enumerate(come):
        y = top + 24 * machine
        width = 200 * count / max(widest, float(np.max(come)))
        shapes.append(Text(f"machine {machine + 1}", 8, y + 7, "start"))
        shapes.append(Box(_LEFT, y, max(width, 1.0), 14, "", 2, "hatch"))
        shapes.append(Text(str(int(count)), _LEFT + max(width, 1.0) + 8, y + 7, "start"))
    touched = np.count_nonzero(gradients, axis=1).mean()
    says = (
        f"{method.capitalize()}: machines touch {touched:g} of {ROWS} rows on average and receive "
        f"{come.mean():g}. All together touch {np.count_nonzero(gradients.any(axis=0))} rows."
    )
    values = {"rows received, mean": float(come.mean()), "rows touched, mean": float(touched)}
    return Scene(top + 24 * MACHINES, shapes, says, values)
