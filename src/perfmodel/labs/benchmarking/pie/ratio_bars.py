"""Pairs of timings of one program: what the ratio says, and what the score counts."""

from __future__ import annotations

import numpy as np

from perfmodel.benchmarking import TimingRatio, clamped_ratios
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import non_negative, whole

PAIRS = 8
_TOP, _ROW = 66.0, 30.0
_SEED = 18


def ratio_bars(pairs: int, noise: float) -> Scene:
    """Draw the two timings of each pair as bars, with the ratio and what counts of it.

    `noise` is the standard deviation of the logarithm of a timing.

    >>> ratio_bars(8, 0.0).values
    {'mean ratio': 1.0, 'mean counted': 1.0}
    """
    count = min(whole("pairs", pairs, 1), PAIRS)
    error = float(non_negative("noise", noise))
    logs = error * np.random.default_rng(_SEED).standard_normal((PAIRS, 2))
    times = np.exp(logs[:count])
    ratios = times[:, 0] / times[:, 1]
    counted = clamped_ratios(ratios, 1.0)
    length = Scale(0, 2, 30, 222)
    shapes: list[Shape] = legend(30, 14, [("timed as old", 1, "light")])
    shapes += legend(150, 14, [("timed as new", 2, "solid")])
    shapes += [Text("ratio", 286, 46, anchor="end"), Text("counted", 352, 46, anchor="end")]
    shapes.append(Line([(length(1), 56), (length(1), _TOP + PAIRS * _ROW)], style="thin"))
    for row in range(count):
        shapes += _row(length, row, times[row], ratios[row], counted[row])
    shapes.append(Text("thin line: the true time of both", 30, _TOP + PAIRS * _ROW + 14, "start"))
    said, shown = float(ratios.mean()), float(counted.mean())
    says = (
        f"{count} pair{'s' * (count > 1)}: mean ratio {said:.3f}, mean of what is counted "
        f"{shown:.3f}, which is {TimingRatio(error).mean_of_clamped():.3f} in the long run."
    )
    values = {"mean ratio": said, "mean counted": shown}
    return Scene(_TOP + PAIRS * _ROW + 28, shapes, says, values)


def _row(length: Scale, row: int, times: np.ndarray, ratio: float, counted: float) -> list[Shape]:
    y = _TOP + row * _ROW
    return [
        Text(str(row + 1), 22, y + 11, anchor="end"),
        Box(30, y, length.length(times[0]), 10, "", 1, "light"),
        Box(30, y + 12, length.length(times[1]), 10, "", 2, "solid"),
        Text(f"{ratio:.2f}", 286, y + 11, anchor="end", bold=ratio >= 1.1),
        Text(f"{counted:.2f}", 352, y + 11, anchor="end"),
    ]
