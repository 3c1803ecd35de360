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
            "You used the number inside after the event. How many jobs were inside during the time "
            "before it?",
        ),
        Mistake(
            "time since the start",
            lambda times, jumps: ((np.cumsum(jumps) - jumps) * np.asarray(times)).sum(),
            "`now` is the time since the start. The accumulator already has the part up to "
            "`before`. Add only the new part.",
        ),
        Mistake(
            "heads, not seconds",
            lambda times, jumps: (np.cumsum(jumps) - jumps).sum(),
            "You added the number inside once an event. How long did it have that value?",
        ),
        Mistake(
            "seconds, not jobs",
            lambda times, jumps: times[-1],
            "You added seconds without the number inside. Each job inside adds its own second.",
        ),
    ],
    hint="Between two events the number inside doesn't change. The new part is a column from "
    "`before` to `now`, and it is as high as `inside`.",
    right="One multiplication and one addition an event give the kernel a response time without a "
    "stopwatch.",
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
            "as much as a busy minute with many.",
        ),
        Mistake(
            "sum of the means",
            lambda areas, completions: (areas / completions).sum(),
            "You added the windows' mean response times. A mean of all requests lies between them.",
        ),
        Mistake(
            "weighted by area",
            lambda areas, completions: (areas**2 / completions).sum() / areas.sum(),
            "You weighted the windows by their job-seconds. Each request should count once. Which "
            "counter says how many requests there were?",
        ),
        Mistake(
            "population: over the hour's seconds",
            lambda areas, completions: areas.sum() / 3600,
            "You divided request-seconds by seconds, which gives the mean number inside. The task "
            "asks for seconds a request.",
        ),
        Mistake(
            "population: over the windows' seconds",
            lambda areas, completions: areas.sum() / (60 * areas.size),
            "You divided request-seconds by seconds, which gives the mean number inside. The task "
            "asks for seconds a request.",
        ),
        Mistake(
            "requests left out",
            lambda areas, completions: areas.mean(),
            "You computed job-seconds a window, a mean over windows. The task asks for seconds "
            "a request.",
        ),
    ],
    hint="By how much did each counter grow over the whole hour? Add the minutes of each counter, "
    "then divide once.",
    right="You can add the counters of windows, or of machines, and then divide. You can't average "
    "their quotients or percentiles.",
    unit="s",
)
