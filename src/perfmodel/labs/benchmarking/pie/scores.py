"""The paper's three scores, for one sample per program or for the best of several.

Source: A. Shypula and others, "Learning performance-improving code edits", ICLR 2024,
arXiv:2302.07867, and its project page, pie4perf.com:
%OPT, SPEEDUP, %CORRECT and Best@k of section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.benchmarking import TimingRatio, clamped_ratios
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import Floats, non_negative, positive, whole


class Printed(NamedTuple):
    """Shares between 0 and 1, and mean speedups, with one and with eight samples a program."""

    correct: tuple[float, float]
    """Share of programs with a correct sample."""
    optimized: tuple[float, float]
    """Share of programs with a correct sample that is at least 1.1 times as fast."""
    speedup: tuple[float, float]


SAMPLES = 8
THRESHOLD = 1.1
"""A program counts as optimized if its ratio of times is at least this."""
CONDITIONED = Printed((0.3855, 0.7096), (0.3200, 0.6656), (2.95, 5.65))
"""CodeLlama 13B, tuned on pairs that are labelled with their speed."""
SELF_PLAY = Printed((0.6171, 0.9511), (0.4562, 0.8768), (3.02, 6.86))
"""GPT-3.5 Turbo, tuned, with programs that it made itself."""


@dataclass(frozen=True)
class EditScore:
    """Shares of programs between 0 and 1, and a mean of ratios that is 1 or more."""

    optimized: float
    speedup: float
    correct: float


def edit_score(old: ArrayLike, new: ArrayLike, correct: ArrayLike) -> EditScore:
    """Score edits, (programs, samples): the fastest correct sample counts, or the old program.

    >>> edit_score([4.0, 1.0], [[2.0, 1.0], [0.1, 3.0]], [[True, False], [False, True]])
    EditScore(optimized=0.5, speedup=1.5, correct=1.0)
    """
    before, after, passed = positive("old", old), positive("new", new), np.asarray(correct)
    if after.ndim != 2 or before.shape != after.shape[:1]:
        raise ValueError(f"new must have a row for each of old, {before.size}, got {after.shape}")
    if passed.dtype != bool or passed.shape != after.shape:
        raise ValueError(f"correct must hold a truth value for each of new, got {passed.shape}")
    ratio = before / _quickest(after, passed)
    return EditScore(
        optimized=float(np.mean(ratio >= THRESHOLD)),
        speedup=float(np.mean(np.maximum(ratio, 1.0))),
        correct=float(np.mean(passed.any(axis=1))),
    )


def _quickest(times: Floats, passed: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Floats:
    """Return the least time of a correct sample of each program, or infinity."""
    return np.asarray(np.where(passed, times, np.inf).min(axis=1))


def null_score(programs: int, samples: int, noise: float, rng: np.random.Generator) -> EditScore:
    """Score a "model" that changes nothing, timed with log-normal noise of this deviation.

    >>> null_score(100, 1, 0.0, np.random.default_rng(0))
    EditScore(optimized=0.0, speedup=1.0, correct=1.0)
    """
    old = np.exp(noise * rng.standard_normal(programs))
    new = np.exp(noise * rng.standard_normal((programs, samples)))
    return edit_score(old, new, np.ones((programs, samples), bool))


PAIRS = 8
_TOP, _ROW = 66.0, 30.0
_SEED = 18


def ratio_bars(pairs: int, noise: float) -> Scene:
    """Draw each pair's timings, noisy by this deviation of their logarithm, and their ratio.

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
        f"The mean of the counted ratios is {shown:.3f}. In the long run it is "
        f"{TimingRatio(error).mean_of_clamped():.3f}."
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
