"""The chat of Sarathi-Serve at one server: pauses between tokens, and the load it sustains."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perfmodel.labs.serving.continuous_batching.inputs import (
    CHUNK,
    COUNT,
    PATIENCE,
    RATE,
    SCHEDULED,
    SEARCHED,
    SEATS,
    STRICT,
    chat_lengths,
    sent_requests,
)
from perfmodel.labs.serving.continuous_batching.iteration_times import yi_steps
from perfmodel.serving import (
    BatchRules,
    Requests,
    ServingRun,
    inter_token_latencies,
    poisson_requests,
    simulate_serving,
)
from perfmodel.validation import Floats, at_least, non_negative, within

CUT, UNCUT = "chunked prefill", "prefill first"
POLICIES = ("static", UNCUT, CUT)
_STEP = 0.01
_MOST = 2.0


@dataclass(frozen=True, eq=False)
class ChatRun:
    """A run of the chat."""

    run: ServingRun
    """Times of each request."""
    rules: BatchRules
    """Of the server."""

    @cached_property
    def gaps(self) -> tuple[NDArray[np.int64], Floats]:
        """Whose each pause is, and its seconds, as of `inter_token_latencies`."""
        return inter_token_latencies(self.run.requests, yi_steps(), self.rules)

    @property
    def owner(self) -> NDArray[np.int64]:
        """(pauses,) whose pause it is."""
        return self.gaps[0]

    @property
    def inter_token_latencies(self) -> Floats:
        """(pauses,) seconds from a token to the next of the same request."""
        return self.gaps[1]

    def first_token(self, percent: float) -> float:
        """Return a percentile of the seconds to the first token, over requests."""
        return float(np.percentile(self.run.first_token, percent))

    def inter_token_latency(self, percent: float) -> float:
        """Return a percentile of the seconds between tokens, over all pauses of all requests."""
        return float(np.percentile(self.inter_token_latencies, percent))

    def per_token(self, percent: float) -> float:
        """Return a percentile, over requests, of each one's mean pause."""
        return float(np.nanpercentile(self.run.per_token, percent))

    def attainment_on_average(self, limit: float) -> float:
        """Return the share of requests whose mean pause is at most `limit` seconds."""
        return float(self.run.meets_slo(per_token=limit).mean())

    def attainment_by_all(self, limit: float) -> float:
        """Return the share of requests none of whose pauses is longer than `limit` seconds."""
        longest = np.zeros(self.run.requests.output.size)
        np.maximum.at(longest, self.owner, self.inter_token_latencies)
        return float((longest <= non_negative("limit", limit)).mean())


@cache
def chat_run(
    policy: str = CUT,
    *,
    slots: int = SEATS,
    rate: float = RATE,
    count: int = COUNT,
    chunk: int = CHUNK,
    seed: int = 0,
) -> ChatRun:
    """Play requests with lengths drawn from the chat through one server of Yi-34B.

    Requests come at random (Poisson); the same seed gives the same requests, only closer to each
    other at a higher rate (1/s). `chunk` tokens are an iteration's most under "chunked prefill".
    The KV cache has room for all.

    >>> short = chat_run(rate=0.1, count=50)
    >>> short.inter_token_latency(99) < 0.13
    True
    >>> print(short.inter_token_latencies.size == (short.run.requests.output - 1).sum())
    True
    """
    requests = poisson_requests(rate, count, *chat_lengths(), seed)
    return _played(requests, BatchRules(max_num_seqs=slots, policy=policy, chunk_size=chunk))


def _played(requests: Requests, rules: BatchRules) -> ChatRun:
    return ChatRun(simulate_serving(requests, yi_steps(), rules), rules)


@cache
def ablation(chunk: int) -> tuple[float, float]:
    """Return the median time to the first token and the 99th percentile of pauses, in seconds.

    For the 128 requests that the artifact's script of the ablation sends, at 1 a second, with
    iterations of `CHUNK` tokens at most, or `WHOLE` where prompts join uncut.
    """
    rules = BatchRules(max_num_seqs=SEATS, policy=CUT, chunk_size=chunk)
    run = _played(sent_requests(RATE, COUNT), rules)
    return run.first_token(50), run.inter_token_latency(99)


def sustains(policy: str, rate: float, limit: float = STRICT) -> bool:
    """Return whether a server meets the limit (s) of pauses and the median request waits little.

    For as many requests as the artifact's search for the capacity sends in its half an hour, 2,048
    at most.
    """
    count = min(SEARCHED, int(PATIENCE * rate))
    run = _played(
        sent_requests(rate, count), BatchRules(max_num_seqs=SEATS, policy=policy, chunk_size=CHUNK)
    )
    return float(np.median(run.run.waiting)) <= SCHEDULED and run.inter_token_latency(99) <= limit


@cache
def capacity(policy: str, limit: float = STRICT) -> float:
    """Return the highest rate (1/s) that a server sustains, to a hundredth, at most 2."""
    rates = np.arange(_STEP, _MOST + _STEP / 2, _STEP).round(2)
    return float(
        np.append(0.0, rates)[bisect_left(rates, 1, key=lambda x: not sustains(policy, x, limit))]
    )


def interrupted_fraction(slots: ArrayLike, output: ArrayLike) -> Floats:
    """Return the fraction of pauses into which a prompt falls, with all slots taken.

    A step ends an answer with probability 1/n, n being `output`, so that b sequences leave b/n
    slots a step, and a prompt is read before the next for each. Taken as one prompt at a time, and
    no more than one.
    """
    taken = at_least("slots", slots, 1)
    return within("slots / output", taken / at_least("output", output, 1), 0, 1)


def interrupted_latency(slots: int, percent: float = 99.0) -> float:
    """Return a percentile of pauses (s) where whole prompts go first and no slot is ever free.

    A fraction `interrupted_fraction` of the pauses lasts for a step and a prompt of the chat, the
    others for a step.
    """
    prompt, output = chat_lengths()
    steps = yi_steps()
    share = float(interrupted_fraction(slots, output.mean()))
    step = float(steps.seconds(sequences=slots))
    beyond = (1 - within("percent", percent, 0, 100) / 100) / share
    if beyond >= 1:
        return step
    reading = steps.seconds(prompt_tokens=prompt, sequences=1, pairs=prompt * (prompt + 1) / 2)
    return step + float(np.quantile(reading, 1 - beyond))


def policy_summary(runs: Mapping[str, ChatRun]) -> str:
    """Return who is smoothest, what chunks change, and what a mean pause hides."""
    return f"{_smoothest(runs)}. {_chunks(runs[UNCUT], runs[CUT])} {_means(runs[UNCUT])}"


def _smoothest(runs: Mapping[str, ChatRun]) -> str:
    smoothest = min(runs, key=lambda policy: runs[policy].inter_token_latency(99))
    slowest = max(run.first_token(50) for run in runs.values())
    words = f"Requests under {smoothest} have the shortest pauses"
    if smoothest == "static" and runs["static"].first_token(50) == slowest:
        return words + ", but wait longest for the first token"
    return words


def _chunks(whole: ChatRun, cut: ChatRun) -> str:
    later = "later" if cut.first_token(50) > whole.first_token(50) else "no later"
    return (
        "With chunks the 99th percentile of the pauses is "
        f"{whole.inter_token_latency(99) / cut.inter_token_latency(99):.0f} times shorter than "
        f"with prefill first. The median first token comes {later} "
        f"({cut.first_token(50):.2f} s against {whole.first_token(50):.2f} s)."
    )


def _means(whole: ChatRun) -> str:
    return (
        "Don't confuse two percentiles. Under prefill first, 99 % of the requests have a mean "
        f"pause below {whole.per_token(99):.2f} s, but 1 % of all pauses exceed "
        f"{whole.inter_token_latency(99):.2f} s. A limit of {STRICT} s is met on average by "
        f"{100 * whole.attainment_on_average(STRICT):.0f} % of the requests, and at every pause by "
        f"{100 * whole.attainment_by_all(STRICT):.0f} %."
    )
