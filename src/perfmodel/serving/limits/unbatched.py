"""One request at a time: the M/G/1 queue, whose service time is that of a whole answer.

With a batch of one nothing is shared, and theory is complete. The length of an answer enters by its
mean *and* its variance: one in a hundred answers of ten thousand tokens keeps everybody waiting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.station.mg1 import mg1
from perfmodel.queueing.station.result import StationResult
from perfmodel.serving.batching.steps import Steps
from perfmodel.validation import Floats, non_negative, sample, whole_numbers


def unbatched_seconds(steps: Steps, prompt: ArrayLike, output: ArrayLike) -> Floats:
    """Return the seconds of each request if it is served by itself.

    The step of its prompt gives its first token; every further one takes a step that reads the
    keys and values of all tokens so far.

    Parameters
    ----------
    steps : StepPieces or StepTable
        What a step takes.
    prompt, output : array_like, shape (n,)
        Tokens of each prompt, whole and 1 or more, and of each answer, likewise.

    Returns
    -------
    ndarray, shape (n,)

    Raises
    ------
    ValueError
        If a length is not whole or below 1, or there is not one answer to each prompt.

    Examples
    --------
    A second a step, and 0.1 s for each token read from the cache: 1 + 1.6 + 1.7 s.

    >>> from perfmodel.serving import StepPieces
    >>> unbatched_seconds(StepPieces(1.0, 0.0, 0.0, 0.1), [5], [3]).round(6)
    array([4.3])
    """
    asked, told = (
        whole_numbers(name, sample(name, tokens), 1).astype(np.int64)
        for name, tokens in (("prompt", prompt), ("output", output))
    )
    if asked.size != told.size:
        raise ValueError(f"output must be {asked.size} values as prompt, got {told.size}")
    read = np.arange(int((asked + told).max()))
    upto = np.append(0.0, np.cumsum(steps.seconds(np.zeros(read.size), np.ones(read.size), read)))
    first = steps.seconds(asked, np.ones(asked.size), 0.0, asked * (asked + 1) / 2)
    return np.asarray(first + upto[asked + told] - upto[asked + 1])


def unbatched_queue(
    rate: float, steps: Steps, prompt: ArrayLike, output: ArrayLike
) -> StationResult:
    """Solve the server that takes one request at a time, with Poisson arrivals (M/G/1).

    Parameters
    ----------
    rate : float
        Requests per second, 0 or more.
    steps, prompt, output
        As for `unbatched_seconds`; requests are as likely as each other to come.

    Returns
    -------
    StationResult
        `waiting_time` is the time until the prompt is started.

    Raises
    ------
    ValueError
        If an argument is out of range, or the server can't keep up.

    Examples
    --------
    Answers of 10 steps of 0.1 s, busy half of the time: half of a service.

    >>> from perfmodel.serving import StepPieces
    >>> float(unbatched_queue(0.5, StepPieces(0.1, 0, 0, 0), [1], [10]).waiting_time.round(6))
    0.5
    """
    each = unbatched_seconds(steps, prompt, output)
    return mg1(
        arrival_rate=non_negative("rate", rate),
        mean_service=each.mean(),
        scv=each.var() / each.mean() ** 2,
    )
