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
            "That is the processor's time. The thread waits for its calls as well.",
        ),
        Mistake(
            "one call",
            lambda service, calls, below: service + below,
            "You counted one call. There are `calls` of them, one after the other.",
        ),
        Mistake(
            "own work at each call",
            lambda service, calls, below: calls * (service + below),
            "`service` is the whole of its own work, not that between two calls.",
        ),
    ],
    hint="Its own work, and for each call the time that a thread below is held.",
    right="The layer below need not be busy for that: holding is what counts, not working.",
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
            "With the next lower whole number they all would be held, and the rate not reached.",
        ),
        Mistake(
            "not whole",
            lambda rate, seconds: rate * seconds,
            "That is Little's law, right so far. Threads come in whole numbers.",
        ),
    ],
    hint="Little's law: threads held are the rate times the seconds that each is held.",
    right="It is the least number. Calls wait for each other, so that threads are held for longer "
    "than this, and a few more are needed.",
)
