"""What the reader does: repair a mean, find the rank behind a percentile, and count a warm-up."""

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
        "as printed: That is the number that siege prints: the time of all requests over those "
        "that didn't fail.",
        lambda response, hits, failed: response * failed / (hits + failed),
        "failed share: You multiplied by the share that failed. Which requests are in siege's "
        "divisor?",
        lambda response, hits, failed: response * hits / failed,
        "hits over failed: `response * hits` is the time of all requests. Divide it by their "
        "number, which isn't `failed`.",
    ),
    hint="`response * hits` is the sum that siege had before it divided.",
    right="Sixteen requests took 0.3 s each. siege printed 1.21 s, because four of them succeeded.",
    unit="s",
)

rank_of_row = Task(
    "The rank of ab's row, counted from 1",
    reference=lambda percent, count: min(floor(percent * count / 100) + 1, count),
    cases=[(95, 20), (50, 60), (99, 60), (100, 60), (90, 101)],
    mistakes=mistakes(
        lambda percent, count: ceil(percent * count / 100),
        "R's type 1: That is the first value that p % don't exceed, R's type 1. ab asks for more "
        "than p %.",
        lambda percent, count: floor(percent * count / 100) + 1,
        "beyond the last: At 100 % your rank lies beyond the last request, which ab takes instead.",
        lambda percent, count: min(floor(percent * count / 100), count - 1),
        "from 0: That counts from 0, as an array does. The task counts from 1.",
    ),
    hint="Round down p n / 100 and go to the next value. The last row needs a limit.",
    right="Of 20 requests, 95 % is the 20th: the maximum.",
)

measured_rate = Task(
    "The rate after a warm-up, from h2load's report",
    reference=lambda done, finished, warm_up: done / (finished - warm_up),
    cases=[(130, 5.0, 2.0), (40, 4.0, 2.0)],
    mistakes=mistakes(
        lambda done, finished, warm_up: done / finished,
        "warm-up in the time: The requests are those after the warm-up. The time `finished` holds "
        "both.",
        lambda done, finished, warm_up: done / warm_up,
        "warm-up alone: You divided by the time of the warm-up, in which none of these requests "
        "was sent.",
    ),
    hint="Both numbers must be about the same seconds.",
    right="130 requests in 3 s are 43.3 a second. Over the printed 5.00 s they would be 26.",
    unit="1/s",
)
