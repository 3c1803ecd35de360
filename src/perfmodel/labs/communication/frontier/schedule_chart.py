"""Four stages that take six micro-batches forward and backward, drawn up to a moment."""

from __future__ import annotations

from functools import cache

import numpy as np

from perfmodel.communication import PipelineSchedule, TaskRun, gpipe, one_f_one_b, simulate_pipeline
from perfmodel.live.drawing import Box, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.validation import one_of, within

STAGES, MICRO_BATCHES = 4, 6
FORWARD, BACKWARD = 1.0, 2.0
END = (MICRO_BATCHES + STAGES - 1) * (FORWARD + BACKWARD)
SCHEDULES = {"GPipe": gpipe, "1F1B": one_f_one_b}
_LEFT, _RIGHT, _TOP, _ROW = 30.0, 354.0, 30.0, 28.0
_CELL = 16.0


def schedule_steps(schedule: str, moment: float) -> Scene:
    """Draw who computes what up to a moment, and what each stage holds at it.

    The moment is in units of a forward pass through a stage, 0 to 27; a backward pass takes two.

    >>> [schedule_steps(name, 10.0).values["held by stage 0"] for name in SCHEDULES]
    [6.0, 4.0]
    """
    one_of("schedule", schedule, SCHEDULES)
    now = float(within("moment", moment, 0, END))
    order, run = _played(schedule)
    across = Scale(0, END, _LEFT, _RIGHT)
    shapes: list[Shape] = [Text("stage", 2, 12, "start")]
    shapes += [Text(str(stage), 12, _middle(stage)) for stage in range(STAGES)]
    shapes += _passes(order, run, now, across)
    low = _TOP + STAGES * _ROW + 4
    shapes.append(Line([(across(now), _TOP - 8), (across(now), low)], style="thin"))
    shapes += across.below(low, "time (forward passes)")
    in_flight = [_held(order, run, stage, now) for stage in range(STAGES)]
    peaks = [int(run.peak(stage)) for stage in range(STAGES)]
    shapes += _memory(in_flight, peaks, low + 54)
    shapes += legend(214, low + 60, [("forward", 1, "light"), ("backward", 2, "solid")])
    shapes += legend(214, low + 100, [("held now", 3, "solid"), ("most held", 3, "none")])
    busy = np.minimum(run.end, now) - np.minimum(run.start, now)
    idle = 1 - float(busy.sum()) / (STAGES * now) if now else 0.0
    says = (
        f"{schedule}: after {now:g} forward passes stage 0 holds {in_flight[0]} "
        f"micro-batch{'es' * (in_flight[0] != 1)} (at most {peaks[0]}). So far the stages were "
        f"idle {100 * idle:.0f} % of the time."
    )
    values = {f"held by stage {stage}": float(count) for stage, count in enumerate(in_flight)}
    return Scene(low + 54 + STAGES * 20 + 2, shapes, says, {**values, "idle (%)": 100 * idle})


@cache
def _played(name: str) -> tuple[PipelineSchedule, TaskRun]:
    order = SCHEDULES[name](STAGES, MICRO_BATCHES)
    return order, simulate_pipeline(order, FORWARD, BACKWARD)


def _passes(order: PipelineSchedule, run: TaskRun, now: float, across: Scale) -> list[Shape]:
    """Return a box for each pass that has begun, cut off at the moment."""
    shapes: list[Shape] = []
    for stage in range(STAGES):
        for index, task in enumerate(order.task[stage]):
            begin, end = float(run.start[task]), min(float(run.end[task]), now)
            if end <= begin:
                continue
            back = bool(order.backward[stage, index])
            whole = end == run.end[task]
            shapes.append(
                across.bar(
                    begin,
                    _middle(stage) - 10,
                    end - begin,
                    20,
                    str(order.micro_batch[stage, index] + 1) if whole else "",
                    2 if back else 1,
                    "solid" if back else "light",
                )
            )
    return shapes


def _memory(in_flight: list[int], peaks: list[int], top: float) -> list[Shape]:
    """Return a row of cells for each stage: as many filled as it holds, outlined up to its most."""
    shapes: list[Shape] = [Text("held", 2, top - 12, "start")]
    for stage, (count, peak) in enumerate(zip(in_flight, peaks, strict=True)):
        y = top + 20 * stage
        shapes.append(Text(str(stage), 12, y + 8))
        for cell in range(peak):
            fill: Fill = "solid" if cell < count else "none"
            x = _LEFT + (_CELL + 4) * cell
            shapes.append(Box(x, y, _CELL, _CELL, "", 3, fill))
    return shapes


def _held(order: PipelineSchedule, run: TaskRun, stage: int, now: float) -> int:
    """Return the forward passes that are drawn less the backward passes drawn to their end."""
    tasks, back = order.task[stage], order.backward[stage]
    return int((run.start[tasks[~back]] < now).sum() - (run.end[tasks[back]] <= now).sum())


def _middle(stage: int) -> float:
    return _TOP + (stage + 0.5) * _ROW
