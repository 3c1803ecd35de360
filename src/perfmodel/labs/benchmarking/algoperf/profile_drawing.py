"""How one submission's times become a profile and its area, as a drawing."""

from __future__ import annotations

import numpy as np

from perfmodel.benchmarking.profiles import performance_profile
from perfmodel.labs.benchmarking.algoperf.competition import R_MAX, competition
from perfmodel.live.drawing import Area, Box, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import stairs
from perfmodel.validation import Floats, one_of, within

SHORT = ("Criteo", "fastMRI", "ResNet", "ViT", "Conformer", "DeepSpeech", "OGBG", "WMT")
"""Names of the base workloads that fit beside a bar."""
_ROW, _TOP = 16.0, 26.0
_LOW, _HIGH = 290.0, 200.0


def profile_drawing(submission: str, factor: float) -> Scene:
    """Draw ratios to the fastest as bars, and below them the profile up to a factor.

    >>> profile_drawing("shampoo_submission", 1.2).values["share of workloads"]
    0.625
    """
    table, tau = competition("external"), float(within("factor", factor, 1, R_MAX))
    one_of("submission", submission, table.submissions)
    ratios = table.ratios[table.submissions.index(submission)]
    across = Scale(1, R_MAX, 96, 348)
    shapes: list[Shape] = [Text("time over the least (line: factor)", 222, 12)]
    for row, (name, ratio) in enumerate(zip(SHORT, ratios, strict=True)):
        shapes += _bar(_TOP + row * _ROW, name, float(ratio), tau, across)
    shapes += _area(ratios, tau, across)
    share = float(performance_profile(ratios, tau)[0])
    area = float(np.maximum(tau - ratios, 0).mean() / (R_MAX - 1))
    says = (
        f"Within {tau:.4g} times the least: {8 * share:.0f} of 8 workloads; "
        f"the area so far is {area:.3f} of the whole."
    )
    return Scene(334, shapes, says, {"share of workloads": share, "area so far": area})


def _bar(y: float, name: str, ratio: float, tau: float, across: Scale) -> list[Shape]:
    """Return a workload's row, solid where it is within the factor, which a line marks."""
    words = Text(name, 88, y + 6, anchor="end")
    if np.isinf(ratio):
        return [words, Text("does not count", 340, y + 6, anchor="end")]
    fill: Fill = "solid" if ratio <= tau else "hatch"
    mark = Line([(across(tau), y - 2), (across(tau), y + 14)], 2)
    return [words, Box(across.start, y, max(across.length(ratio - 1), 2), 12, "", 1, fill), mark]


def _area(ratios: Floats, tau: float, across: Scale) -> list[Shape]:
    """Return the profile up to the factor, with the area below it and both axes."""
    up = Scale(0, 1, _LOW, _HIGH)
    jumps = [1.0, *sorted({float(r) for r in ratios if 1 < r < tau}), tau]
    levels = [float(v) for v in performance_profile(ratios, jumps)]
    levels[-1] = levels[-2]
    corners = stairs(jumps, levels, across, up)
    shapes: list[Shape] = []
    if tau > 1:
        base = [(corners[-1][0], up(0)), (corners[0][0], up(0))]
        shapes += [Area([*corners, *base], 3, "light"), Line(corners, 1)]
    shapes += across.below(_LOW, "factor")
    return [*shapes, *up.beside(across.start, "share of workloads within the factor", 2)]
