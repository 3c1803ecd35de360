"""Gaps between buses on a line, and what the passengers who come into them wait."""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Area, Circle, Line, Scale, Scene, Shape, Text
from perfmodel.queueing.operational_analysis.sampling import weighted_mean
from perfmodel.units import number
from perfmodel.validation import within

GAPS, PASSENGERS = 10, 20
_TOTAL = 100.0
_LONG = 4
"""The place of the long gap among the others."""


def bus_stop(short: float) -> Scene:
    """Draw ten gaps between buses in 100 min, and the wait of 20 passengers spread over them.

    Nine gaps have `short` minutes, 1 to 10; the tenth takes what is left, so that the mean gap is
    10 min.

    >>> bus_stop(1.0).values["mean wait (min)"], bus_stop(10.0).values["mean wait (min)"]
    (41.45, 5.0)
    """
    low = float(within("short", short, 1, _TOTAL / GAPS))
    gaps = np.full(GAPS, low)
    gaps[_LONG] = _TOTAL - low * (GAPS - 1)
    begins = gaps.cumsum() - gaps
    comes = (np.arange(PASSENGERS) + 0.5) * _TOTAL / PASSENGERS
    place = np.searchsorted(begins, comes, side="right") - 1
    inside = int((place == _LONG).sum())
    wait = weighted_mean(gaps, gaps) / 2
    time, up = Scale(0, _TOTAL, 40, 348), Scale(0, 95, 198, 50)
    shapes: list[Shape] = [*up.beside(40, "wait for the next bus (min)")]
    for begin, gap in zip(begins, gaps, strict=True):
        corners = [(time(begin), up(0)), (time(begin), up(gap)), (time(begin + gap), up(0))]
        shapes.append(Area(corners, 1, "light"))
    shapes.append(Line([(time(0), up(wait)), (time(_TOTAL), up(wait))], 2, "dashed"))
    for at, gap in zip(comes, place, strict=True):
        shapes.append(Circle(time(at), 212, 4, "", 2, "solid" if gap == _LONG else "none"))
    shapes += time.below(226, "time (min); circles: passengers")
    length = number(round(float(gaps[_LONG]), 2))
    shapes.append(Text(f"nine gaps of {number(low)} min, one of {length} min", 348, 13, "end"))
    says = (
        f"{inside} of {PASSENGERS} passengers come in the marked gap, of {length} min; the mean "
        f"gap is {_TOTAL / GAPS:g} min, the mean wait {wait:.4g} min."
    )
    return Scene(264, shapes, says, {"mean wait (min)": wait, "in the marked gap": inside})
