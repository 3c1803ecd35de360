"""What the reader does: the load that always recovers, and a queue without late answers."""

from __future__ import annotations

from perfmodel.tasks import Mistake, Task

hidden_capacity = Task(
    "The hidden capacity",
    reference=lambda capacity, retries: capacity / (retries + 1),
    cases=[(300.0, 1), (400.0, 3), (90.0, 0)],
    mistakes=[
        Mistake(
            "one attempt too few",
            lambda capacity, retries: capacity / max(retries, 1),
            "A request with `retries` retries is sent `retries` + 1 times.",
        ),
        Mistake(
            "the advertised capacity",
            lambda capacity, retries: capacity,
            "That is the capacity while all answers are in time. How many attempts arrive if every "
            "answer is late?",
        ),
        Mistake(
            "all attempts",
            lambda capacity, retries: capacity * (retries + 1),
            "Retries use capacity. Divide by the number of attempts.",
        ),
        Mistake(
            "subtracted",
            lambda capacity, retries: capacity - retries,
            "Every request is sent again, not only `retries` requests a second.",
        ),
    ],
    hint="In a storm each request is sent 1 + `retries` times, and the worker does all of them. "
    "The queue drains if that is less than the capacity.",
    right="With one retry it is half of the capacity. Above it, one long outage is enough. No "
    "dashboard shows this number while all answers are in time.",
    unit="1/s",
)

longest_queue = Task(
    "The longest queue in which nobody waits in vain",
    reference=lambda capacity, timeout, service: (timeout - service) * capacity,
    cases=[(400.0, 0.1, 0.01), (50.0, 2.0, 0.5)],
    mistakes=[
        Mistake(
            "own service",
            lambda capacity, timeout, service: timeout * capacity,
            "The last request in the queue must also be served within its patience. Subtract "
            "`service`.",
        ),
        Mistake(
            "one worker",
            lambda capacity, timeout, service: (timeout - service) / service,
            "You assumed one worker. The queue moves at the `capacity` of all workers.",
        ),
        Mistake(
            "added",
            lambda capacity, timeout, service: (timeout + service) * capacity,
            "A request's own service uses part of its patience. Subtract it.",
        ),
    ],
    hint="A request with n requests before it waits n / `capacity`, and then it is served. Both "
    "must fit into the `timeout`.",
    right="A request that finds a longer queue is refused at once and costs nothing. So the "
    "workers do no lost work.",
    unit="requests",
)
