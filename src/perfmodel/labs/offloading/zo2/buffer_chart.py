"""Six blocks that are loaded, computed and stored, with one to four buffers, up to a moment."""

from __future__ import annotations

from perfmodel.live.drawing import Box, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.offloading import FlowShopRun, run_flow_shop
from perfmodel.validation import whole, within

BLOCKS, TIMES = 6, (2.0, 3.0, 2.0)
END = BLOCKS * sum(TIMES)
_LEFT, _RIGHT, _TOP, _ROW = 58.0, 352.0, 26.0, 28.0
_NAMES = ("load", "compute", "store")
_LOOKS: tuple[tuple[int, Fill], ...] = ((1, "light"), (2, "solid"), (3, "hatch"))


def buffer_steps(buffers: int, moment: float) -> Scene:
    """Draw what link in, GPU and link out did up to a moment (ms), and who is in which buffer.

    Loads and stores take 2 ms, products 3.

    >>> [buffer_steps(k, END).values["all stored (ms)"] for k in (1, 2, 3, 4)]
    [42.0, 24.0, 22.0, 22.0]
    """
    count, now = whole("buffers", buffers, 1, 4), float(within("moment", moment, 0, END))
    run = run_flow_shop([TIMES] * BLOCKS, slots=count)
    across = Scale(0, END, _LEFT, _RIGHT)
    shapes: list[Shape] = [
        Text(name, 4, _middle(stage), "start") for stage, name in enumerate(_NAMES)
    ]
    shapes += _boxes(run, now, across)
    low = _TOP + len(TIMES) * _ROW + 4
    shapes.append(Line([(across(now), _TOP - 8), (across(now), low)], style="thin"))
    shapes += across.below(low, "time (ms)")
    in_buffers = _held(run, count, now)
    top = low + 50
    shapes.append(Text("buffers", 4, top + 12, "start"))
    for slot, block in enumerate(in_buffers):
        fill: Fill = "none" if block is None else "light"
        words = "" if block is None else str(block + 1)
        shapes.append(Box(_LEFT + 44 * slot, top, 36, 24, words, 4, fill))
    span = float(run.makespan)
    busy = float((run.end[:, 1].clip(max=now) - run.start[:, 1].clip(max=now)).sum())
    used = sum(block is not None for block in in_buffers)
    says = (
        f"{count} buffer{'s' * (count > 1)}, after {now:g} ms: {used} in use, the GPU computed for "
        f"{busy:g} ms. All is stored after {span:g} ms."
    )
    values = {"all stored (ms)": span, "computed (ms)": busy, "buffers in use": float(used)}
    return Scene(top + 30, shapes, says, values)


def _boxes(run: FlowShopRun, now: float, across: Scale) -> list[Shape]:
    """Return a box for each stay at a stage that has begun, cut off at the moment."""
    shapes: list[Shape] = []
    for job in range(BLOCKS):
        for stage, (colour, fill) in enumerate(_LOOKS):
            begin, end = float(run.start[job, stage]), float(run.end[job, stage])
            if begin >= now:
                continue
            cut = min(end, now)
            words = str(job + 1) if cut == end and fill != "hatch" else ""
            y = _middle(stage) - 10
            shapes.append(across.bar(begin, y, cut - begin, 20, words, colour, fill))
    return shapes


def _held(run: FlowShopRun, buffers: int, now: float) -> list[int | None]:
    """Return which block is in each buffer: they are taken in turn."""
    in_buffers: list[int | None] = [None] * buffers
    for job in range(BLOCKS):
        if run.start[job, 0] <= now < run.end[job, -1]:
            in_buffers[job % buffers] = job
    return in_buffers


def _middle(stage: int) -> float:
    return _TOP + (stage + 0.5) * _ROW
