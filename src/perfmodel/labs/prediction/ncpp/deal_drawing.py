"""A table of runs by iterations, dealt to folds row by row or run by run."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import GroupKFold

from perfmodel.labs.prediction.ncpp.folds import PROTOCOLS
from perfmodel.live.drawing import Cells, Fill, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend

RUNS, PROGRAMS, ITERATIONS = 5, 3, 3
_LEFT, _TOP, _SIDE = 66.0, 54.0, 30.0


def dealt_rows(protocol: str) -> Scene:
    """Draw which rows of five runs one fold tests, three programs with three iterations each.

    >>> dealt_rows("whole runs").values["tested rows with a sister in training (%)"]
    0.0
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}, got {protocol!r}")
    columns = PROGRAMS * ITERATIONS
    rows = np.arange(RUNS * columns)
    run, program = rows // columns, rows % columns // ITERATIONS
    together = rows if protocol == PROTOCOLS[0] else run
    dealt = GroupKFold(5, shuffle=True, random_state=0).split(rows, groups=together)
    trained, tested = next(iter(dealt))
    looks: dict[tuple[int, int], tuple[int, Fill]] = {}
    for part, look in ((trained, (1, "light")), (tested, (2, "hatch"))):
        for row in part:
            looks[divmod(int(row), columns)] = look  # type: ignore[assignment]
    test = run * PROGRAMS + program
    sisters = 100 * float(np.isin(test[tested], test[trained]).mean())
    wide = ITERATIONS * _SIDE
    shapes: list[Shape] = [Cells(_LEFT, _TOP, RUNS, columns, _SIDE, looks)]
    shapes += [
        Text(f"run {'ABCDE'[i]}", _LEFT - 8, _TOP + (i + 0.5) * _SIDE, anchor="end")
        for i in range(RUNS)
    ]
    for i in range(PROGRAMS):
        shapes.append(Text(f"program {i + 1}", _LEFT + (i + 0.5) * wide, 14))
        shapes += [
            Text(str(k + 1), _LEFT + i * wide + (k + 0.5) * _SIDE, 40) for k in range(ITERATIONS)
        ]
    below = _TOP + RUNS * _SIDE + 14
    shapes += legend(_LEFT, below, [("learned from", 1, "light"), ("tested on", 2, "hatch")])
    says = (
        f"{protocol.capitalize()}: for {sisters:.0f} % of the tested rows the learner has seen "
        "another iteration of the same program in the same run."
    )
    return Scene(below + 26, shapes, says, {"tested rows with a sister in training (%)": sisters})
