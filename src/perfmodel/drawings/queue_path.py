"""A sample path of M/M/1: the number in the system, event by event."""

from __future__ import annotations

import numpy as np

from perfmodel.live.drawing import Circle, Line, Queue, Scale, Scene, Server, Shape, Text
from perfmodel.live.drawing.chart import stairs
from perfmodel.queueing import Exponential, arrival_times, departures, mm1, population_area
from perfmodel.validation import positive, whole

JOBS = 10
_PLACES = 6


def queue_path(event: int, utilization: float = 0.8, seed: int = 2) -> Scene:
    """Draw the system after an event, 1 to 20, and the number inside up to then.

    `utilization` is the arrivals in a mean service time, above 0 and below 1.

    >>> queue_path(1).says
    'After event 1, an arrival, 1 job is inside. The mean so far is 0; in the long run it is 4.'
    """
    place = min(whole("event", event, 1), 2 * JOBS)
    load = float(positive("utilization", utilization))
    rng = np.random.default_rng(seed)
    came = arrival_times(Exponential(1 / load), JOBS, rng)
    came = came - came[0]
    left = departures(came, Exponential(1.0).sample(rng, JOBS))
    times = np.concatenate([came, left])
    order = np.argsort(times, kind="stable")
    steps = np.where(order < JOBS, 1, -1)
    now, inside = float(times[order[place - 1]]), np.cumsum(steps)
    kind = "an arrival" if steps[place - 1] > 0 else "a departure"
    count = int(inside[place - 1])
    shapes = _station(came, left, now)
    shapes += _path(times[order][:place], inside[:place], float(left.max()), int(inside.max()))
    mean = population_area(came, left, 0, now) / now if now else 0.0
    long_run = float(mm1(load, 1.0).queue_length)
    says = (
        f"After event {place}, {kind}, {count} {'job is' if count == 1 else 'jobs are'} inside. "
        f"The mean so far is {mean:.3g}; in the long run it is {long_run:.3g}."
    )
    values = {"jobs inside": float(count), "mean so far": mean}
    return Scene(300, shapes, says, values)


def _station(came: np.ndarray, left: np.ndarray, now: float) -> list[Shape]:
    here = [str(i + 1) for i in np.flatnonzero((came <= now) & (left > now))]
    gone = int((left <= now).sum())
    shapes: list[Shape] = [
        Line([(20, 44), (66, 44)], head=True),
        Queue(72, 44, _PLACES, here[1 : _PLACES + 1], 1, 22),
        Line([(204, 44), (224, 44)]),
        Server(246, 44, 20, "", 0.0, 2),
        Line([(268, 44), (304, 44)], head=True),
        Text("queue", 138, 18),
        Text("server", 246, 12),
        Text(f"{gone} gone", 304, 68),
    ]
    if here:
        shapes[3] = Circle(246, 44, 20, here[0], 2, "solid")
    return shapes


def _path(times: np.ndarray, inside: np.ndarray, end: float, most: int) -> list[Shape]:
    time = Scale(0, float(np.ceil(end)), 36, 346)
    up = Scale(0, max(most, 3), 260, 124)
    corners = stairs(list(times), list(inside), time, up)
    shapes: list[Shape] = [Line(corners, 1, "thick")] if len(corners) > 1 else []
    shapes.append(Circle(*corners[-1], 5, "", 2, "solid"))
    shapes += up.beside(36, "jobs inside")
    return [*shapes, *time.below(262, "time (mean services)")]
