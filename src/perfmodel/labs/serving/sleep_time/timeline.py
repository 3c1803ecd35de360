"""A context, idle time and questions along time, up to a moment.

Two servers get the same context and the same questions. One waits for questions. The other starts
to work at once and finishes this work first, so a question that comes too early has to wait.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perfmodel.live.drawing import Box, Circle, Fill, Line, Scale, Scene, Shape, Text
from perfmodel.serving import Precomputation
from perfmodel.validation import Floats, non_negative, sample, within

PLAN = Precomputation(ahead=8.0, fresh=5.0, factor=5.0, weight=10.0)
"""Seconds of one server; the drawing's own numbers, with the paper's factor and weight."""
GAPS = (0.0, 4.0, 8.0, 12.0)
"""Seconds between the context and its first question."""
SPACING = 3.0
"""Seconds between two questions."""
QUESTIONS = 4
END = 32.0
_LEFT, _RIGHT = 76.0, 352.0
_ROWS = {"questions": 22.0, "in time": 62.0, "ahead": 102.0}


class Answers(NamedTuple):
    """When each question is worked on, shape (n,)."""

    came: Floats
    start: Floats
    end: Floats

    @property
    def response(self) -> Floats:
        """Seconds from each question to its answer."""
        return self.end - self.came


def played(gap: float, prepared: bool, plan: Precomputation = PLAN) -> Answers:
    """Return when the questions are answered, the first one `gap` seconds after the context.

    >>> [played(12.0, prepared).response.round(1).tolist() for prepared in (False, True)]
    [[5.0, 7.0, 9.0, 11.0], [1.0, 1.0, 1.0, 1.0]]
    """
    came = float(non_negative("gap", gap)) + SPACING * np.arange(QUESTIONS, dtype=np.float64)
    each = plan.fresh / plan.factor if prepared else plan.fresh
    return answer_times(came, each, plan.ahead if prepared else 0.0)


def answer_times(came: Floats, each: float, busy: float) -> Answers:
    """Return when questions are answered one after the other, the server `busy` (s) at first.

    By Lindley's recursion, written as a running maximum.

    >>> answer_times(np.array([0.0, 3.0, 9.0]), 2.0, 4.0).end
    array([ 6.,  8., 11.])
    """
    times = sample("came", came)
    before = each * np.arange(times.size)
    start = np.maximum.accumulate(np.maximum(times, busy) - before) + before
    return Answers(times, start, start + each)


def sleep_timeline(gap: float, moment: float) -> Scene:
    """Draw both servers up to a moment, with costs and mean response times.

    The first question comes `gap` seconds after the context.

    >>> sleep_timeline(12.0, 32.0).values["mean response ahead (s)"]
    1.0
    """
    now = float(within("moment", moment, 0, END))
    across = Scale(0, END, _LEFT, _RIGHT)
    plain, ahead = played(gap, False), played(gap, True)
    shapes: list[Shape] = [
        Text(name, 2, y + 10, "start")
        for name, y in zip(("questions", "in time", "ahead"), _ROWS.values(), strict=True)
    ]
    shapes += _bars(across, _ROWS["in time"], plain, now, 1)
    done_ahead = min(PLAN.ahead, now)
    if done_ahead > 0:
        label = "idle work" if across.length(done_ahead) > 66 else ""
        wide = across.length(done_ahead)
        shapes.append(Box(across(0), _ROWS["ahead"], wide, 20, label, 2, "hatch"))
    shapes += _bars(across, _ROWS["ahead"], ahead, now, 2)
    for came in plain.came[plain.came <= now]:
        shapes.append(Circle(across(came), _ROWS["questions"] + 10, 5, "", 3, "solid"))
    low = _ROWS["ahead"] + 30
    shapes.append(Line([(across(now), 14), (across(now), low)], style="thin"))
    shapes += across.below(low, "time since the context came (s)")
    unseen = min(done_ahead, gap)
    costs = [_cost(plain, now), _cost(ahead, now) + unseen + PLAN.weight * (done_ahead - unseen)]
    finished = [int((run.end <= now).sum()) for run in (plain, ahead)]
    says = (
        f"After {now:g} s the server without work ahead has answered {finished[0]} of {QUESTIONS} "
        f"questions, the other {finished[1]}. Their costs so far are {costs[0]:.0f} and "
        f"{costs[1]:.0f}, if a second in which a user waits counts {PLAN.weight:g} times. In the "
        f"end a question takes {plain.response.mean():.1f} s or {ahead.response.mean():.1f} s on "
        "average."
    )
    if gap < PLAN.ahead:
        says += " The first question comes before the work ahead is done and waits for it."
    values = {
        "paid in time": costs[0],
        "paid ahead": costs[1],
        "mean response in time (s)": float(plain.response.mean()),
        "mean response ahead (s)": float(ahead.response.mean()),
    }
    return Scene(low + 36, shapes, says, values)


def _bars(across: Scale, y: float, run: Answers, now: float, colour: int) -> list[Shape]:
    shapes: list[Shape] = []
    for number, (start, end) in enumerate(zip(run.start, run.end, strict=True), 1):
        wide = across.length(min(float(end), now) - float(start))
        if wide > 0:
            label = str(number) if wide > 14 else ""
            fill: Fill = "solid" if number % 2 else "light"
            shapes.append(Box(across(float(start)), y, wide, 20, label, colour, fill))
    return shapes


def _cost(run: Answers, now: float) -> float:
    worked = np.clip(now - run.start, 0, run.end - run.start).sum()
    return float(PLAN.weight * worked)
