"""What the reader does: a demand from counters, the line of the recursion, a link fast enough."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from perfmodel.labs.queueing.bottleneck.exam_case import (
    RESPONSE_LIMIT,
    clip_response,
    shared_server,
)
from perfmodel.tasks import Mistake, Task
from perfmodel.validation import Floats

demand = Task(
    "A demand from a monitor's counters",
    reference=lambda busy, completed, seconds: busy * seconds / completed,
    cases=[(0.6, 1800, 3600.0), (0.25, 40, 10.0), (0.9, 500, 60.0)],
    mistakes=[
        Mistake(
            "count taken as a rate",
            lambda busy, completed, seconds: busy / completed,
            "`completed` is a count. The throughput is the count divided by `seconds`.",
        ),
        Mistake(
            "station always busy",
            lambda busy, completed, seconds: seconds / completed,
            "You computed the time from one job to the next. The station was idle for part of it.",
        ),
        Mistake(
            "times the throughput",
            lambda busy, completed, seconds: busy * completed / seconds,
            "Solve `busy = throughput * demand` for the demand: divide by the throughput.",
        ),
    ],
    hint="The throughput is `completed / seconds`. The first law of (1) gives the demand.",
    right="The demand is the seconds of work divided by the jobs done. A stopwatch for each job "
    "would also have counted its waiting.",
    unit="s",
)


def exact_throughput(demands: Floats, users: int, think_time: float) -> float:
    """Return jobs a second, by equation (3)."""
    queue = np.zeros(len(demands))
    for n in range(1, users + 1):
        residence = demands * (1 + queue)
        rate = n / (think_time + sum(residence))
        queue = rate * residence
    return rate


def _recursion(line: Callable[[Floats, Floats, int], Floats]) -> Callable[..., float]:
    def throughput(demands: Floats, users: int, think_time: float) -> float:
        queue, rate = np.zeros(len(demands)), 0.0
        for n in range(1, users + 1):
            residence = line(demands, queue, n)
            rate = n / (think_time + sum(residence))
            queue = rate * residence
        return rate

    return throughput


recursion = Task(
    "The line of mean value analysis",
    reference=exact_throughput,
    cases=[(np.array([0.15, 0.95]), 20, 30.0), (np.array([0.5, 0.5, 0.1]), 5, 2.0)],
    mistakes=[
        Mistake(
            "nobody waits",
            _recursion(lambda demands, queue, n: demands),
            "You assumed that no job waits. Multiply by one plus the jobs that an arrival finds.",
        ),
        Mistake(
            "own service left out",
            _recursion(lambda demands, queue, n: demands * queue),
            "You counted only the wait, and it stays 0 for ever. The job is also served: 1 + Q.",
        ),
        Mistake(
            "all in one place",
            _recursion(lambda demands, queue, n: demands * n),
            "You let a job find all other jobs at every station. It finds `queue`.",
        ),
        Mistake(
            "queues added up",
            _recursion(lambda demands, queue, n: demands * (1 + queue.sum())),
            "At a station a job meets the queue of that station, not the sum of all queues.",
        ),
    ],
    hint="Use the first formula of (3): each station's demand times one plus its queue. At this "
    "point of the loop `queue` is still for n - 1 jobs. Arrays multiply element by element.",
    right="Three lines in a loop are exact for any number of stations. The work grows with users "
    "times stations. With a second class it grows with the product of both populations.",
    unit="1/s",
)

link_speed = Task(
    "A link fast enough for 2 s",
    reference=lambda: brentq(
        lambda speed: clip_response(shared_server(link_speed=speed)) - RESPONSE_LIMIT, 1, 10
    ),
    mistakes=[
        Mistake(
            "all time is the link's",
            lambda: clip_response(shared_server()) / RESPONSE_LIMIT,
            "You divided the response by the limit, as if a clip spent all its time at the link. "
            "The processor's part stays, and even grows a little.",
        ),
        Mistake(
            "without the batch",
            lambda: brentq(
                lambda speed: clip_response(shared_server(0, link_speed=speed)) - RESPONSE_LIMIT,
                1,
                10,
            ),
            "This is enough for the clips alone. But ten batch processes run on the same server.",
        ),
    ],
    hint="The speed is between 5 and 10. In a new cell, call "
    "`clip_response(shared_server(link_speed=...))` with values between, and halve the interval.",
    right="The first doubling saved 1.5 s, and each further step saves less. The rest is the wait "
    "at the processor, which no link shortens.",
    tolerance=0.01,
    unit="times",
)
