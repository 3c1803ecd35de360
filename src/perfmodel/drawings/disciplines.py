"""Orders of service on the same jobs: when each job is served, and how long it stays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from perfmodel.live.drawing import Box, Circle, Line, Scale, Scene, Shape, Text
from perfmodel.live.drawing.chart import legend
from perfmodel.queueing import departures
from perfmodel.queueing.operational_analysis.sample_path import RANKS
from perfmodel.validation import positive

ARRIVALS = (0.0, 1.0, 2.0, 3.0)
SIZES = (6.0, 2.0, 4.0, 1.0)


def service_order(
    policy: str,
    arrivals: Sequence[float] = ARRIVALS,
    sizes: Sequence[float] = SIZES,
    until: float | None = None,
) -> Scene:
    """Draw the jobs of one server as bars from arrival to departure, filled where served.

    Parameters
    ----------
    policy : str
        As for `perfmodel.queueing.departures`: FCFS, PS, SRPT ...
    arrivals, sizes : sequence of float
        Instants in seconds, rising, and seconds of work; eight jobs at most.
    until : float
        The instant up to which they are drawn, above 0; to the end if not given.

    Examples
    --------
    >>> service_order("SRPT").values["mean response (s)"] < service_order("FCFS").values[
    ...     "mean response (s)"]
    True
    """
    left = departures(arrivals, sizes, policy)
    stays = left - np.asarray(arrivals)
    now = float(left.max()) if until is None else float(positive("until", until))
    time = Scale(0, max(14.0, float(left.max()) + 1), 60, 346)
    row = 168 / len(sizes)
    shapes: list[Shape] = []
    for i, (came, gone) in enumerate(zip(arrivals, left, strict=True)):
        y = 40 + i * row
        shapes.append(Text(f"{sizes[i]:g} s", 52, y + row / 2 - 3, anchor="end"))
        if came > now:
            continue
        wide = time.length(min(float(gone), now) - came)
        shapes.append(Box(time(came), y, wide, row - 8, "", 0, "none"))
        shapes.append(Circle(time(came), y + row / 2 - 4, 4, "", 2, "solid"))
    for job, start, end, share in service_intervals(policy, arrivals, sizes):
        high = share * (row - 8)
        y = 40 + (job + 1) * row - 8 - high
        if start < now:
            wide = time.length(min(end, now) - start)
            shapes.append(Box(time(start), y, wide, high, "", 1, "solid"))
    gone = int((left <= now + 1e-9).sum())
    if gone < len(sizes):
        shapes.append(Line([(time(now), 36), (time(now), 214)], style="dashed"))
    shapes += legend(16, 14, [("served (height: share)", 1, "solid")])
    shapes += legend(204, 14, [("waits", 0, "none")])
    shapes += [Circle(284, 14, 4, "", 2, "solid"), Text("arrives", 292, 14, anchor="start")]
    shapes += time.below(214, "time (s)")
    mean, worst = float(stays.mean()), float((stays / np.asarray(sizes)).max())
    says = (
        f"Under {policy} the mean response time is {mean:.3g} s. The job with the largest slowdown "
        f"stays {worst:.3g} times its own size."
    )
    if gone < len(sizes):
        says = f"Under {policy}, {gone} of {len(sizes)} jobs have left by {now:g} s."
    values = {"mean response (s)": mean, "worst slowdown": worst, "jobs that left": float(gone)}
    return Scene(250, shapes, says, values)


def service_intervals(
    policy: str, arrivals: Sequence[float], sizes: Sequence[float]
) -> list[tuple[int, float, float, float]]:
    """Return which job is served when: job, start, end, share of the server.

    The departures are those of `perfmodel.queueing.departures`; between two events the job of
    lowest rank has the server, or all share it (PS).

    >>> service_intervals("FCFS", [0, 1], [2, 1])
    [(0, 0.0, 2.0, 1.0), (1, 2.0, 3.0, 1.0)]
    """
    left = departures(arrivals, sizes, policy)
    events = np.unique(np.round(np.concatenate([np.asarray(arrivals, float), left]), 9))
    work, current = list(map(float, sizes)), -1
    intervals: list[tuple[int, float, float, float]] = []
    for start, end in pairwise(events):
        inside = [
            i for i, came in enumerate(arrivals) if came <= start + 1e-9 and left[i] > start + 1e-9
        ]
        served = inside
        if policy != "PS" and inside:
            rank, preemptive = RANKS[policy]
            stays = current in inside and not preemptive
            current = current if stays else min(inside, key=lambda i: rank(i, sizes[i], work[i]))
            served = [current]
        for job in served:
            share, since = 1 / len(served), float(start)
            if intervals and intervals[-1][0] == job and intervals[-1][2:] == (since, share):
                since = intervals.pop()[1]
            intervals.append((job, since, float(end), share))
            work[job] -= (end - start) / len(served)
    return intervals
