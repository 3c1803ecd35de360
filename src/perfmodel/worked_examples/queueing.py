"""Worked examples of the chapter on queueing."""

from __future__ import annotations

from perfmodel.live import Problem, SolutionLine, WorkedExample
from perfmodel.queueing import interactive_response_time, little_response_time, mg1


def mean_wait(rate: float, size: float, variation: float) -> Problem:
    """Return the mean wait of M/G/1, in seconds."""
    queue = mg1(arrival_rate=rate, mean_service=size, scv=variation)
    load, wait = float(queue.utilization), float(queue.waiting_time)
    rest = (1 + variation) / 2 * size
    return Problem(
        f"Jobs arrive at random moments, {rate:g} a second. They need {size:g} s on average, with "
        f"an scv of {variation:g}, and are served in order of arrival. How many seconds does a "
        "job wait on average?",
        [
            SolutionLine("Utilization ρ = λ E[S]", f"{rate:g}/s × {size:g} s", load),
            SolutionLine(
                "Mean rest of the job in service (1 + C²) / 2 × E[S]",
                f"(1 + {variation:g}) / 2 × {size:g} s",
                rest,
                "s",
                {
                    "That is half a mean size. You are more likely to arrive during a long job.": (
                        size / 2
                    ),
                    "You left out the 1: equal sizes have C² = 0 and half a size as mean rest.": (
                        variation / 2 * size
                    ),
                },
            ),
            SolutionLine(
                "Mean wait W = ρ / (1 − ρ) × mean rest",
                f"{load:g} / {1 - load:g} × {rest:g} s",
                wait,
                "s",
                {
                    "That is the wait for exponential sizes. Yours have another scv.": (
                        load / (1 - load) * size
                    ),
                    "That is the response time. Subtract the job's own service.": wait + size,
                    "Multiply by ρ, too: an arrival finds the server busy with this "
                    "probability.": rest / (1 - load),
                },
            ),
        ],
    )


MEAN_WAIT = WorkedExample(
    "queueing-mean-wait",
    mean_wait,
    1,
    {"rate": 0.5, "size": 1, "variation": 4},
    {"rate": 6, "size": 0.1, "variation": 9},
    {"rate": 40, "size": 0.02, "variation": 5},
)


def closed_response(users: int, think: float, throughput: float) -> Problem:
    """Return the mean response that users see who think between requests, in seconds."""
    cycle = float(little_response_time(users, throughput))
    response = float(interactive_response_time(users, throughput, think))
    return Problem(
        f"A load test runs {users} users. Each sends a request, waits for the answer, and thinks "
        f"for {think:g} s on average. The test counts {throughput:g} requests a second. What is "
        "the mean response time, in seconds?",
        [
            SolutionLine(
                "A user's round N / X",
                f"{users} / ({throughput:g}/s)",
                cycle,
                "s",
                {
                    "That is requests a second for each user. The round is its reciprocal.": (
                        throughput / users
                    ),
                    "You subtracted the thinking already. The round contains it.": response,
                },
            ),
            SolutionLine(
                "Response R = N / X − Z",
                f"{cycle:g} s − {think:g} s",
                response,
                "s",
                {
                    "That is a whole round. Subtract the thinking.": cycle,
                    "You added the thinking. The round N / X contains it already.": cycle + think,
                },
            ),
        ],
    )


CLOSED_RESPONSE = WorkedExample(
    "queueing-closed-response",
    closed_response,
    0,
    {"users": 20, "think": 4, "throughput": 2},
    {"users": 90, "think": 10, "throughput": 6},
    {"users": 300, "think": 12, "throughput": 20},
)
