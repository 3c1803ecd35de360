"""A small APEX: real traces served by the iteration-level simulator, steps from a roofline.

Three constants aren't on the data sheet: the fraction of the memory's bandwidth that is reached,
the further time per iteration, and the further time per sequence. They are fitted to four measured
runs, and all others are predicted. The exchange is NCCL's measured all-reduce, with a line through
each table.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.communication import fit_messages
from perfmodel.labs.communication.collectives.tables import collective_times
from perfmodel.labs.serving.apex.measured_runs import Means, ServerRun, alone, server_run
from perfmodel.labs.serving.apex.plans import (
    BANDWIDTH,
    BATCH,
    GPUS,
    LLAMA_70B,
    PEAK,
    REACHED,
    SHARE,
)
from perfmodel.serving import (
    BatchRules,
    DecoderSteps,
    Requests,
    ServingRun,
    StepPieces,
    simulate_serving,
)
from perfmodel.validation import Floats, non_negative, positive, whole


class AllReduce(NamedTuple):
    """The line alpha + beta x bytes."""

    latency: float
    """alpha, seconds."""
    byte_time: float
    """beta, seconds a byte."""


@cache
def all_reduce(ranks: int, gpu: str = "H100") -> AllReduce:
    """Return the line through the measured times of an all-reduce on `ranks` GPUs.

    Least squared relative errors over all sizes; one GPU needs no exchange. Measured were H100,
    H200 and V100, the H100 with 2, 4 and 8 ranks.

    >>> [round(1e6 * all_reduce(ranks).latency, 1) for ranks in (2, 4, 8)]
    [8.8, 12.3, 19.0]
    """
    if ranks == 1:
        return AllReduce(0.0, 0.0)
    fit = fit_messages(*collective_times(gpu, "all-reduce").of(ranks), breaks=0)
    return AllReduce(float(fit.latencies[0]), float(fit.byte_times[0]))


def looked_up(ranks: int, size: ArrayLike, gpu: str = "H100") -> Floats:
    """Return the seconds of an all-reduce of `size` bytes as APEX has it, straight between points.

    >>> float(1e6 * looked_up(8, 96 * 1024).round(9))
    21.0
    """
    sizes, times = collective_times(gpu, "all-reduce").of(ranks)
    return np.asarray(np.interp(non_negative("size", size), sizes, times))


def bus_bandwidth(ranks: int, gpu: str = "H100") -> float:
    """Return 2 (n - 1) / n times the bytes a second of the largest all-reduce that was measured.

    What each GPU's link would have to carry in a ring.

    >>> round(bus_bandwidth(8) / 1e9)
    393
    """
    sizes, times = collective_times(gpu, "all-reduce").of(ranks)
    return float(2 * (ranks - 1) / ranks * sizes[-1] / times[-1])


FITTED_TO = (("lmsys_05", 8), ("lmsys_05", 4), ("lmsys_05", 2), ("creation_05", 8))
"""Traces and GPUs of the lone servers whose time a token the constants are fitted to."""
_START = (0.8, 4e-3, 4e-4)
BEGUN = 128
"""Requests from which slopes are taken."""


class Constants(NamedTuple):
    """What a data sheet doesn't tell."""

    share: float
    """Of the memory's bandwidth that is reached."""
    iteration: float
    """Further seconds per iteration."""
    sequence: float
    """Seconds that each sequence adds to it."""
    peak: float = REACHED
    """FLOP/s of a GPU; not fitted."""


PAPER = Constants(1.0, 0.0, 0.0, PEAK)
"""The roofline as the data sheet has it."""


def decoder_steps(tensor: int, constants: Constants = PAPER) -> DecoderSteps:
    """Return the step times of the 70B model on this many H100s.

    >>> round(1e3 * float(decoder_steps(8).seconds(sequences=1)), 2)
    8.25
    """
    line = all_reduce(tensor)
    return DecoderSteps(
        LLAMA_70B,
        constants.peak,
        BANDWIDTH * constants.share,
        tensor,
        exchange_latency=line.latency,
        exchange_byte_time=line.byte_time,
        overhead=constants.iteration,
        sequence_overhead=constants.sequence,
    )


def without_context(steps: DecoderSteps) -> StepPieces:
    """Return the steps with decode attention that costs the same for any context.

    So it is in APEX's code, which looks the kernel up with a length of one.
    """
    full = steps.pieces()
    return StepPieces(full.fixed, full.prompt_token, full.sequence, 0.0, full.prompt_pair)


def cache_capacity(tensor: int) -> float:
    """Return the tokens that fit in the cache of a server, vLLM's share of the memory used.

    >>> round(cache_capacity(2) / 1e3), round(cache_capacity(8) / 1e3)
    (43, 1464)
    """
    steps = decoder_steps(tensor)
    weights = 2.0 * LLAMA_70B.parameters / tensor
    return (SHARE * 80e9 - weights) / steps.cache_token_bytes


def replay(
    requests: Requests,
    tensor: int,
    constants: Constants = PAPER,
    *,
    policy: str = "prefill first",
    context: bool = True,
) -> ServingRun:
    """Serve requests on one server of 2, 4 or 8 H100s, under a policy of `BatchRules`.

    `context`: whether decode attention grows with the context.
    """
    steps = decoder_steps(tensor, constants)
    rules = BatchRules(max_num_seqs=BATCH, cache_tokens=cache_capacity(tensor), policy=policy)
    pieces = steps.pieces() if context else without_context(steps)
    return simulate_serving(requests, pieces, rules)


def loaded(
    run: ServerRun,
    rate: float,
    tensor: int,
    constants: Constants,
    *,
    count: int = 200,
    policy: str = "prefill first",
) -> ServingRun:
    """Serve a run's first requests at another rate (1/s), on all eight GPUs in copies of `tensor`.

    The gaps between the requests are shrunk or stretched by one factor.
    """
    offered = run.offered()
    arrival = offered.arrival[: whole("count", count, 2)] - offered.arrival[0]
    asked = float(positive("rate", rate)) * arrival[-1] / (arrival.size - 1)
    requests = Requests(arrival / asked, offered.prompt[:count], offered.output[:count])
    rules = BatchRules(max_num_seqs=BATCH, cache_tokens=cache_capacity(tensor), policy=policy)
    pieces = decoder_steps(tensor, constants).pieces()
    return simulate_serving(requests, pieces, rules, replicas=GPUS // tensor)


def means(run: ServingRun) -> Means:
    """Return the times of a simulated run as vLLM reports those of a real one."""
    after = float((run.finish - run.first_token_time).sum())
    first = float(run.first_token.mean())
    return Means(first, after / run.requests.tokens, float(run.response.sum()))


@cache
def predicted(run: ServerRun, constants: Constants = PAPER) -> Means:
    """Return the means of a run's own requests, as a new server would report them."""
    return means(replay(run.offered(), run.tensor, constants))


def since_start(run: ServerRun, constants: Constants = PAPER) -> Means:
    """Return the means that the server would report, all that it served before included."""
    parts = [server_run(trace, run.tensor) for trace in run.before] + [run]
    own = [predicted(part, constants) for part in parts]
    count, tokens = sum(p.requests for p in parts), sum(p.output_tokens for p in parts)
    first = sum(p.requests * mean.first for p, mean in zip(parts, own, strict=True))
    token = sum(p.output_tokens * mean.token for p, mean in zip(parts, own, strict=True))
    return Means(first / count, token / tokens, sum(mean.total for mean in own))


def relative(runs: tuple[ServerRun, ...], constants: Constants, count: int | None = None) -> Floats:
    """Return predicted over printed times a token, less one, shape (runs,).

    With `count`, of each trace only this many requests are replayed: a run's mean moves little with
    them, and its slope less.
    """
    if count is None:
        tokens = [since_start(run, constants).token for run in runs]
    else:
        tokens = [_begun(run, constants, whole("count", count, 1)).token for run in runs]
    return np.array(tokens) / [run.printed.token for run in runs] - 1


def relative_first(runs: Iterable[ServerRun], constants: Constants) -> Floats:
    """Return predicted times to the first token over those taken apart, less one, (runs,)."""
    return np.array([predicted(run, constants).first / alone(run).first - 1 for run in runs])


def lengthened(run: ServerRun, constants: Constants) -> float:
    """Return the share by which a token takes longer as attention grows with the context."""
    flat = means(replay(run.offered(), run.tensor, constants, context=False)).token
    return predicted(run, constants).token / flat - 1


def slopes(runs: tuple[ServerRun, ...], constants: Constants, count: int = BEGUN) -> Floats:
    """Return how `relative` moves with ln of the three fitted constants, shape (runs, 3).

    By differences of a tenth, from the first `count` requests of each trace.
    """
    logs = np.log(constants[:3])
    here = relative(runs, constants, count)
    there = [
        relative(runs, constants._replace(**_named(logs + 0.1 * unit)), count) for unit in np.eye(3)
    ]
    return np.stack([(changed - here) / 0.1 for changed in there], axis=1)


@cache
def fitted(runs: tuple[ServerRun, ...] | None = None, steps: int = 2) -> Constants:
    """Return the three constants, least squares of relative errors of some times a token.

    Three runs or more, by default those of `FITTED_TO`. Times hardly bend with the constants:
    slopes are taken once, and two steps of Newton's method, each a factor of e at most, are enough
    (the tests look how little a third would change).

    >>> share, iteration, sequence, _ = fitted()
    >>> 0.6 < share < 1, 1e-3 < iteration < 1e-2, sequence > 0
    (True, True, True)
    """
    chosen = runs or tuple(server_run(trace, tensor) for trace, tensor in FITTED_TO)
    constants = Constants(*_START)
    slope = slopes(chosen, constants)
    for _ in range(whole("steps", steps, 1)):
        step = np.linalg.lstsq(slope, relative(chosen, constants), rcond=None)[0]
        constants = constants._replace(**_named(np.log(constants[:3]) - np.clip(step, -1, 1)))
    return constants


@cache
def _begun(run: ServerRun, constants: Constants, count: int) -> Means:
    offered = run.offered()
    first = Requests(offered.arrival[:count], offered.prompt[:count], offered.output[:count])
    return means(replay(first, run.tensor, constants))


def _named(logs: Floats) -> dict[str, float]:
    return dict(zip(Constants._fields[:3], np.exp(logs).tolist(), strict=True))
