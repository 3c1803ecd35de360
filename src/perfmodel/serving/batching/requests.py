"""Requests to a server of a language model: when they come and how many tokens they are of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.queueing import Exponential, Hyperexponential
from perfmodel.validation import (
    Floats,
    at_least,
    at_most,
    finite,
    non_negative,
    positive,
    sample,
    whole,
)

Ints = NDArray[np.int64]
MOST_TOKENS = 10**8
"""Of one prompt or answer: the pairs of attention of hundreds of them can still be counted."""


class LengthLaw(Protocol):
    """What `poisson_requests` asks of a law: the laws of `perfmodel.queueing` offer it."""

    def sample(self, rng: np.random.Generator, count: int) -> Floats:
        """Return `count` independent draws from the generator `rng`."""


Lengths = ArrayLike | LengthLaw


@dataclass(frozen=True, eq=False)
class Requests:
    """Requests in the order in which they come.

    Parameters
    ----------
    arrival : array_like, shape (n,)
        Seconds, 0 or more; any order, sorted here with all that belongs to it (those of one moment
        keep the order in which they were given).
    prompt : array_like, shape (n,) or ()
        Tokens of the prompt, 1 or more.
    output : array_like, shape (n,) or ()
        Tokens of the answer, 1 or more. The server doesn't know it before the last one is out.
    priority : array_like, shape (n,) or (), optional
        The lower, the earlier its turn, under the order "priority"; 0 if not given.
    predicted : array_like, shape (n,) or (), optional
        Tokens of the answer as a predictor has them, for the order "shortest predicted" and for
        dispatching by tokens. A perfect predictor (the output itself) if not given.
    cached : array_like, shape (n,) or (), optional
        First tokens of the prompt that a prefix cache holds at the server. They need no prefill,
        not even after a preemption, but take blocks like the others. Below the prompt's tokens,
        since the last one always needs it; 0 if not given.

    Raises
    ------
    ValueError
        If lengths differ, tokens are no whole numbers from 1 to 10^8, a prompt is cached whole, or
        a time is negative.

    Examples
    --------
    >>> requests = Requests([2.0, 0.5], prompt=[100, 300], output=8)
    >>> requests.arrival, requests.prompt, requests.output
    (array([0.5, 2. ]), array([300, 100]), array([8, 8]))
    """

    arrival: Floats
    prompt: Ints
    output: Ints
    priority: Floats
    predicted: Floats
    cached: Ints

    def __init__(
        self,
        arrival: ArrayLike,
        prompt: ArrayLike,
        output: ArrayLike,
        *,
        priority: ArrayLike | None = None,
        predicted: ArrayLike | None = None,
        cached: ArrayLike = 0,
    ) -> None:
        times = non_negative("arrival", sample("arrival", arrival))
        order = np.argsort(times, kind="stable")
        question = _tokens("prompt", prompt, times.size)
        answer = _tokens("output", output, times.size)
        there = _tokens("cached", cached, times.size, low=0)
        if (there >= question).any():
            at = int(np.flatnonzero(there >= question)[0])
            raise ValueError(
                f"cached must be below the prompt's tokens, but request {at} has {there[at]} of "
                f"{question[at]}"
            )
        fields = {
            "arrival": times,
            "prompt": question,
            "output": answer,
            "priority": _each("priority", 0.0 if priority is None else priority, times.size),
            "predicted": _each("predicted", answer if predicted is None else predicted, times.size),
            "cached": there,
        }
        for name, values in fields.items():
            object.__setattr__(self, name, values[order])

    def __len__(self) -> int:
        """Return how many requests there are."""
        return self.arrival.size

    @property
    def tokens(self) -> int:
        """Tokens of all answers together."""
        return int(self.output.sum())

    @property
    def rate(self) -> float:
        """Requests a second from the first arrival to the last; infinite if that is no time."""
        span = float(self.arrival[-1] - self.arrival[0])
        return (len(self) - 1) / span if span else np.inf


def subset(
    requests: Requests,
    which: Ints | slice = slice(None),
    *,
    arrival: ArrayLike,
    output: ArrayLike | None = None,
) -> Requests:
    """Return some of the requests, with other arrivals and, if given, other answers."""
    return Requests(
        arrival,
        requests.prompt[which],
        requests.output[which] if output is None else output,
        priority=requests.priority[which],
        predicted=requests.predicted[which],
        cached=requests.cached[which],
    )


def poisson_requests(
    rate: float, count: int, prompt: Lengths, output: Lengths, seed: int
) -> Requests:
    """Return requests that come one by one, independently of each other.

    Parameters
    ----------
    rate : float
        Requests a second, above 0.
    count : int
        Requests, 1 or more.
    prompt, output : number, array_like or law
        Tokens: the same number for all; values of a trace to draw from, with replacement; or a law
        with a method `sample(rng, count)`, as those of `perfmodel.queueing` are, whose draws are
        rounded to whole tokens, 1 at least. Where both are arrays they are of one length and drawn
        in pairs, as the rows of a trace, which keeps their correlation.
    seed : int
        The same seed gives the same requests.

    Returns
    -------
    Requests
        The first comes after the first gap, not at 0.

    Examples
    --------
    >>> requests = poisson_requests(4.0, 10_000, prompt=512, output=lognormal_tokens(200, 150),
    ...                             seed=1)
    >>> print(f"{requests.rate:.1f} a second, {requests.output.mean():.0f} tokens")
    4.0 a second, 201 tokens
    """
    law = Exponential(float(1 / positive("rate", rate)))
    return _drawn(law, count, prompt, output, seed)


def bursty_requests(
    rate: float,
    count: int,
    prompt: Lengths,
    output: Lengths,
    seed: int,
    *,
    squared_variation: float,
) -> Requests:
    """Return requests that come in bursts: most gaps are short, a few are very long.

    Gaps are independent and hyperexponential of two classes with balanced means.

    Parameters
    ----------
    rate : float
        Requests a second, above 0.
    count : int
        Requests, 1 or more.
    prompt, output : number, array_like or law
        Tokens, as of `poisson_requests`.
    seed : int
        The same seed gives the same requests.
    squared_variation : float
        Squared coefficient of variation of the gaps, 1 or more; 1 gives Poisson arrivals.

    Returns
    -------
    Requests

    Examples
    --------
    >>> requests = bursty_requests(4.0, 50_000, 512, 200, seed=1, squared_variation=9.0)
    >>> gaps = np.diff(requests.arrival)
    >>> print(f"{gaps.var() / gaps.mean() ** 2:.1f}")
    8.9
    """
    mean = float(1 / positive("rate", rate))
    squared_cv = float(at_least("squared_variation", squared_variation, 1))
    return _drawn(Hyperexponential.balanced(mean, squared_cv), count, prompt, output, seed)


def lognormal_tokens(mean: float, deviation: float) -> LengthLaw:
    """Return the lognormal distribution of token numbers with this mean and standard deviation.

    Lengths of prompts and answers are skewed: many short ones, some very long. Drawn lengths are
    rounded to whole tokens, 1 at least, which shifts the mean where much of it lies below 1.

    Parameters
    ----------
    mean, deviation : float
        Tokens, above 0.

    Returns
    -------
    Lognormal
        Of `perfmodel.queueing`.

    Examples
    --------
    >>> print(f"{lognormal_tokens(200, 100).moment(1):.0f}")
    200
    """
    from perfmodel.queueing import Lognormal

    variation = float(positive("deviation", deviation)) / float(positive("mean", mean))
    at_most("deviation over mean", variation, 1e100)
    return Lognormal(float(mean), variation**2)


def _drawn(gaps: LengthLaw, count: int, prompt: Lengths, output: Lengths, seed: int) -> Requests:
    number = whole("count", count, low=1)
    streams = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3)]
    arrival = np.cumsum(gaps.sample(streams[0], number))
    if _is_sample(prompt) and _is_sample(output):
        rows = np.asarray(prompt), np.asarray(output)
        if rows[0].shape != rows[1].shape:
            raise ValueError(
                "prompt and output must be of one length to be drawn in pairs, "
                f"got shapes {rows[0].shape} and {rows[1].shape}"
            )
        chosen = streams[1].integers(0, rows[0].size, number)
        return Requests(arrival, rows[0][chosen], rows[1][chosen])
    lengths = [_lengths(*part, number) for part in zip((prompt, output), streams[1:], strict=True)]
    return Requests(arrival, *lengths)


def _is_sample(lengths: Lengths) -> bool:
    return not hasattr(lengths, "sample") and np.ndim(lengths) == 1


def _lengths(lengths: Lengths, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    if hasattr(lengths, "sample"):
        drawn = lengths.sample(rng, count)
        return np.maximum(np.rint(drawn), 1.0)
    values = np.asarray(lengths, np.float64)
    return rng.choice(values, count) if values.ndim else np.full(count, float(values))


def _each(name: str, values: ArrayLike, count: int) -> Floats:
    array = finite(name, values)
    if array.shape not in ((), (count,)):
        raise ValueError(f"{name} must be one number or {count}, got shape {array.shape}")
    return np.array(np.broadcast_to(array, count))


def _tokens(name: str, values: ArrayLike, count: int, low: int = 1) -> Ints:
    array = at_least(name, _each(name, values, count), low)
    if (array > MOST_TOKENS).any():
        raise ValueError(f"{name} must be {MOST_TOKENS:,} or less, got {array.max():g}")
    if (array != np.floor(array)).any():
        at = int(np.flatnonzero(array != np.floor(array))[0])
        raise ValueError(f"{name} must be whole numbers, got {array[at]:g} of request {at}")
    return array.astype(np.int64)
