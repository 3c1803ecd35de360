"""A batch of equal requests from the first pass to the last one, in closed form.

Two schedules on the same hardware: sequences of all ages share each pass, with as many new ones in
each, or all have one age, and prompts and answers take turns. Filling and draining count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfmodel.serving.weight_streaming.steady import StreamedPass, resident_tokens
from perfmodel.validation import positive, whole


@dataclass(frozen=True)
class BatchEstimate:
    """The results of a closed form for a batch."""

    admitted: int
    """Sequences that begin together: in each pass, or in each round."""
    weight_passes: int
    """Sweeps of all weights."""
    seconds: float
    """From the first to the last."""
    throughput: float
    """Generated tokens/s."""
    device: float
    """Share of the time for which the device computes."""


def even_batch(
    requests: int,
    prompt: int,
    generated: int,
    cache: float,
    times: StreamedPass,
    block: int = 1,
) -> BatchEstimate:
    """Estimate a batch of which equally many sequences begin in each pass, all ages together.

    As many begin as the cache holds in the steady state, blocks given out whole, or as the device
    can do in a sweep, if those are fewer.

    Parameters
    ----------
    requests : int
        Of the batch, 1 or more.
    prompt, generated : int
        Tokens of each, as of `resident_tokens`.
    cache : float
        Tokens that the cache can hold.
    times : StreamedPass
        What takes time in a pass.
    block : int
        Tokens that are given out at once.

    Returns
    -------
    BatchEstimate
        Of ceil(requests/admitted) + generated passes, each of which takes as long as a full one.
        For endless batches it is `capacity_throughput`, except that whole numbers are admitted. A
        reconstruction: the source's own equations for batches were not available.

    Raises
    ------
    ValueError
        If an argument is out of range, or the cache holds less than one sequence's footprint, so
        that not one can begin in each pass.

    Examples
    --------
    >>> times = StreamedPass(94e9, 19.5e9, 3838.0)
    >>> [round(even_batch(n, 98, 32, 534_058, times).throughput) for n in (5000, 25_000, 100_000)]
    [488, 790, 895]
    """
    count = whole("requests", requests, 1)
    footprint = float(resident_tokens(prompt, generated, block))
    fit = int(float(positive("cache", cache)) // footprint)
    if fit < 1:
        raise ValueError(
            f"cache must hold a footprint of {footprint:,.0f} tokens, so that one sequence can "
            f"begin in each pass, got {cache!r}"
        )
    tokens = prompt + generated
    admitted = min(fit, max(1, times.fill // tokens), count)
    passes = -(-count // admitted) + generated
    held = admitted * float(resident_tokens(prompt, generated))
    seconds = passes * float(times.seconds(admitted * tokens, held))
    return _estimate(count, prompt, generated, times, admitted, passes, seconds)


def separate_phases(
    requests: int,
    prompt: int,
    generated: int,
    cache: float,
    times: StreamedPass,
    block: int = 1,
) -> BatchEstimate:
    """Estimate a batch in rounds: prompts of as many sequences as fit, then all their answers.

    Parameters
    ----------
    requests, prompt, generated, cache, times, block
        As of `even_batch`. Each sequence has its p + g tokens reserved from the start.

    Returns
    -------
    BatchEstimate
        Of rounds with one sweep for all prompts, in which the device computes for as long as it
        must and the link waits, and then g sweeps with one token of each sequence.

    Raises
    ------
    ValueError
        If an argument is out of range, or the cache can't hold p + g tokens of one sequence.

    Examples
    --------
    >>> times = StreamedPass(94e9, 19.5e9, 3838.0)
    >>> round(separate_phases(25_000, 98, 32, 534_058, times).throughput)
    466
    """
    count = whole("requests", requests, 1)
    resident_tokens(prompt, generated, block)
    reserved = block * -(-(prompt + generated) // block)
    most = int(float(positive("cache", cache)) // reserved)
    if most < 1:
        raise ValueError(f"cache must hold {reserved:,} tokens of one sequence, got {cache!r}")
    admitted = min(most, count)
    full, rest = divmod(count, admitted)
    passes, seconds = 0, 0.0
    for rounds, size in ((full, admitted), (min(rest, 1), rest)):
        held = size * (prompt + np.arange(generated + 1))
        through = np.where(np.arange(generated + 1) == 0, size * prompt, size)
        passes += rounds * (generated + 1)
        seconds += rounds * float(times.seconds(through, held).sum())
    return _estimate(count, prompt, generated, times, admitted, passes, seconds)


def _estimate(
    count: int,
    prompt: int,
    generated: int,
    times: StreamedPass,
    admitted: int,
    passes: int,
    seconds: float,
) -> BatchEstimate:
    work = count * (prompt + generated) / times.token_rate
    return BatchEstimate(admitted, passes, seconds, count * generated / seconds, work / seconds)
