"""An accelerator that takes all images that wait: more images, larger batches."""

from __future__ import annotations

from perfmodel.labs.queueing.dnn_server.server import EXAMPLE
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.units import number
from perfmodel.validation import positive, within

_END = 24.0
_LATER = 400.0
"""Milliseconds; over the second half of them the means are taken, far from the empty start."""


def taken_batches(gap: float, until: float = _END) -> list[tuple[float, int]]:
    """Return when batches start, in ms, and how many images each takes.

    Images come at equal distances, the first at 0; the accelerator is the example's. Images come
    every `gap` ms, 0.4 to 6, the first at 0; the accelerator is the example's, and the batches
    start before `until` ms.

    >>> [(round(start, 2), size) for start, size in taken_batches(1.0)[:3]]
    [(0.0, 1), (1.8, 1), (3.6, 2)]
    """
    wait, end = float(within("gap", gap, 0.4, 6)), float(positive("until", until))
    fixed, each = 1e3 * EXAMPLE.batch_time, 1e3 * EXAMPLE.image_time
    batches: list[tuple[float, int]] = []
    start, taken = 0.0, 0
    while start < end:
        size = min(int(start / wait + 1e-9) + 1 - taken, EXAMPLE.largest_batch)
        batches.append((start, size))
        taken += size
        start = max(start + fixed + each * size, taken * wait)
    return batches


def accelerator_batches(gap: float) -> Scene:
    """Draw images as they come, and the batches that the example's accelerator makes of them.

    >>> scene = accelerator_batches(0.5)
    >>> scene.values["images a batch"] > 5 and scene.values["busy (%)"] > 99
    True
    """
    fixed, each = 1e3 * EXAMPLE.batch_time, 1e3 * EXAMPLE.image_time
    time = Scale(0, _END, 16, 344)
    shapes: list[Shape] = legend(16, 14, [("fixed part", 2, "hatch")])
    shapes += legend(130, 14, [("images", 1, "solid")])
    shapes.append(Text("images come", 16, 44, "start"))
    for i in range(int(_END / gap + 1e-9) + 1):
        shapes.append(Line([(time(i * gap), 56), (time(i * gap), 68)]))
    shapes.append(Text("the accelerator's batches", 16, 92, "start"))
    for start, size in taken_batches(gap):
        inside, end = (min(start + part, _END) for part in (fixed, fixed + each * size))
        shapes.append(Box(time(start), 104, time.length(inside - start), 24, "", 2, "hatch"))
        if end > inside:
            shapes.append(Box(time(inside), 104, time.length(end - inside), 24, "", 1, "solid"))
        if end < _END:
            shapes.append(Text(str(size), time((start + end) / 2), 142))
    shapes += time.below(158, "time (ms); numbers: images in the batch")
    late = [batch for batch in taken_batches(gap, _LATER) if batch[0] > _LATER / 2]
    sizes = [size for _, size in late[:-1]]
    mean = sum(sizes) / len(sizes)
    busy = 100 * len(sizes) * (fixed + each * mean) / (late[-1][0] - late[0][0])
    says = (
        f"An image every {number(gap)} ms: in the long run {mean:.1f} a batch, and the accelerator "
        f"is busy for {busy:.0f} % of the time."
    )
    values = {"images a batch": mean, "busy (%)": busy, "rate (1/s)": 1e3 / gap}
    return Scene(200, shapes, says, values)
