"""What the reader does: how long a thread is held, and how many threads a rate needs."""

from __future__ import annotations

import math

from perfmodel.tasks import Mistake, Task

held = Task(
    "How long a thread is held",
    reference=lambda service, calls, below: service + calls * below,
    cases=[(0.02, 3, 0.01), (0.004, 1, 0.05), (0.5, 2.5, 0.8)],
    mistakes=[
        Mistake(
            "own work only",
            lambda service, calls, below: service,
            "You counted only the processor's time. The thread also waits for its calls.",
        ),
        Mistake(
            "one call",
            lambda service, calls, below: service + below,
            "You counted one call. There are `calls` of them, one after the other.",
        ),
        Mistake(
            "own work at each call",
            lambda service, calls, below: calls * (service + below),
            "`service` is all of the request's own work. Don't multiply it by the calls.",
        ),
    ],
    hint="Add the request's own work, and for each call the time that it holds a thread below.",
    right="The layer below need not be busy. Holding counts, not working.",
    unit="s",
)

threads_for = Task(
    "Threads for a rate",
    reference=lambda rate, seconds: math.ceil(rate * seconds),
    cases=[(66.7, 0.05), (10.0, 0.25), (200.0, 0.012)],
    mistakes=[
        Mistake(
            "rounded down",
            lambda rate, seconds: math.floor(rate * seconds),
            "You rounded down. With so few threads the rate can't be reached.",
        ),
        Mistake(
            "not whole",
            lambda rate, seconds: rate * seconds,
            "Little's law is right. But a number of threads is whole: round up.",
        ),
    ],
    hint="By Little's law the mean number of held threads is the rate times `seconds`.",
    right="This is the smallest number. Calls wait for each other, so requests hold threads for "
    "longer, and you need a few more.",
)
