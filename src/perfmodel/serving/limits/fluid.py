r"""Capacity on one page: a service that serves its load on average, without chance.

Let a step take the longest of its pieces, f_r + w_r x requests' worth of work. In a steady state
lambda T requests' worth of work comes during a step of T seconds and is done in it, so that

    T = max_r (f_r + lambda T w_r) = max_r f_r / (1 - lambda w_r):

what is read once a step is spread over more and more, until some w_r, the seconds that a request
needs of a resource whatever the batch, add up to all of the time. Little's law gives the batch,
lambda n T, and with it the cache. It is a bound: arrivals by chance, and prompts that come whole,
make some steps long and leave others short, and the longest of means is below the mean of longest.

Source: our own derivation; the argument is bottleneck analysis (P. J. Denning, J. P. Buzen, "The
operational analysis of queueing network models", 1978) for a server whose fixed work is shared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from perfmodel.serving.batching.steps import StepPieces
from perfmodel.serving.limits.lengths import mean_context
from perfmodel.validation import Floats, at_least, non_negative, positive


@dataclass(frozen=True)
class RequestMix:
    """What requests are like on average."""

    prompt: float
    """Mean tokens of a prompt."""
    output: float
    """Mean tokens of an answer."""
    scv: float = 0.0
    """Squared coefficient of variation of the length of answers."""

    def __post_init__(self) -> None:
        """Refuse lengths that no request has."""
        non_negative("prompt", self.prompt)
        at_least("output", self.output, 1)
        non_negative("scv", self.scv)

    @property
    def context(self) -> float:
        """Tokens in the cache of a sequence, on average over its steps."""
        return float(mean_context(self.prompt, self.output, self.scv))


@dataclass(frozen=True)
class FluidState:
    """A service in its steady state, if nothing happened by chance."""

    step: float
    """Seconds of a step, and so between two tokens of an answer."""
    batch: float
    """Sequences that get a token in a step."""
    cached: float
    """Tokens in the cache."""
    busy: Floats
    """For each piece the share of time that requests need of it, shape (pieces,)."""


def request_work(steps: StepPieces, mix: RequestMix) -> Floats:
    """Return the seconds that a request needs of each piece, whatever else is in the batch.

    Prompt tokens and their pairs, one sequence in each step of the answer, and what all steps but
    the prompt's read from the cache; not what is paid once a step.

    Parameters
    ----------
    steps : StepPieces
        The pieces of a step.
    mix : RequestMix
        The mean request. Pairs are counted for prompts of the mean length.

    Returns
    -------
    ndarray, shape (pieces,)
    """
    per_prompt = np.multiply(steps.prompt_token, mix.prompt)
    pairs = np.multiply(steps.prompt_pair, mix.prompt * (mix.prompt + 1) / 2)
    reads = np.multiply(steps.cache_token, mix.output * mix.context - mix.prompt)
    return np.asarray(per_prompt + pairs + np.multiply(steps.sequence, mix.output) + reads)


def fluid_state(rate: float, steps: StepPieces, mix: RequestMix) -> FluidState:
    """Return the steady state of a service without chance, at `rate` requests per second.

    Parameters
    ----------
    rate : float
        Requests per second, 0 or more.
    steps : StepPieces
        The pieces of a step, at least one with a fixed time.
    mix : RequestMix
        The mean request.

    Raises
    ------
    ValueError
        If a piece would be busy for all of the time or more.

    Examples
    --------
    >>> steps = StepPieces(fixed=[0.01], prompt_token=[0], sequence=[0.001], cache_token=[0])
    >>> state = fluid_state(5.0, steps, RequestMix(prompt=1, output=100))
    >>> print(round(state.step, 6), round(state.batch, 6), state.busy)
    0.02 10.0 [0.5]
    """
    arrivals = float(non_negative("rate", rate))
    busy = arrivals * request_work(steps, mix)
    if busy.max() >= 1:
        limit = arrivals / busy.max()
        raise ValueError(f"rate must be below {limit:.6g}/s, what a step can do, got {rate!r}")
    step = float((np.asarray(steps.fixed) / (1 - busy)).max())
    batch = arrivals * mix.output * step
    return FluidState(step, batch, batch * mix.context, busy)


def max_running_requests(
    steps: StepPieces,
    mix: RequestMix,
    *,
    token_time: float = math.inf,
    cache_tokens: float = math.inf,
    batch: float = math.inf,
) -> Mapping[str, float]:
    """Return the requests per second that each limit allows; the least of them is the capacity.

    Parameters
    ----------
    steps : StepPieces
        The pieces of a step.
    mix : RequestMix
        The mean request.
    token_time : float
        Seconds between tokens that may not be exceeded, above 0; above the time of an empty step.
    cache_tokens : float
        Tokens that the cache has room for.
    batch : float
        The most sequences of a batch.

    Returns
    -------
    mapping of str to float
        Under "piece 0", "piece 1", ... what the machine can do if tokens may be as slow as they
        like; under "token time", "cache" and "batch" what keeps within that limit.

    Raises
    ------
    ValueError
        If a limit is not positive, or no step is as short as `token_time`.

    Examples
    --------
    >>> steps = StepPieces(fixed=[0.01], prompt_token=[0], sequence=[0.001], cache_token=[0])
    >>> mix = RequestMix(prompt=1, output=100)
    >>> for name, most in max_running_requests(steps, mix, token_time=0.02, batch=30).items():
    ...     print(name, round(most, 6))
    piece 0 10.0
    token time 5.0
    cache inf
    batch 7.5
    """
    work = request_work(steps, mix)
    fixed = np.asarray(steps.fixed, dtype=np.float64)
    found = {f"piece {i}": 1 / w if w > 0 else math.inf for i, w in enumerate(work.tolist())}
    limit = _limit("token_time", token_time)
    if limit <= fixed.max():
        raise ValueError(
            f"token_time must be above {fixed.max():g} s, a step with nothing to do, "
            f"got {token_time!r}"
        )
    with np.errstate(divide="ignore"):
        found["token time"] = float(np.min((1 - fixed / limit) / work))
    held = _limit("cache_tokens", cache_tokens) / (mix.output * mix.context)
    found["cache"] = _rate_at(held, fixed, work)
    found["batch"] = _rate_at(_limit("batch", batch) / mix.output, fixed, work)
    return found


def _limit(name: str, value: float) -> float:
    return math.inf if value == math.inf else float(positive(name, value))


def _rate_at(product: float, fixed: Floats, work: Floats) -> float:
    """Return the rate at which rate times step is `product`: the least over the pieces.

    rate f / (1 - rate w) = product gives rate = product / (f + product w).
    """
    if product == math.inf:
        return math.inf
    with np.errstate(divide="ignore"):
        return float(np.min(product / (fixed + product * work)))
