"""A training between interruptions: recovery, work, saves, and what the next one destroys."""

from __future__ import annotations

from perfmodel.live.drawing import Fill, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.scaling import simulate_interruptions
from perfmodel.validation import within

GAPS = (4.13, 1.42, 3.24)
"""Hours from one interruption to the next."""
RECOVERY = 0.25
"""Hours."""


def checkpoint_timeline(interval: float, save: float) -> Scene:
    """Draw three gaps between interruptions, one a row, with a save after each interval of work.

    Parameters
    ----------
    interval, save : float
        Hours of work from save to save, 0.2 to 4, and hours of a save, 0 to 1.

    Examples
    --------
    >>> checkpoint_timeline(1.0, 0.1).values["work kept (h)"]
    6.0
    """
    work, cost = float(within("interval", interval, 0.2, 4)), float(within("save", save, 0, 1))
    run = simulate_interruptions(GAPS, work, cost, RECOVERY)
    time = Scale(0, 4.4, 16, 344)
    shapes: list[Shape] = []
    for x, (name, colour, fill) in zip((16, 88, 160, 232), _KINDS, strict=True):
        shapes += legend(x, 16, [(name, colour, fill)])
    for row, gap in enumerate(GAPS):
        shapes += _gap(time, 62 + 58 * row, gap, work, cost, row)
    shapes += time.below(218, "hours since the last interruption")
    says = (
        f"With a save after each {60 * work:.0f} min of work, {100 * run.efficiency:.0f} % of the "
        f"time is work that is kept. The run loses {run.lost:.2f} h and does them again."
    )
    values = {"work kept (h)": run.work, "saving (h)": run.saving, "done again (h)": run.lost}
    return Scene(254, shapes, says, values)


_KINDS: tuple[tuple[str, int, Fill], ...] = (
    ("work", 1, "solid"),
    ("save", 3, "hatch"),
    ("lost", 2, "light"),
    ("recovery", 0, "none"),
)


def _gap(time: Scale, y: float, gap: float, work: float, cost: float, row: int) -> list[Shape]:
    """Return the boxes of one gap: recovery, complete blocks of work and save, and the rest."""
    shapes: list[Shape] = [
        Text(f"gap {row + 1}: interrupted after {gap:g} h", 16, y - 19, anchor="start"),
        time.bar(0, y - 8, RECOVERY, 22),
    ]
    blocks = round(simulate_interruptions([gap], work, cost, RECOVERY).work / work)
    for at in (RECOVERY + block * (work + cost) for block in range(blocks)):
        shapes.append(time.bar(at, y - 8, work, 22, "", 1, "solid"))
        if cost:
            shapes.append(time.bar(at + work, y - 8, cost, 22, "", 3, "hatch"))
    at = RECOVERY + blocks * (work + cost)
    if gap > at:
        shapes.append(time.bar(at, y - 8, gap - at, 22, "", 2, "light"))
    return shapes
