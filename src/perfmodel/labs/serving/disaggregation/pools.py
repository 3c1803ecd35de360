"""One pool of servers or two: the fluid limit in closed form, simulation, and what engineers guess.

In seconds beyond an iteration's fixed part F, a request costs pi for its prompt and delta for its
answer. An iteration may last T. One pool then serves N (1 - F/T) / (pi + delta) requests/s. With
prompts on servers of their own, one prompt an iteration and busy for a fraction u, each prefills
u / (pi + F), and each other server decodes (1 - F/T) / delta.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from perfmodel.labs.serving.continuous_batching.inputs import chat_lengths
from perfmodel.labs.serving.disaggregation.inputs import (
    KV_TOKEN,
    LINK,
    OPT_LIMITS,
    OPT_TOKENS,
    PROMPT_LIMIT,
    SERVERS,
    VLLM_OPT_13B,
    Trace,
    profile,
    trace,
)
from perfmodel.roofline import LLAMA_2_70B
from perfmodel.serving import (
    BatchRules,
    DecoderSteps,
    Requests,
    ServingRun,
    StepPieces,
    poisson_requests,
    simulate_serving,
)
from perfmodel.validation import one_number, one_of, positive, whole, within

FIRST, ATTAINED = 1.0, 0.9
"""Seconds to the first token, and the fraction of requests that must meet both limits."""
COUNT, SEED = 2000, 0
MIXED = ("prefill first", "decode first", "chunks of 512", "chunks of 1,024")
_FLOP, _BANDWIDTH = 989e12, 3.35e12
"""Of an H100: BF16 FLOP/s and bytes/s; see `perfmodel.machines`."""


class Constants(NamedTuple):
    """Of an iteration, in seconds; all that it holds adds up."""

    fixed: float
    """F."""
    prompt_token: float
    prompt_pair: float
    sequence: float
    cache_token: float

    def steps(self) -> StepPieces:
        """Return the same for the simulator."""
        return StepPieces(
            self.fixed, self.prompt_token, self.sequence, self.cache_token, self.prompt_pair
        )


@cache
def fitted(model: str = "llama2-70b", hardware: str = "h100-80gb") -> Constants:
    """Return constants of least squared relative errors, none negative.

    Decoding determines the fixed part, a sequence and a cached token; prompts the rest, each
    measured shape once.

    >>> one = fitted()
    >>> round(1e3 * one.fixed, 2), round(1e6 * one.cache_token, 3)
    (29.89, 0.178)
    """
    runs = profile(model, hardware)
    context = runs.prompt + runs.output / 2
    decode = np.stack([np.ones_like(context), runs.batch, runs.batch * context], 1)
    fixed, sequence, cache_token = _relative(decode, runs.token_seconds, 0.0)
    once = runs.output == 128
    n, b = runs.prompt[once], runs.batch[once]
    known = fixed + sequence * b
    prefill = np.stack([n * b, b * n * (n + 1) / 2], 1)
    token, pair = _relative(prefill, runs.prompt_seconds[once], known)
    return Constants(fixed, token, pair, sequence, cache_token)


def _relative(columns: np.ndarray, seconds: np.ndarray, known: np.ndarray | float) -> list[float]:
    scaled = columns / seconds[:, None]
    largest = scaled.max(axis=0)
    coefficients, _ = nnls(scaled / largest, 1 - known / seconds)
    return [float(value) for value in coefficients / largest]


def fit_errors(model: str = "llama2-70b", hardware: str = "h100-80gb") -> tuple[float, float]:
    """Return mean relative errors of decoding and of prompts.

    >>> [round(100 * error, 1) for error in fit_errors()]
    [1.9, 22.0]
    """
    runs, steps = profile(model, hardware), fitted(model, hardware).steps()
    context = runs.prompt + runs.output / 2
    token = steps.seconds(sequences=runs.batch, cached=runs.batch * context)
    once = runs.output == 128
    n, b = runs.prompt[once], runs.batch[once]
    prompt = steps.seconds(n * b, b, 0, b * n * (n + 1) / 2)
    return (
        float(np.abs(token / runs.token_seconds - 1).mean()),
        float(np.abs(prompt / runs.prompt_seconds[once] - 1).mean()),
    )


class Work(NamedTuple):
    """Mean seconds of a request beyond the fixed part of iterations."""

    fixed: float
    """F."""
    prompt: float
    """pi."""
    answer: float
    """delta."""


def work(source: str | Trace, constants: Constants | None = None) -> Work:
    """Return the work of the requests of a trace, or of the trace of this name.

    >>> [round(1e3 * seconds, 1) for seconds in work("conversation")]
    [29.9, 80.9, 87.9]
    """
    given, (_, prompt, output) = constants or fitted(), _trace(source)
    reading = given.prompt_token * prompt + given.prompt_pair * prompt * (prompt + 1) / 2
    writing = (output - 1) * (given.sequence + given.cache_token * (prompt + output / 2))
    return Work(given.fixed, float(reading.mean()), float(writing.mean()))


def _trace(source: str | Trace) -> Trace:
    return trace(source) if isinstance(source, str) else source


class Capacity(NamedTuple):
    """Requests/s of both designs, and the best number of prefill servers, a fraction."""

    mixed: float
    split: float
    prefill: float


def fluid(work_: Work, per_token: float, servers: int = SERVERS, busy: float = 1.0) -> Capacity:
    """Return what both designs serve if an iteration may last `per_token` (T) seconds.

    N `servers`, of which those for the prefill may be busy for a share u.

    >>> found = fluid(work("conversation"), 0.05)
    >>> round(found.split / found.mixed, 2), round(found.prefill, 2)
    (1.27, 2.69)
    """
    fixed, reading, writing = work_
    limit = one_number("per_token", per_token)
    positive("per_token - fixed", limit - fixed)
    share = float(positive("busy", within("busy", busy, 0, 1)))
    count = whole("servers", servers, 1)
    rest = 1 - fixed / limit
    prefill, decode = (reading + fixed) / share, writing / rest
    return Capacity(
        count * rest / (reading + writing),
        count / (prefill + decode),
        count * prefill / (prefill + decode),
    )


def least_busy(work_: Work, per_token: float) -> float:
    """Return the u above which two pools serve more: (1 + F/pi)(1 - F/T).

    >>> round(least_busy(work("code"), 0.1), 2)
    0.83
    """
    limit = one_number("per_token", per_token)
    positive("per_token - fixed", limit - work_.fixed)
    return (1 + work_.fixed / work_.prompt) * (1 - work_.fixed / limit)


def roofline_steps() -> StepPieces:
    """Return iterations of the same model as the longer of arithmetic and memory, on 8 H100."""
    return DecoderSteps(LLAMA_2_70B, _FLOP, _BANDWIDTH, tensor=8).pieces()


def rules(policy: str) -> BatchRules:
    """Return the rules of a server that reads and writes, by the name of its policy."""
    one_of("policy", policy, MIXED)
    if policy.startswith("chunks"):
        chunk = int(policy.rpartition(" ")[2].replace(",", ""))
        return BatchRules(policy="chunked prefill", chunk_size=chunk)
    return BatchRules(policy=policy, max_prefill_tokens=PROMPT_LIMIT)


def sampled_requests(
    source: str | Trace, rate: float, count: int = COUNT, seed: int = SEED
) -> Requests:
    """Return Poisson arrivals with the lengths of a trace, drawn in pairs."""
    _, prompt, output = _trace(source)
    return poisson_requests(rate, count, prompt, output, seed)


def serve(
    requests: Requests,
    steps: StepPieces,
    design: str | int,
    servers: int = SERVERS,
    link: float = LINK,
    **brakes: object,
) -> ServingRun:
    """Play requests through one pool or two.

    `design` is the policy of one pool, one of `MIXED`, or the number of prefill servers of two.
    `link` has the bytes/s over which the KV cache of a prompt is sent; it may be infinite. `brakes`
    are `transfer_links`, `hold_until_sent` and `back_pressure` of `simulate_serving`.
    """
    if isinstance(design, str):
        return simulate_serving(
            requests, steps, rules(design), replicas=servers, dispatch="least tokens"
        )
    readers = whole("design", design, 1, servers - 1)
    return simulate_serving(
        requests,
        steps,
        BatchRules(policy="decode first"),
        replicas=servers - readers,
        dispatch="least tokens",
        prefill_replicas=readers,
        prefill_rules=BatchRules(policy="prefill first", max_prefill_tokens=PROMPT_LIMIT),
        transfer_token=KV_TOKEN / link,
        **brakes,  # type: ignore[arg-type]
    )


def attained(run: ServingRun, per_token: float, first: float = FIRST) -> float:
    """Return the fraction of requests that meet both limits, in seconds."""
    return float(run.meets_slo(first, per_token).mean())


class Capable(NamedTuple):
    """The most requests/s of a grid at which enough requests meet both limits, interpolated."""

    design: str | int
    rate: float


def most(
    source: str | Trace,
    steps: StepPieces,
    design: str | int,
    per_token: float,
    rates: tuple[float, ...],
    servers: int = SERVERS,
    first: float = FIRST,
    count: int = COUNT,
    seed: int = SEED,
) -> Capable:
    """Return the highest rate that a design serves with 90 % of the requests within both limits.

    Between the last rate of the grid that is met and the next one, attainment is taken as a line;
    the last of the grid if all are met, 0 if none.
    """
    before = None
    for rate in rates:
        share = attained(
            serve(sampled_requests(source, rate, count, seed), steps, design, servers),
            per_token,
            first,
        )
        if share < ATTAINED:
            if before is None:
                return Capable(design, 0.0)
            low, met = before
            return Capable(design, low + (rate - low) * (met - ATTAINED) / (met - share))
        before = rate, share
    return Capable(design, rates[-1])


@cache
def opt_attainment(rate: float, count: int, runs: int = 1) -> float:
    """Return the fraction of requests within DistServe's limits, one server of vLLM with OPT-13B.

    Prompts first, Poisson arrivals, lengths of a chat with ChatGPT up to 2,048 tokens in all; the
    mean of `runs` of `count` requests each.

    >>> round(opt_attainment(4.0, 100, 5), 2), round(opt_attainment(4.0, 4000), 2)
    (0.55, 0.01)
    """
    prompt, output = chat_lengths()
    short = prompt + output <= OPT_TOKENS
    rules_ = BatchRules(policy="prefill first", max_prefill_tokens=OPT_TOKENS)
    shares = [
        simulate_serving(
            poisson_requests(rate, count, prompt[short], output[short], seed), VLLM_OPT_13B, rules_
        ).meets_slo(*OPT_LIMITS)
        for seed in range(whole("runs", runs, 1))
    ]
    return float(np.mean(shares))


Guess = tuple[str, str, str]


@cache
def recorded(poisson: bool) -> tuple[float, float]:
    """Return attainment and utilization of the code trace on four servers, at its own rate.

    Limits are 1 s and 0.1 s; arrivals as recorded, or Poisson with the same lengths.
    """
    arrival, prompt, output = trace("code")
    rate = (arrival.size - 1) / float(arrival[-1])
    requests = (
        sampled_requests("code", rate, arrival.size)
        if poisson
        else Requests(arrival, prompt, output)
    )
    run = serve(requests, fitted().steps(), "decode first", servers=4)
    return attained(run, 0.1), run.utilization


def guesses() -> list[Guess]:
    """Return rows of a question, a common guess, and the computed answer."""
    gain = {
        (name, limit): (lambda capacity: capacity.split / capacity.mixed)(fluid(work(name), limit))
        for name in ("conversation", "code")
        for limit in (0.05, 0.1, 0.2)
    }
    roof = {
        design: attained(
            serve(sampled_requests("conversation", 150.0, 1000), roofline_steps(), design, 4),
            0.01,
            0.5,
        )
        for design in ("chunks of 512", 3)
    }
    burst, even = recorded(False), recorded(True)
    brief, long = opt_attainment(4.0, 100, 5), opt_attainment(4.0, 4000)
    lag = float(np.median(trace("code").prompt)) * KV_TOKEN / 1.25e9
    return [
        (
            "Does splitting always help, because prompts no longer disturb?",
            "yes",
            f"conversation: {gain['conversation', 0.05]:.2f} times at 50 ms, "
            f"{gain['conversation', 0.2]:.2f} times at 200 ms",
        ),
        (
            "Where does it help most?",
            "with long answers",
            f"code, with 13 tokens per answer: {gain['code', 0.05]:.2f} times at 50 ms",
        ),
        (
            "Does it matter how prompt and decode share an iteration?",
            "little",
            f"yes: with the longer of the two, chunks serve {100 * roof['chunks of 512']:.0f} % "
            f"within the limits at 150 requests/s, and two pools {100 * roof[3]:.0f} %",
        ),
        (
            "Are Poisson arrivals a fair test?",
            "yes, with real lengths",
            f"no: code as recorded has {100 * burst[0]:.0f} % within the limits at a utilization "
            f"of {burst[1]:.2f}, Poisson arrivals {100 * even[0]:.0f} %",
        ),
        (
            "Does attainment above capacity describe a system?",
            "yes, it falls slowly with the rate",
            f"it describes the length of the run: at 4 requests/s, OPT-13B on one A100 serves "
            f"{100 * brief:.0f} % of 100 requests within the limits, and {100 * long:.0f} % of "
            "4,000",
        ),
        (
            "Is the transfer small?",
            "below 1 % of the time",
            f"no: a median prompt of code takes {lag:.2f} s over 10 Gbit/s, spread over 12 gaps",
        ),
    ]
