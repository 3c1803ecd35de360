"""What the reader does: the load that is always survived, and a queue that keeps its promise."""

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
            "A request that is asked again `retries` times is sent once more than that.",
        ),
        Mistake(
            "the advertised capacity",
            lambda capacity, retries: capacity,
            "That is what the service bears while all goes well. Ask how many attempts arrive when "
            "every one of them comes too late.",
        ),
        Mistake(
            "all attempts",
            lambda capacity, retries: capacity * (retries + 1),
            "Retries take capacity away: divide by the number of attempts.",
        ),
        Mistake(
            "subtracted",
            lambda capacity, retries: capacity - retries,
            "Each of the requests is asked again, not only `retries` of them in a second.",
        ),
    ],
    hint="In a storm each request is sent 1 + `retries` times, and the worker does all of them. "
    "The queue drains if that is less than the capacity.",
    right="With one retry, half of the capacity: above it, one long outage is enough. No dashboard "
    "shows that number while all goes well.",
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
            "The last one in the queue is served as well, after its wait: that takes `service` of "
            "its patience.",
        ),
        Mistake(
            "one worker",
            lambda capacity, timeout, service: (timeout - service) / service,
            "That would be one worker. The queue moves at the `capacity` of all of them.",
        ),
        Mistake(
            "added",
            lambda capacity, timeout, service: (timeout + service) * capacity,
            "Its own service comes out of a request's patience: subtract it.",
        ),
    ],
    hint="A request with n before it waits n / `capacity`, and is then served. Both must fit into "
    "the `timeout`.",
    right="Whoever finds the queue longer is told no at once, costs nothing, and no work is done "
    "for nobody.",
    unit="requests",
)
