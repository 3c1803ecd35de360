"""Kernels from launch to end: the CPU puts them into a queue, the GPU takes them in order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.validation import positive, sample


def launch_timeline(
    launches: ArrayLike, starts: ArrayLike, ends: ArrayLike, longest: float, unit: float = 1e-6
) -> Scene:
    """Draw when each kernel is launched, waits and runs.

    `launches`, `starts` and `ends` are seconds, 12 at most, such as the "Launch queue" lab's
    `timeline` returns; the axis has room for `longest` seconds and the unit `unit`: 1e-6 for
    microseconds.

    >>> print(launch_timeline([0, 1e-6], [1e-6, 4e-6], [4e-6, 7e-6], longest=1e-5).says[:22])
    The GPU sets the pace.
    """
    launched, started, ended = (
        sample(name, values)
        for name, values in (("launches", launches), ("starts", starts), ("ends", ends))
    )
    name = {1e-6: "µs", 1e-3: "ms", 1.0: "s"}[unit]
    time = Scale(0, float(positive("longest", longest)) / unit, 48, 346)
    row = min(22.0, 150 / launched.size)
    shapes: list[Shape] = [Text("CPU", 40, 26, anchor="end", bold=True)]
    shapes.append(Text("GPU", 40, 60 + row * launched.size / 2, anchor="end", bold=True))
    for i, (came, start, end) in enumerate(zip(launched, started, ended, strict=True)):
        y = 50 + i * row
        x = [time(float(t) / unit) for t in (came, start, end)]
        shapes.append(Line([(x[0], 18), (x[0], 34)], style="thick"))
        shapes.append(Line([(x[0], y + row / 2), (x[1], y + row / 2)], 2, "dashed"))
        shapes.append(Box(x[1], y + 2, x[2] - x[1], row - 4, "", 1, "solid"))
    shapes += [Line([(time.start, 26), (time.end, 26)], style="thin")]
    shapes += time.below(56 + row * launched.size, f"time ({name})")
    told = "marks: launches. dashed: waiting. filled: running"
    shapes.append(Text(told, 16, 256, anchor="start"))
    idle = 1 - float((ended - started).sum() / (ended[-1] - launched[0]))
    waits = float((started - launched).mean()) / unit
    pace = "CPU" if np.ptp(started - launched) < 1e-12 else "GPU"
    says = (
        f"The {pace} sets the pace. A launched kernel waits {waits:.3g} {name} on average. "
        f"The GPU is idle for {100 * idle:.0f} % of the time."
    )
    return Scene(268, shapes, says, {"GPU idle (%)": 100 * idle, f"mean delay ({name})": waits})
