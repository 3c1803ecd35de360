"""A warp scheduler: warps by cycles, one issue slot a cycle."""

from __future__ import annotations

from collections.abc import Sequence

from perfmodel.live.drawing import Box, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.validation import whole

_BASE, _ROOM = 182.0, 150.0
"""Lower end of the warps' rows, and the height of all of them."""


def warp_schedule(issues: Sequence[tuple[int, int]], until: int, max_warps: int = 24) -> Scene:
    """Draw which warp issued in which cycle `until` some cycle, and the slots left empty.

    `issues` are pairs of cycle and warp that rise in cycles from 0, ten warps at most, such as the
    "Modern GPU cores" lab's `simulate` returns; the axis has room for `max_warps` cycles.

    >>> warp_schedule([(0, 0), (4, 0), (8, 0)], until=8).values["slots used (%)"]
    25.0
    """
    last = whole("until", until, 1)
    warps = 1 + max(warp for _, warp in issues)
    cycle = Scale(0, whole("max_warps", max_warps, last), 64, 350)
    row = min(26.0, _ROOM / warps)
    issued = [(when, warp) for when, warp in issues if when < last]
    shapes: list[Shape] = []
    for warp in range(warps):
        y = _BASE - (warp + 1) * row
        shapes.append(Text(f"warp {warp}", 56, y + row / 2, anchor="end"))
        shapes.append(Line([(cycle.start, y + row), (cycle.end, y + row)], style="thin"))
    for when, warp in issued:
        y = _BASE - (warp + 1) * row
        shapes.append(cycle.bar(when, y + 3, 1, row - 5, "", 1 + warp % 6, "solid"))
    shapes += _slots({when for when, _ in issued}, last, cycle, _BASE + 10)
    shapes += cycle.below(_BASE + 36, "cycle")
    used = 100 * len(issued) / last
    says = (
        f"The scheduler issues {len(issued)} instruction{'s' * (len(issued) != 1)} in {last} "
        f"cycle{'s' * (last > 1)}. This fills {used:.3g} % of the slots."
    )
    return Scene(256, shapes, says, {"slots used (%)": used, "empty slots": last - len(issued)})


def _slots(full: set[int], last: int, cycle: Scale, y: float) -> list[Shape]:
    shapes: list[Shape] = [Text("slot", 56, y + 9, anchor="end", bold=True)]
    wide = cycle.length(1)
    for when in range(last):
        fill: Fill = "solid" if when in full else "hatch"
        shapes.append(Box(cycle(when), y, wide, 18, "", 0 if when in full else 2, fill))
    return [*shapes, Text("hatched: nobody may issue", cycle.start, 18, anchor="start")]
