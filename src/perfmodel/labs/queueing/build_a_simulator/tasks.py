"""What the reader does: the parts of a simulator, each checked by itself."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np

from perfmodel.tasks import Mistake, Task
from perfmodel.validation import positive, whole, within


def random_queue(utilization: float, customers: int, seed: int) -> tuple[list[float], list[float]]:
    """Return the gaps and sizes of an M/M/1 queue whose services take 1 s on average.

    Both are in seconds, and `utilization` is below 1.

    >>> [len(times) for times in random_queue(0.8, 5, 1)]
    [5, 5]
    """
    rho = float(positive("utilization", within("utilization", utilization, 0, 0.9999)))
    count = whole("customers", customers, 1)
    rng = np.random.default_rng(whole("seed", seed))
    return (rng.exponential(1 / rho, count)).tolist(), rng.exponential(1.0, count).tolist()


State = tuple[list[float], list[tuple[float, str]]]
"""When those inside came, in order; and the events to come, in the order of time."""

next_event = Task(
    "The event list",
    reference=lambda events: (min(events), sorted(events)[1:]),
    cases=[
        ([(3.0, "arrival"), (2.5, "departure")],),
        ([(1.0, "arrival")],),
        ([(7.0, "departure"), (9.0, "arrival"), (8.0, "arrival")],),
    ],
    mistakes=[
        Mistake(
            "first entered",
            lambda events: (events[0], sorted(events[1:])),
            "You took the event that was added first. The time of an event decides.",
        ),
        Mistake(
            "not taken out",
            lambda events: (min(events), sorted(events)),
            "The event is right, but it is still in the list, so it would happen again and again.",
        ),
        Mistake(
            "the latest",
            lambda events: (max(events), sorted(events)[:-1]),
            "You took the latest event. The earliest event is next.",
        ),
    ],
    hint="Pairs compare by their first part, so `min(events)` and `sorted(events)` go by time.",
    right="The clock jumps from event to event, because nothing changes in between. A heap does "
    "the same faster, in a number of steps that grows as the logarithm of the list's length.",
)


def _arrival(
    clock: float, line: list[float], events: list[tuple[float, str]], gap: float, size: float
) -> State:
    events = [*events, (clock + gap, "arrival")]
    if not line:
        events.append((clock + size, "departure"))
    return [*line, clock], sorted(events)


def _two_departures(
    clock: float, line: list[float], events: list[tuple[float, str]], gap: float, size: float
) -> State:
    return [*line, clock], sorted([*events, (clock + gap, "arrival"), (clock + size, "departure")])


def _no_successor(
    clock: float, line: list[float], events: list[tuple[float, str]], gap: float, size: float
) -> State:
    after = [] if line else [(clock + size, "departure")]
    return [*line, clock], sorted([*events, *after])


def _from_zero(
    clock: float, line: list[float], events: list[tuple[float, str]], gap: float, size: float
) -> State:
    after = [] if line else [(size, "departure")]
    return [*line, clock], sorted([*events, (gap, "arrival"), *after])


arrival = Task(
    "An arrival",
    reference=_arrival,
    cases=[
        (5.0, [], [], 1.5, 2.0),
        (5.0, [3.0], [(6.0, "departure")], 0.5, 2.0),
        (8.0, [3.0, 7.0], [(9.0, "departure")], 4.0, 1.0),
    ],
    mistakes=[
        Mistake(
            "served at once",
            _two_departures,
            "You planned a departure although a customer was in service. The new customer's "
            "service begins when all customers before have left.",
        ),
        Mistake(
            "nobody follows",
            _no_successor,
            "Each arrival must plan the next arrival. Otherwise no second customer comes.",
        ),
        Mistake(
            "from time zero",
            _from_zero,
            "`gap` and `size` are durations. The list has instants, so add the clock.",
        ),
    ],
    hint="Do three things. Add the new customer's arrival time to the line. Plan the next arrival "
    "at `clock + gap`. If the line was empty, plan a departure at `clock + size`.",
    right="The list never has more than one arrival and one departure, even for a long line. So "
    "the simulator needn't know the far future.",
)


def _departure(
    clock: float, line: list[float], events: list[tuple[float, str]], size: float
) -> tuple[Any, ...]:
    came, *remaining = line
    after = [(clock + size, "departure")] if remaining else []
    return clock - came, remaining, sorted([*events, *after])


def _last_in(
    clock: float, line: list[float], events: list[tuple[float, str]], size: float
) -> tuple[Any, ...]:
    *remaining, came = line
    after = [(clock + size, "departure")] if remaining else []
    return clock - came, remaining, sorted([*events, *after])


def _server_stops(
    clock: float, line: list[float], events: list[tuple[float, str]], size: float
) -> tuple[Any, ...]:
    return clock - line[0], line[1:], sorted(events)


def _serves_nobody(
    clock: float, line: list[float], events: list[tuple[float, str]], size: float
) -> tuple[Any, ...]:
    return clock - line[0], line[1:], sorted([*events, (clock + size, "departure")])


departure = Task(
    "A departure",
    reference=_departure,
    cases=[
        (6.0, [3.0], [(9.0, "arrival")], 2.0),
        (6.0, [3.0, 5.0], [(9.0, "arrival")], 2.0),
        (12.5, [1.0, 2.0, 4.0], [(13.0, "arrival")], 0.25),
    ],
    mistakes=[
        Mistake(
            "last in, first out",
            _last_in,
            "You let the last customer leave. First come, first served: take the other end.",
        ),
        Mistake(
            "the server stops",
            _server_stops,
            "If a customer waits, the next service begins now. Plan its end.",
        ),
        Mistake(
            "serves nobody",
            _serves_nobody,
            "You planned a departure although the line may be empty now.",
        ),
    ],
    hint="The first customer in the line leaves, after `clock - came`. If the line isn't empty "
    "then, plan a departure at `clock + size`.",
    right="Two kinds of event and two rules are the whole model. Another order of service changes "
    "one line here, and more servers need another `if`.",
)


def response_times(gaps: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Return the seconds that each customer is inside, first come, first served."""
    events: list[tuple[float, str]] = [(gaps[0], "arrival")]
    line: list[float] = []
    responses: list[float] = []
    came = 0
    while events:
        clock, kind = heapq.heappop(events)
        if kind == "arrival":
            line.append(clock)
            came += 1
            if came < len(gaps):
                heapq.heappush(events, (clock + gaps[came], "arrival"))
            starts = len(line) == 1
        else:
            responses.append(clock - line.pop(0))
            starts = len(line) > 0
        if starts:
            heapq.heappush(events, (clock + sizes[len(responses)], "departure"))
    return responses


def _as_if_alone(gaps: list[float], sizes: list[float]) -> list[float]:
    return list(sizes)


def _waits_alone(gaps: list[float], sizes: list[float]) -> list[float]:
    return [inside - size for inside, size in zip(response_times(gaps, sizes), sizes, strict=True)]


def _stops_early(gaps: list[float], sizes: list[float]) -> list[float]:
    inside = response_times(gaps, sizes)
    comes = np.cumsum(gaps)
    return [t for t, came in zip(inside, comes, strict=True) if came + t <= comes[-1]]


loop = Task(
    "The loop: a simulator of your own",
    reference=response_times,
    cases=[
        ([1.0, 1.0, 5.0], [3.0, 1.0, 2.0]),
        ([2.0], [4.0]),
        random_queue(0.7, 200, 4),
    ],
    mistakes=[
        Mistake(
            "as if alone",
            _as_if_alone,
            "You returned the service times, so no customer waits. Do you plan a departure while "
            "another one is planned?",
        ),
        Mistake(
            "waiting only",
            _waits_alone,
            "You returned the waiting times. A response time ends when the service ends.",
        ),
        Mistake(
            "stops early",
            _stops_early,
            "You stopped at the last arrival, but some customers are still inside. Go on while "
            "there are events.",
        ),
    ],
    hint="Begin with one event, the first arrival, an empty line and an empty list of responses. "
    "While there are events, take the earliest with `heapq.heappop`. Do what its kind requires, "
    "and plan new events with `heapq.heappush`. A service begins in two cases.",
    right="You have written a simulator. Larger simulators have more kinds of event, more speed, "
    "and better statistics.",
    unit="s",
)


def _interval(responses: np.ndarray, warm_up: int, batches: int, factor: float) -> list[float]:
    steady = responses[warm_up:]
    means = steady[steady.size % batches :].reshape(batches, -1).mean(axis=1)
    half = factor * means.std(ddof=1) / batches**0.5
    return [float(means.mean() - half), float(means.mean() + half)]


def _independent(responses: np.ndarray, warm_up: int, batches: int, factor: float) -> list[float]:
    return _interval(responses, warm_up, responses.size - warm_up, factor)


def _not_divided(responses: np.ndarray, warm_up: int, batches: int, factor: float) -> list[float]:
    low, high = _interval(responses, warm_up, batches, factor)
    middle, half = (low + high) / 2, (high - low) / 2 * batches**0.5
    return [middle - half, middle + half]


interval = Task(
    "An interval that isn't fooled",
    reference=_interval,
    cases=[
        (np.array([9.0, 1.0, 3.0, 2.0, 4.0, 3.0, 5.0]), 1, 3, 4.303),
        (np.concatenate([np.zeros(50), np.repeat([1.0, 4.0, 2.0, 5.0, 3.0], 40)]), 50, 5, 2.776),
    ],
    mistakes=[
        Mistake(
            "as if independent",
            _independent,
            "You treated single responses as independent. But neighbours wait behind the same long "
            "job, so they are similar. Use the means of the batches.",
        ),
        Mistake(
            "the warm-up counted",
            lambda r, warm_up, batches, factor: _interval(r, 0, batches, factor),
            "Leave out the first `warm_up` responses. Their system started empty.",
        ),
        Mistake(
            "not divided by the root",
            _not_divided,
            "You used the standard deviation of one batch. Divide it by the root of the number of "
            "batches.",
        ),
    ],
    hint="Drop the warm-up, use `reshape(batches, -1)`, and take the mean of each row. The "
    "interval is the mean of these, plus and minus `factor` times their standard deviation "
    "(`ddof=1`) divided by the root of the number of batches.",
    right="Long batches hardly depend on each other, so Student's formula holds for their means. "
    "For single responses it gives an interval several times too narrow.",
    unit="s",
)
