"""Three programs as bars of time: each mean of speedups is the ratio of two such bars."""

from __future__ import annotations

import numpy as np

from perfmodel.benchmarking.means import total_time_ratio
from perfmodel.live.drawing import Box, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.live.drawing.shapes import Fill
from perfmodel.validation import Floats, one_of, positive

MIXES = ("1 s, 3 s and 8 s before", "equally long before", "equally long after")
"""How the time is shared among the three programs; the last two belong to a mean."""
_MEANS = ("", " This is the harmonic mean.", " This is the arithmetic mean.")
_NAMES = ("A", "B", "C")
_FILLS: tuple[Fill, ...] = ("solid", "light", "hatch")
_AXIS, _LONGEST = 146, 1.2


def suite_mix(mix: str, speedup: float, others: tuple[float, float] = (2.0, 0.8)) -> Scene:
    """Draw three programs one after the other, before and after each got its speedup.

    Parameters
    ----------
    mix : str
        One of `MIXES`: in the first, A takes 1 s of 12 before, B 3 s and C 8 s.
    speedup : float
        That of program A, above 0: time before over time after.
    others : (float, float)
        Speedups of B and C.

    Examples
    --------
    >>> scene = suite_mix("equally long before", 4.0)
    >>> round(scene.values["total before / total after"], 3)
    1.5
    """
    one_of("mix", mix, MIXES)
    speedups = positive("speedup", np.array([speedup, *others], dtype=np.float64))
    lengths = [np.array([1.0, 3.0, 8.0]), np.ones(3), speedups][MIXES.index(mix)]
    before = lengths / lengths.sum()
    after = before / speedups
    ratio = float(total_time_ratio(before, after))
    time = Scale(0, _LONGEST, 16, 344)
    shapes = [
        *_bar(time, 38, before, "before"),
        *_bar(time, 100, after, "after"),
        *time.below(_AXIS, "time (1 = all three before)"),
    ]
    for i, (name, value) in enumerate(zip(_NAMES, speedups, strict=True)):
        entry = (f"{name}: speedup {value:g}", i + 1, _FILLS[i])
        shapes += legend(16 if i < 2 else 190, 200 + 22 * (i % 2), [entry])
    says = (
        f"{mix.capitalize()}: the three programs together are {ratio:.3g} times as fast."
        f"{_MEANS[MIXES.index(mix)]}"
    )
    return Scene(236, shapes, says, {"total before / total after": ratio})


def _bar(time: Scale, y: float, lengths: Floats, title: str) -> list[Shape]:
    """Return the programs one after the other, named where there is room."""
    shapes: list[Shape] = [Text(title, time.start, y - 20, anchor="start", bold=True)]
    ends = np.cumsum(lengths)
    for i, (length, end) in enumerate(zip(lengths, ends, strict=True)):
        wide = time.length(length)
        shapes.append(Box(time(end - length), y - 11, wide, 22, "", i + 1, _FILLS[i]))
        if wide > 18:
            shapes.append(Text(_NAMES[i], time(end - length / 2), y + 22))
    return [*shapes, Text(f"{ends[-1]:.3g}", time(ends[-1]) + 8, y, anchor="start")]
