"""A pile of patches after each clean run: the wrong ones get fewer, the true ones stay."""

from __future__ import annotations

from perfmodel.labs.benchmarking.kgym.evaluator import predictive_value
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import whole, within

PATCHES = 1000
MOST = 8
"""Clean runs that the sheet has rows for."""
_TOP, _ROW = 76.0, 22.0


def patch_sieve(runs: int, crash: float, prior: float = 0.01) -> Scene:
    """Draw the patches that are left after 0, 1, ... `runs` runs without a crash.

    `crash` is that of a patch which is no fix, `prior` the share of true fixes.

    >>> round(patch_sieve(3, 0.3).values["true among those left (%)"], 2)
    2.86
    """
    last = int(within("runs", whole("runs", runs), 0, MOST))
    width = Scale(0, PATCHES, 44, 290)
    shapes: list[Shape] = legend(44, 14, [("true fixes", 2, "solid")])
    shapes += legend(160, 14, [("no fixes", 1, "hatch")])
    shapes.append(Text("clean runs", 8, 46, anchor="start"))
    shapes.append(Text("true", 350, 46, anchor="end"))
    shapes.append(Line([(44, 60), (44, _TOP + (MOST + 1) * _ROW)]))
    for row in range(last + 1):
        shapes += _row(width, row, crash, prior)
    left, share = _left(last, crash, prior)
    says = (
        f"After {last} clean run{'s' * (last != 1)}, {left:,.0f} of {PATCHES:,} patches are left; "
        f"{_per_cent(share)} of them are true fixes."
    )
    values = {"patches left": left, "true among those left (%)": 100 * share}
    return Scene(_TOP + (MOST + 1) * _ROW + 8, shapes, says, values)


def _left(run: int, crash: float, prior: float) -> tuple[float, float]:
    """Return how many patches are left after some clean runs, and the share of true ones."""
    share = float(predictive_value(prior, crash, clean=run)) if run else prior
    return PATCHES * prior / share, share


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"


def _row(width: Scale, row: int, crash: float, prior: float) -> list[Shape]:
    y, height = _TOP + row * _ROW, _ROW - 6
    left, share = _left(row, crash, prior)
    true = width.length(PATCHES * prior)
    shapes: list[Shape] = [
        Text(str(row), 36, y + height / 2, anchor="end"),
        Box(width(0), y, true, height, "", 2, "solid"),
        Text(_per_cent(share), 350, y + height / 2, anchor="end"),
    ]
    wrong = width.length(left) - true
    if wrong > 0.5:
        shapes.append(Box(width(0) + true, y, wrong, height, "", 1, "hatch"))
    return shapes
