"""A layer's experts placed one by one from both ends of the list, drawn up to a placement."""

from __future__ import annotations

from perfmodel.labs.offloading.hybrimoe.layers import CACHED, LOADS, expert_jobs
from perfmodel.live.drawing import Box, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.offloading import HostDeviceSchedule, heavy_cached_first, two_ended_list
from perfmodel.validation import whole, within

NAMES = "ABCDEF"
END = 3.0
"""Milliseconds that are drawn."""
_LEFT, _RIGHT = 44.0, 352.0
_LIST, _FIRST, _ROW = 30.0, 96.0, 34.0


def placement_steps(placed: int, per_token: float = 1e-3) -> Scene:
    """Draw the list of six experts and who does which of the `placed` first ones.

    `per_token` is in seconds of the CPU, up to 1 ms.

    >>> round(placement_steps(6).values["finished (ms)"], 6)
    2.5
    """
    count = int(within("placed", whole("placed", placed), 0, len(LOADS)))
    jobs = expert_jobs(LOADS, CACHED, float(within("per_token", per_token, 0, 1e-3)))
    schedule, now = two_ended_list(jobs), [int(job) for job in heavy_cached_first(jobs)]
    done = [int(job) for job in schedule.order[:count]]
    across = Scale(0, END, _LEFT, _RIGHT)
    shapes = _list(now, done)
    for row, name in enumerate(("link", "GPU", "CPU")):
        y = _FIRST + _ROW * row
        shapes.append(Text(name, 4, y, "start"))
        shapes.append(Line([(_LEFT, y + 15), (_RIGHT, y + 15)], style="thin"))
    for job in done:
        shapes += _bars(schedule, job, across)
    low = _FIRST + 3 * _ROW - 8
    shapes += across.below(low, "time (ms)")
    shapes += legend(16, low + 52, [("cached", 1, "solid"), ("not cached", 2, "light")])
    shapes += legend(190, low + 52, [("being fetched", 3, "hatch")])
    ends = [
        1e3 * float(max(schedule.end[done][schedule.on_host[done] == who], default=0))
        for who in (False, True)
    ]
    says = f"{count} of 6 placed: the GPU is done at {ends[0]:.2f} ms, the CPU at {ends[1]:.2f} ms."
    if done:
        last = done[-1]
        where = "CPU" if schedule.on_host[last] else "GPU"
        says += f" Placed last: {NAMES[last]}, on the {where}."
    return Scene(low + 88, shapes, says, {"finished (ms)": max(ends), "CPU (ms)": ends[1]})


def _list(order: list[int], done: list[int]) -> list[Shape]:
    """Return the list, an expert a box; those placed are gone, and the two ends are named."""
    shapes: list[Shape] = [Text("list", 4, _LIST, "start")]
    remaining = [job for job in order if job not in done]
    width = (_RIGHT - _LEFT) / len(order)
    middles = {job: _LEFT + (index + 0.5) * width for index, job in enumerate(order)}
    for job in remaining:
        fill: Fill = "solid" if CACHED[job] else "light"
        colour = 1 if CACHED[job] else 2
        label = f"{NAMES[job]}: {LOADS[job]}"
        x = middles[job] - width / 2
        shapes.append(Box(x + 2, _LIST - 12, width - 4, 24, label, colour, fill))
    if len(remaining) == 1:
        shapes.append(Text("GPU or CPU?", min(middles[remaining[0]], _RIGHT - 40), _LIST + 26))
    elif remaining:
        shapes.append(Text("GPU?", middles[remaining[0]], _LIST + 26))
        shapes.append(Text("CPU?", middles[remaining[-1]], _LIST + 26))
    return shapes


def _bars(schedule: HostDeviceSchedule, job: int, across: Scale) -> list[Shape]:
    """Return the bars of a placed expert: of its fetch, if any, and of its work."""
    bars: list[Shape] = []
    row = 2 if schedule.on_host[job] else 1
    fetched = float(schedule.fetched[job])
    if fetched:
        length = 1e3 * float(schedule.jobs.fetch[job])
        x = across(1e3 * fetched - length)
        bars.append(Box(x, _FIRST - 10, across.length(length), 20, NAMES[job], 3, "hatch"))
    start, end = 1e3 * float(schedule.start[job]), 1e3 * float(schedule.end[job])
    bars.append(
        across.bar(
            start,
            _FIRST + _ROW * row - 10,
            end - start,
            20,
            NAMES[job],
            1 if CACHED[job] else 2,
            "solid" if CACHED[job] else "light",
        )
    )
    return bars
