"""A steady stream of equal requests through passes that stream all weights.

In each pass the same number of sequences begins. A sequence takes part in g + 1 passes: its prompt
of p tokens in the first, and one token in each of the next g. (A sequence that answers with g
tokens puts g - 1 of them through again. Give g - 1 where this one token matters.)

So the device sees p + g tokens for a footprint in the cache of p + (p + 1) + ... + (p + g) tokens
times passes. Little's law turns capacity into work. Source: Yuan and others, MoE-Lens,
arXiv:2504.09345, 2025, equations 3, 4, 5 and 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import (
    Floats,
    non_negative,
    positive,
    whole,
    whole_numbers,
)


@dataclass(frozen=True)
class StreamedPass:
    """What takes time in a pass over a model whose weights lie in the host's memory."""

    weights: float
    """Bytes that each pass brings to the device, above 0."""
    link: float
    """Bytes/s at which they come, above 0."""
    token_rate: float
    """Tokens/s that the device computes if weights are there, above 0."""
    cache_bytes: float = 0.0
    """Bytes a token of the cache, read by the host's processor in each pass; 0 or more."""
    memory: float = inf
    """Bytes/s of the host's memory, which both the weights and the cache come from; above 0."""

    def __post_init__(self) -> None:
        """Refuse what isn't above 0."""
        for name in ("weights", "link", "token_rate"):
            positive(name, getattr(self, name))
        non_negative("cache_bytes", self.cache_bytes)
        if self.memory != inf:
            positive("memory", self.memory)

    @property
    def sweep(self) -> float:
        """Seconds in which all weights come over the link: the shortest pass."""
        return self.weights / self.link

    @property
    def full_tokens(self) -> float:
        """Tokens of a pass that keep the device busy for a whole sweep."""
        return self.token_rate * self.sweep

    @property
    def fill(self) -> int:
        """As many whole tokens, one at least: what a pass is filled up to."""
        return max(1, int(self.full_tokens * (1 + 1e-12)))

    def channels(self, tokens: ArrayLike, cached: ArrayLike = 0) -> Floats:
        """Return the seconds for which link, device and memory are busy in a pass.

        Parameters
        ----------
        tokens : array_like
            That go through, 0 or more.
        cached : array_like
            Tokens of the cache that are read, 0 or more.

        Returns
        -------
        ndarray, shape (..., 3)

        Examples
        --------
        >>> StreamedPass(94e9, 20e9, 4000.0, 131072, 150e9).channels(9400, 500_000).round(2)
        array([4.7 , 2.35, 1.06])
        """
        through, held = np.broadcast_arrays(
            non_negative("tokens", tokens), non_negative("cached", cached)
        )
        link = np.full(through.shape, self.sweep)
        memory = (self.weights + self.cache_bytes * held) / self.memory
        return np.stack([link, through / self.token_rate, memory], axis=-1)

    def seconds(self, tokens: ArrayLike, cached: ArrayLike = 0) -> Floats:
        """Return the time of a pass in which all three overlap: the largest of `channels`.

        >>> StreamedPass(94e9, 20e9, 4000.0).seconds([100, 40_000])
        array([ 4.7, 10. ])
        """
        return np.asarray(self.channels(tokens, cached).max(axis=-1))


def resident_tokens(prompt: ArrayLike, generated: ArrayLike, block: int = 1) -> Floats:
    """Return the footprint of a sequence: the cache that it holds, added up over its passes.

    Parameters
    ----------
    prompt, generated : array_like
        Tokens p and g, whole numbers, 1 or more.
    block : int
        Tokens that are given out at once; 1 where none are wasted.

    Returns
    -------
    ndarray
        Tokens times passes: p + (p + 1) + ... + (p + g), each rounded up to whole blocks.

    Examples
    --------
    >>> resident_tokens(98, 32), resident_tokens(98, 32, block=16)
    (array(3762.), array(4016.))
    """
    first, more = whole_numbers("prompt", prompt, 1), whole_numbers("generated", generated, 1)
    size = whole("block", block, 1)
    return np.asarray(_blocks_up_to(first + more, size) - _blocks_up_to(first - 1, size))


def pass_efficiency(prompt: ArrayLike, generated: ArrayLike, block: int = 1) -> Floats:
    """Return the tokens that go through in a pass for each token that the cache can hold.

    Parameters
    ----------
    prompt, generated, block
        As of `resident_tokens`.

    Returns
    -------
    ndarray
        The parallelism-memory efficiency of Yuan (2025), equation 3, exactly; for long answers
        nearly 2 (p + g) / ((2 p + g) g).

    Examples
    --------
    >>> pass_efficiency(98, [32, 64, 128, 256]).round(5)
    array([0.03456, 0.01917, 0.01081, 0.00609])
    """
    footprint = resident_tokens(prompt, generated, block)
    return np.asarray((np.asarray(prompt) + np.asarray(generated)) / footprint)


def capacity_throughput(
    times: StreamedPass,
    prompt: ArrayLike,
    generated: ArrayLike,
    cache: ArrayLike,
    block: int = 1,
) -> Floats:
    """Return the generated tokens/s of a steady stream: bound by the cache, or by the device.

    Parameters
    ----------
    times : StreamedPass
        Weights, link, device, and if given the host's memory.
    prompt, generated, block
        As of `resident_tokens`.
    cache : array_like
        Tokens that the cache can hold, 0 or more. Below a footprint's largest state, p + g, the
        value is that of a share of a sequence.

    Returns
    -------
    ndarray
        Tokens/s (Yuan 2025, equation 4, which counts prompts too: times (p + g)/g). If the host's
        memory takes longer than the sweep, its time stands in for it.

    Examples
    --------
    >>> times = StreamedPass(94e9, 19.5e9, 3838.0)
    >>> capacity_throughput(times, 98, 32, [267_029, 534_058, 5_000_000]).round()
    array([471., 942., 945.])
    """
    held = non_negative("cache", cache)
    tokens = pass_efficiency(prompt, generated, block) * held
    share = np.asarray(generated) / (np.asarray(prompt) + np.asarray(generated))
    waiting = times.seconds(np.zeros_like(tokens), held)
    return np.asarray(share * np.minimum(tokens / waiting, times.token_rate))


def saturating_cache(
    tokens: ArrayLike, prompt: ArrayLike, generated: ArrayLike, block: int = 1
) -> Floats:
    """Return the tokens that the cache must hold so that `tokens` go through in each pass.

    Parameters
    ----------
    tokens : array_like
        Of a pass, above 0: `StreamedPass.full_tokens` or `saturating_tokens`.
    prompt, generated, block
        As of `resident_tokens`.

    Examples
    --------
    >>> float(saturating_cache(19_200, 98, 32).round())
    555618.0
    """
    through = positive("tokens", tokens)
    return np.asarray(through / pass_efficiency(prompt, generated, block))


def overlap_capacity_gain(prompt: ArrayLike, generated: ArrayLike) -> Floats:
    """Return how many times as many sequences fit if they are of all ages, not of one.

    Sequences of one age need room for p + g tokens each before they end, those of all ages
    p + g/2 on average (Yuan 2025, equation 7).

    Parameters
    ----------
    prompt : array_like
        Tokens p, 0 or more.
    generated : array_like
        Tokens g, above 0.

    Returns
    -------
    ndarray
        1 for endless prompts to 2 for none.

    Examples
    --------
    >>> overlap_capacity_gain([98, 98, 926], [256, 32, 128]).round(2)
    array([1.57, 1.14, 1.06])
    """
    first, more = non_negative("prompt", prompt), positive("generated", generated)
    return np.asarray((first + more) / (first + more / 2))


def _blocks_up_to(tokens: Floats, block: int) -> Floats:
    """Return the sum of 1 to `tokens`, each rounded up to whole blocks."""
    full, rest = np.divmod(tokens, block)
    return np.asarray(block * (block * full * (full + 1) / 2 + rest * (full + 1)))
