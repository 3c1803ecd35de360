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
            "You took the event that was entered first. What counts is the time it is due.",
        ),
        Mistake(
            "not taken out",
            lambda events: (min(events), sorted(events)),
            "The event is right, but it is still in the list: it would happen for ever.",
        ),
        Mistake(
            "the latest",
            lambda events: (max(events), sorted(events)[:-1]),
            "That is the last one. Time runs forward: the earliest event is next.",
        ),
    ],
    hint="Pairs compare by their first part, so `min(events)` and `sorted(events)` go by time.",
    right="The clock jumps from event to event, since nothing changes between two of them. A heap "
    "does the same in a number of steps that grows as the logarithm of the list's length.",
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
            "You planned a departure although somebody was being served. The newcomer's service "
            "begins when those before have left.",
        ),
        Mistake(
            "nobody follows",
            _no_successor,
            "Each arrival plans the next one, or the system runs dry after the first customer.",
        ),
        Mistake(
            "from time zero",
            _from_zero,
            "`gap` and `size` are lengths of time. The list holds moments: add the clock.",
        ),
    ],
    hint="Three things: the newcomer joins the line with the time of coming; the next arrival is "
    "due at `clock + gap`; and if nobody was there, a departure is due at `clock + size`.",
    right="The list never holds more than one arrival and one departure here, however long the "
    "line. That is why events in the far future needn't be known.",
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
            "You let the one leave who came last. First come, first served: take the other end.",
        ),
        Mistake(
            "the server stops",
            _server_stops,
            "If somebody waits, their service begins now: plan its end.",
        ),
        Mistake(
            "serves nobody",
            _serves_nobody,
            "You planned a departure although the line may be empty now.",
        ),
    ],
    hint="The first in the line leaves, after `clock - came`. Is anybody left? Then a departure is "
    "due at `clock + size`.",
    right="Two kinds of event and two rules: this is the whole model. Another order of service is "
    "another line here, more servers another `if`.",
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
            "Those are the service times: nobody waits in your simulator. Is a departure planned "
            "while another is due?",
        ),
        Mistake(
            "waiting only",
            _waits_alone,
            "Those are the waits. A response time ends when the service does.",
        ),
        Mistake(
            "stops early",
            _stops_early,
            "You stopped with the last arrival: those who are still inside have to leave too. Go "
            "on while there are events.",
        ),
    ],
    hint="Begin with one event, the first arrival, an empty line and an empty list of responses. "
    "While there are events: take the earliest with `heapq.heappop`, do what its kind asks for, "
    "and plan what follows with `heapq.heappush`. A service begins in two cases.",
    right="That is a simulator. Everything else in the trade is more kinds of event, more speed, "
    "and statistics that don't fool you.",
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
            "You took the single responses for independent. Who comes behind a long job waits for "
            "it as the one before did: neighbours are alike. Use the means of the batches.",
        ),
        Mistake(
            "the warm-up counted",
            lambda r, warm_up, batches, factor: _interval(r, 0, batches, factor),
            "The first `warm_up` responses saw a system that had just begun: leave them out.",
        ),
        Mistake(
            "not divided by the root",
            _not_divided,
            "That is the spread of one batch. The mean of all has it divided by the root of their "
            "number.",
        ),
    ],
    hint="Drop the warm-up, `reshape(batches, -1)` what is left, take the mean of each row; then "
    "mean plus and minus `factor` times the standard deviation (`ddof=1`) over the root of the "
    "number of batches.",
    right="Long batches hardly depend on each other, so that Student's formula holds for their "
    "means. For the single responses it gave an interval several times too narrow.",
    unit="s",
)
