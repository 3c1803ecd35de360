"""Tasks: repair a mean, find the rank behind a percentile, and remove a warm-up."""

from __future__ import annotations

from math import ceil, floor

from perfmodel.answers.mistakes import mistakes
from perfmodel.tasks import Task

mean_of_all = Task(
    "The mean time of all requests, from siege's report",
    reference=lambda response, hits, failed: response * hits / (hits + failed),
    cases=[(1.21, 4, 12), (0.05, 54, 6)],
    mistakes=mistakes(
        lambda response, hits, failed: response,
        "as printed: You returned siege's number, the time of all requests divided by the "
        "successes. Divide by all requests.",
        lambda response, hits, failed: response * failed / (hits + failed),
        "failed share: You multiplied by the fraction that failed. Which requests are in siege's "
        "divisor?",
        lambda response, hits, failed: response * hits / failed,
        "hits over failed: You divided by `failed`. `response * hits` is the time of all requests, "
        "so divide by the number of all requests.",
    ),
    hint="`response * hits` is siege's sum before it divides.",
    right="Sixteen requests took 0.3 s each. siege printed 1.21 s, because four of them succeeded.",
    unit="s",
)

rank_of_row = Task(
    "The rank of ab's row, counted from 1",
    reference=lambda percent, count: min(floor(percent * count / 100) + 1, count),
    cases=[(95, 20), (50, 60), (99, 60), (100, 60), (90, 101)],
    mistakes=mistakes(
        lambda percent, count: ceil(percent * count / 100),
        "R's type 1: You computed R's type 1, the first value with at least p % of the requests. "
        "ab needs more than p %.",
        lambda percent, count: floor(percent * count / 100) + 1,
        "beyond the last: At 100 % your rank is beyond the last request. ab takes the last one.",
        lambda percent, count: min(floor(percent * count / 100), count - 1),
        "from 0: You counted from 0, as an array does. The task counts from 1.",
    ),
    hint="Round down p n / 100 and add 1. The last row needs a limit.",
    right="With 20 requests, the row 95 % is the 20th request, which is the maximum.",
)

measured_rate = Task(
    "The rate after a warm-up, from h2load's report",
    reference=lambda done, finished, warm_up: done / (finished - warm_up),
    cases=[(130, 5.0, 2.0), (40, 4.0, 2.0)],
    mistakes=mistakes(
        lambda done, finished, warm_up: done / finished,
        "warm-up in the time: You divided by `finished`, which includes the warm-up. The requests "
        "were counted after it.",
        lambda done, finished, warm_up: done / warm_up,
        "warm-up alone: You divided by the time of the warm-up. None of these requests was sent in "
        "it.",
    ),
    hint="Requests and seconds must cover the same period.",
    right="130 requests in 3 s are 43.3 a second. With the printed 5.00 s the rate would be 26.",
    unit="1/s",
)
