"""What the reader does: the line that makes the accumulator, and a mean over many windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perfmodel.tasks import Mistake, Task


def accumulated(times: Sequence[float], jumps: Sequence[int]) -> float:
    """Return the job-seconds up to the last event."""
    area, inside, before = 0.0, 0, 0.0
    for now, jump in zip(times, jumps, strict=True):
        area += inside * (now - before)
        inside += jump
        before = now
    return area


accumulator = Task(
    "The line that makes the accumulator",
    reference=accumulated,
    cases=[
        ([1.0, 2.0, 4.0, 7.0], [1, 1, -1, -1]),
        ([0.5, 1.0, 1.5, 4.0, 6.0, 9.0], [1, 1, -1, 1, -1, -1]),
    ],
    mistakes=[
        Mistake(
            "after the jump",
            lambda times, jumps: (np.cumsum(jumps) * np.diff(times, prepend=0.0)).sum(),
            "You counted the job that has just come, or left out the one that is just leaving, "
            "over the whole time since the event before. How many were inside during that time?",
        ),
        Mistake(
            "time since the start",
            lambda times, jumps: ((np.cumsum(jumps) - jumps) * np.asarray(times)).sum(),
            "`now` is the time since the start. The accumulator has the part up to `before` "
            "already: add what is new.",
        ),
        Mistake(
            "heads, not seconds",
            lambda times, jumps: (np.cumsum(jumps) - jumps).sum(),
            "You added up the number inside, once an event. How long was it that number?",
        ),
        Mistake(
            "seconds, not jobs",
            lambda times, jumps: times[-1],
            "You added up seconds, whoever was inside. Each job inside adds its own second.",
        ),
    ],
    hint="Between two events the number inside doesn't change: a column as wide as the time from "
    "`before` to `now`, and as high as `inside` was during it.",
    right="One multiplication and one addition an event: this is all that the kernel pays for a "
    "response time that nobody times.",
    unit="job s",
)

mean_over_windows = Task(
    "One mean response time over many windows",
    reference=lambda areas, completions: areas.sum() / completions.sum(),
    cases=[
        (np.array([270.0, 4.0]), np.array([1800, 400])),
        (np.array([1.0, 60.0, 2.0]), np.array([100, 1000, 50])),
    ],
    mistakes=[
        Mistake(
            "mean of the means",
            lambda areas, completions: (areas / completions).mean(),
            "You gave each window the same weight. A quiet minute with few requests then counts "
            "as much as the busy one, in which nearly all requests were made.",
        ),
        Mistake(
            "sum of the means",
            lambda areas, completions: (areas / completions).sum(),
            "You added the windows' mean response times. A mean of all requests lies between them.",
        ),
        Mistake(
            "weighted by area",
            lambda areas, completions: (areas**2 / completions).sum() / areas.sum(),
            "You weighted the windows by their job-seconds. Each request should count once: what "
            "says how many there were?",
        ),
        Mistake(
            "population: over the hour's seconds",
            lambda areas, completions: areas.sum() / 3600,
            "Request-seconds over seconds are requests: the mean number inside. You are asked for "
            "seconds a request.",
        ),
        Mistake(
            "population: over the windows' seconds",
            lambda areas, completions: areas.sum() / (60 * areas.size),
            "Request-seconds over seconds are requests: the mean number inside. You are asked for "
            "seconds a request.",
        ),
        Mistake(
            "requests left out",
            lambda areas, completions: areas.mean(),
            "That is a mean over windows, in job-seconds a window. You are asked for seconds a "
            "request.",
        ),
    ],
    hint="By how much did each counter grow over the whole hour? The growths of the minutes add "
    "up; then it is one division.",
    right="Counters of windows, and of machines, can be added and then divided. Their quotients "
    "can't be averaged, nor can percentiles.",
    unit="s",
)
