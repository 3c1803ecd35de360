"""A harmonic mean drawn: each task's time as a multiple of the expert's, and their average."""

from __future__ import annotations

from perfmodel.benchmarking import arithmetic_mean, geometric_mean, harmonic_mean, harmonic_shares
from perfmodel.labs.benchmarking.swe_fficiency.scores import clamped_score
from perfmodel.live.drawing import Box, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.validation import at_least, positive

_OTHERS = (1.25, 1.0, 0.5, 0.4)
_LONGEST = 20.0
_TOP, _ROW = 52.0, 24.0


def slowness_bars(worst: float, clamp: float = 0.05) -> Scene:
    """Draw five tasks as bars: how many times as long as the expert's patch the agent's takes.

    `worst` is the speedup ratio of the fifth task; a ratio counts as at least `clamp`.

    >>> round(slowness_bars(0.1).values["harmonic mean"], 3)
    0.307
    """
    at_least("worst", worst, 1 / _LONGEST)
    positive("clamp", clamp)
    ratios = [*_OTHERS, max(worst, clamp)]
    times = Scale(0, _LONGEST, 64, 344)
    score = float(clamped_score([*_OTHERS, worst], clamp))
    shapes: list[Shape] = []
    for place, ratio in enumerate(ratios):
        shapes += _row(times, place, ratio, cut=place == 4 and worst < clamp)
    bottom = _TOP + 5 * _ROW
    one, middle = times(1), times(1 / score)
    shapes.append(Line([(one, 10), (one, bottom)], style="dashed"))
    shapes.append(Text("expert: 1", one + 6, 18, anchor="start"))
    shapes.append(Line([(middle, 28), (middle, bottom)], 3, "thick"))
    shapes.append(Text(f"average: {1 / score:.3g}", middle + 6, 36, anchor="start"))
    shapes += times.below(bottom + 6, "time over the expert's")
    return Scene(bottom + 42, shapes, _says(ratios, worst, clamp), _values(ratios, score))


def _row(times: Scale, place: int, ratio: float, cut: bool) -> list[Shape]:
    y = _TOP + place * _ROW
    fill: Fill = "hatch" if place == 4 else "light"
    return [
        Text("cut off" if cut else f"task {place + 1}", 58, y + 9, anchor="end"),
        Box(times(0), y, times.length(1 / ratio), 18, "", 1 + place // 4, fill),
    ]


def _says(ratios: list[float], worst: float, clamp: float) -> str:
    share = float(harmonic_shares(ratios)[-1])
    counts = f", counted as {clamp:g}," if worst < clamp else ""
    return (
        f"A fifth task with ratio {worst:g}{counts} is {100 * share:.0f} % of the sum of the bars; "
        f"the harmonic mean is {harmonic_mean(ratios):.2g}."
    )


def _values(ratios: list[float], score: float) -> dict[str, float]:
    return {
        "harmonic mean": score,
        "geometric mean": float(geometric_mean(ratios)),
        "arithmetic mean": float(arithmetic_mean(ratios)),
    }
