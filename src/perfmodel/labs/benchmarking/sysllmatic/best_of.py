"""False gains: five unchanged programs, each measured several times, the best one reported."""

from __future__ import annotations

from functools import cache
from math import exp

import numpy as np

from perfmodel.benchmarking import geometric_mean, winners_curse
from perfmodel.live.drawing import Circle, Line, Scale, Scene, Shape, Text
from perfmodel.validation import Floats, non_negative, positive, whole

PROGRAMS, MOST = 5, 8
_TOP, _ROW = 46.0, 24.0


def best_factors(count: int, noise: float, programs: int, seed: int = 5) -> Floats:
    """Return the best of some measured factors of each of several programs that gained nothing.

    Of each, `count` (1 to 8) are measured; more of them extend fewer. `noise` is the standard
    deviation of the logarithm of a measured factor.

    >>> best_factors(8, 0.0, 2).tolist()
    [1.0, 1.0]
    """
    return np.asarray(_measured(count, noise, programs, seed).max(axis=1))


def expected_gain(count: int, noise: float) -> float:
    """Return the geometric mean of the best of `count` measured factors where the true one is 1.

    >>> round(expected_gain(2, 0.1), 3)
    1.058
    """
    return exp(winners_curse(count, 0.0, noise).measured)


def best_of_dots(count: int, noise: float = 0.1) -> Scene:
    """Draw the measured factors of five unchanged programs, and which of each is reported."""
    factors = _measured(count, float(positive("noise", noise)), PROGRAMS, 5)
    axis = Scale(0.5, 1.7, 76, 344)
    best = factors.max(axis=1)
    bottom = _TOP + PROGRAMS * _ROW
    mean = float(geometric_mean(best))
    shapes: list[Shape] = [Line([(axis(1), 10), (axis(1), bottom)], style="dashed")]
    shapes.append(Text("no gain", axis(1) - 6, 16, anchor="end"))
    shapes.append(Line([(axis(mean), 24), (axis(mean), bottom)], 3, "thick"))
    shapes.append(Text(f"typical: {mean:.2f}", axis(mean) + 6, 32, anchor="start"))
    for index in range(PROGRAMS):
        shapes += _dots(axis, _TOP + (index + 0.5) * _ROW, index, factors[index])
    shapes += axis.below(bottom + 6, "measured factor; solid: the best, reported")
    ran = f"{count} runs" if count > 1 else "one run"
    says = (
        f"With {ran} each, the unchanged programs seem {mean:.2f} times as fast. The mean over "
        f"many programs is {expected_gain(count, noise):.2f}."
    )
    values = {"typical best": mean, "over many programs": expected_gain(count, noise)}
    return Scene(bottom + 42, shapes, says, values)


def _dots(axis: Scale, y: float, place: int, factors: Floats) -> list[Shape]:
    best = int(np.argmax(factors))
    shapes: list[Shape] = [Text(f"program {place + 1}", 70, y, anchor="end")]
    rest = [Circle(axis(f), y, 5, "", 1, "none") for i, f in enumerate(factors) if i != best]
    return [*shapes, *rest, Circle(axis(factors[best]), y, 6, "", 2, "solid")]


def _measured(count: int, noise: float, programs: int, seed: int) -> Floats:
    runs = whole("count", count, 1, MOST)
    draws = _draws(whole("programs", programs, 1), whole("seed", seed))
    return np.asarray(np.exp(float(non_negative("noise", noise)) * draws[:, :runs]))


@cache
def _draws(programs: int, seed: int) -> Floats:
    return np.random.default_rng(seed).standard_normal((programs, MOST))
