"""What the reader does: a stopwatch that starts late, and a recursion to be made faster."""

from __future__ import annotations

import timeit

import numpy as np

from perfmodel.tasks import Faster, Mistake, Task
from perfmodel.validation import Floats

polite_mean = Task(
    "The mean that a tester with few connections records",
    reference=lambda due, free, left: (left - np.maximum(due, free)).mean(),
    cases=[
        (np.array([0.0, 1.0, 2.0]), np.array([0.0, 5.0, 6.0]), np.array([5.0, 6.0, 7.0])),
        (
            np.array([0.0, 0.2, 0.5, 4.0]),
            np.array([0.0, 0.2, 1.0, 2.5]),
            np.array([1.0, 2.5, 3.0, 4.5]),
        ),
    ],
    mistakes=[
        Mistake(
            "from the plan",
            lambda due, free, left: (left - due).mean(),
            "You counted from the plan, as a user does. This tester starts its stopwatch when it "
            "sends, and it sends only when a connection is free.",
        ),
        Mistake(
            "from the free connection",
            lambda due, free, left: (left - free).mean(),
            "You counted from the moment when the connection became free, even if the request was "
            "not yet due. No request is sent early.",
        ),
        Mistake(
            "the earlier of the two",
            lambda due, free, left: (left - np.minimum(due, free)).mean(),
            "You took the earlier of the two instants. Both must have passed, so take the later.",
        ),
        Mistake(
            "lateness",
            lambda due, free, left: (np.maximum(due, free) - due).mean(),
            "You computed how late the tester sends. The tester doesn't record this delay.",
        ),
    ],
    hint="Request i is sent when it is due and a connection is free, at the later of the two "
    "instants. `np.maximum` compares two arrays element by element; `max` doesn't.",
    right="No log contains the time in which the tester waits for a connection. Ask of every load "
    "test when its stopwatches start.",
    unit="s",
)


def one_by_one(arrivals: Floats, services: Floats) -> Floats:
    """Return when each request leaves (s), by recursion (2)."""
    departure, ends = 0.0, np.empty(len(arrivals))
    for i in range(len(arrivals)):
        departure = max(arrivals[i], departure) + services[i]
        ends[i] = departure
    return ends


def by_running_sums(arrivals: Floats, services: Floats) -> Floats:
    """Return what `one_by_one` does, in whole arrays."""
    total = np.cumsum(services)
    return total + np.maximum.accumulate(arrivals - (total - services))


def requests(count: int) -> tuple[Floats, Floats]:
    """Return arrivals and services in seconds, drawn for a load of 70 %."""
    rng = np.random.default_rng(1)
    return np.cumsum(rng.exponential(1 / 0.7, count)), rng.exponential(1.0, count)


MANY = requests(20_000)


def traffic_bound() -> float:
    """Return how many times as long the loop takes as one addition of the same two arrays."""
    slow = min(timeit.repeat(lambda: one_by_one(*MANY), number=1, repeat=3))
    ends = np.empty_like(MANY[0])
    quick = min(timeit.repeat(lambda: np.add(*MANY, out=ends), number=50, repeat=5)) / 50
    return slow / quick


faster_recursion = Faster(
    "Make Lindley's recursion faster",
    given=one_by_one,
    cases=[
        (np.array([0.0, 1.0, 10.0]), np.array([3.0, 3.0, 3.0])),
        (np.array([2.0, 2.5, 3.0, 20.0, 20.5]), np.array([1.0, 4.0, 0.5, 1.0, 2.0])),
        MANY,
    ],
    reference=by_running_sums,
    bound=traffic_bound,
    aim=10.0,
    model="the roofline",
    mistakes=[
        Mistake(
            "never idle",
            lambda arrivals, services: arrivals[0] + np.cumsum(services),
            "Your server never idles: after the first arrival it works without a pause. Use the "
            "other arrivals too.",
        ),
        Mistake(
            "no queue",
            lambda arrivals, services: arrivals + services,
            "No request waits in your queue: each leaves as if it were alone.",
        ),
        Mistake(
            "one step back",
            lambda arrivals, services: (
                np.maximum(arrivals, np.append(0.0, (arrivals + services)[:-1])) + services
            ),
            "You let a request wait for the previous one, as if that one had not waited itself. "
            "A queue passes delay on.",
        ),
    ],
    hint="Unroll the recursion. Let `total[i]` be services 0 to i added up: `np.cumsum(services)`. "
    "A busy period that starts with request j ends request i at `arrivals[j]` plus services j to "
    "i, which is `total[i] + (arrivals[j] - (total[j] - services[j]))`. Request i leaves at the "
    "maximum over j. The running maximum of an array x is `np.maximum.accumulate(x)`.",
    right="What is left up to the roofline is the chain: a running sum needs each element before "
    "the next. A compiled loop (`numba.njit`) is closer, because it walks the chain once.",
)
