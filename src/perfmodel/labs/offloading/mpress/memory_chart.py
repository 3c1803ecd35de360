"""Memory of eight stages at a moment of 1F1B, and the memory of a GPU."""

from __future__ import annotations

from functools import cache

import numpy as np

from perfmodel.communication import TaskRun, one_f_one_b, simulate_pipeline
from perfmodel.labs.offloading.mpress.inputs import servers
from perfmodel.labs.offloading.mpress.swapping import PipelineJob
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import at_least, within

JOB = PipelineJob(micro_batches=12)
FORWARD, BACKWARD = 1.0, 2.0
END = (JOB.micro_batches + JOB.stages - 1) * (FORWARD + BACKWARD)
_TOP, _LOW, _LEFT, _RIGHT = 28.0, 196.0, 40.0, 350.0
_MOST = 60.0


def memory_by_stage(moment: float, layers: int = 48) -> Scene:
    """Draw what each stage of a model of `layers`, a multiple of 8 up to 48, holds at a moment.

    The moment is in units of a forward pass through a stage, 0 to 57; a backward pass takes two.

    >>> round(memory_by_stage(20.0).values["stage 0 (GB)"], 1)
    49.1
    """
    now = float(within("moment", moment, 0, END))
    job = JOB.with_layers(int(within("layers", at_least("layers", layers, 1), 1, 48)))
    in_flight = [_held(stage, now) for stage in range(job.stages)]
    peaks = [int(_played().peak(stage)) for stage in range(job.stages)]
    up = Scale(0, _MOST, _LOW, _TOP)
    width = (_RIGHT - _LEFT) / job.stages
    states, each = job.states / 1e9, job.activation / 1e9
    server = servers()["V100"]
    capacity = server.capacity / 1e9
    shapes: list[Shape] = [*up.beside(_LEFT, "memory (GB)")]
    for stage, (count, peak) in enumerate(zip(in_flight, peaks, strict=True)):
        x = _LEFT + stage * width + 5
        shapes.append(Box(x, up(states), width - 12, _LOW - up(states), "", 1, "solid"))
        for index in range(peak):
            y = up(states + (index + 1) * each)
            fill = "light" if index < count else "none"
            shapes.append(Box(x, y, width - 12, up(0) - up(each), "", 2, fill))  # type: ignore[arg-type]
        shapes.append(Text(str(stage), x + width / 2 - 6, _LOW + 12))
    shapes.append(Line([(_LEFT, up(capacity)), (_RIGHT, up(capacity))], style="dashed"))
    shapes.append(Text("stage", (_LEFT + _RIGHT) / 2, _LOW + 30))
    shapes += legend(16, _LOW + 54, [("states", 1, "solid"), ("micro-batch held", 2, "light")])
    shapes += legend(190, _LOW + 54, [("held at most", 2, "none")])
    shapes.append(Text(f"dashed: {capacity:.0f} GB", 190, _LOW + 74, "start"))
    holds = states + each * np.array(in_flight)
    over = [str(stage) for stage, size in enumerate(holds) if size > capacity]
    where = f"too much on stages {', '.join(over)}" if over else "every stage fits"
    ends = f"stage 0 holds {in_flight[0]}, stage 7 {in_flight[-1]}"
    says = f"After {now:g} forward passes {ends}: {where}."
    values = {"stage 0 (GB)": float(holds[0]), "stage 7 (GB)": float(holds[-1])}
    return Scene(_LOW + 86, shapes, says, values)


@cache
def _played() -> TaskRun:
    return simulate_pipeline(one_f_one_b(JOB.stages, JOB.micro_batches), FORWARD, BACKWARD)


def _held(stage: int, now: float) -> int:
    times, level = _played().level(stage)
    return int(level[np.searchsorted(times, now, side="right") - 1])
