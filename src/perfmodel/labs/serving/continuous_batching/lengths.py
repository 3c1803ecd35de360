"""Answers of one mean length and different spread: one seat feels the spread, many seats don't."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.labs.serving.continuous_batching.inputs import chat_lengths
from perfmodel.labs.serving.continuous_batching.iteration_times import yi_steps
from perfmodel.queueing.simulation.statistics import Estimate
from perfmodel.serving import (
    BatchRules,
    Requests,
    ServingRun,
    mean_length_in_batch,
    poisson_requests,
    processor_sharing_queue,
    simulate_serving,
    unbatched_queue,
)
from perfmodel.validation import one_of, sample, whole

MEAN = 440
"""Tokens of an answer, on average: about the chat's."""
DISTRIBUTIONS = ("all alike", "as in the chat", "short and long")
"""Laws of the length of answers."""
LOAD = 0.6
"""Utilization of the server with one seat."""
SHARED = 1.0
"""Requests a second at the server with seats for all."""
_COUNT = 4000
"""Requests of a run: with 2,000 the mean wait of the widest lengths has no interval."""


class Effect(NamedTuple):
    """What a distribution of lengths does; seconds, from theory and from a simulated run."""

    distribution: str
    scv: float
    """Squared coefficient of variation of the lengths."""
    wait: float
    """Mean wait at one seat by M/G/1."""
    wait_run: Estimate
    """The same in the run, with its interval of 95 % from batch means."""
    token: float
    """Mean time between tokens with seats for all, by the product form."""
    token_run: float
    """The same in the run, over all tokens."""


def answers(distribution: str) -> NDArray[np.int64]:
    """Return equally likely lengths of answers, with a mean of about `MEAN`.

    Of "short and long" three in four have 100 tokens and one has 1,460.

    >>> [float(answers(distribution).mean().round()) for distribution in DISTRIBUTIONS]
    [440.0, 439.0, 440.0]
    """
    lengths = {"all alike": [MEAN], "short and long": [100] * 3 + [4 * MEAN - 300]}
    if distribution == "as in the chat":
        return chat_lengths()[1]
    one_of("law", distribution, lengths)
    return np.array(lengths[distribution])


@cache
def effect(distribution: str) -> Effect:
    """Return what a distribution does to a server with one seat and to one with seats for all.

    Prompts have one token and are read beside the others' steps, so that answers are all the work.
    """
    lengths, steps = answers(distribution), yi_steps()
    mean = float(lengths.mean())
    single = float(steps.seconds(sequences=1))
    rate = LOAD / (mean * single)
    alone = simulate_serving(_requests(rate, lengths), steps, _rules(1)).interval("waiting")
    queue = processor_sharing_queue(
        SHARED, mean, steps.seconds(sequences=np.arange(1, 257)), slots=float("inf")
    )
    run = simulate_serving(_requests(SHARED, lengths), steps, _rules(100_000))
    return Effect(
        distribution,
        float(lengths.var() / mean**2),
        float(unbatched_queue(rate, steps, np.ones_like(lengths), lengths).waiting_time),
        alone,
        queue.token_time,
        token_time(run),
    )


def token_time(run: ServingRun) -> float:
    """Return the mean seconds between tokens, over all tokens after the first of their request."""
    return float((run.finish - run.first_token_time).sum() / (run.requests.output - 1).sum())


def static_steps(output: ArrayLike, slots: int) -> float:
    """Return the mean steps of a static batch: those of the longest of its answers.

    >>> static_steps([10, 30], 2)
    25.0
    """
    lengths = np.sort(sample("output", output))
    below = np.arange(lengths.size + 1) / lengths.size
    return float(lengths @ np.diff(below ** whole("slots", slots, low=1)))


def length_in_batch(output: ArrayLike) -> float:
    """Return the mean complete length of the answers that a look at the batch finds.

    Each answer is found once for each of its tokens.

    >>> length_in_batch([10, 30])
    25.0
    """
    lengths = sample("output", output)
    mean = lengths.mean()
    return float(mean_length_in_batch(mean, lengths.var() / mean**2))


def _requests(rate: float, lengths: NDArray[np.int64]) -> Requests:
    return poisson_requests(rate, _COUNT, 1, lengths, seed=4)


def _rules(seats: int) -> BatchRules:
    return BatchRules(max_num_seqs=seats, policy="decode first")
