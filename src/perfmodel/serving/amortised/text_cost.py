"""What a long text costs a decoder: work, and bytes at the price of the work done meanwhile.

A new token goes through all weights and looks at every token before it. Weights are read once for
all sequences of a step, keys and values for each; a byte is charged as many FLOP as the machine
can do while it comes. Source: Sadhukhan and others, Kinetics, arXiv:2506.05333, 2025.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.roofline import Decoder
from perfmodel.validation import Floats, at_least, non_negative, positive


@dataclass(frozen=True)
class TokenDemand:
    """What the next token of a sequence asks for.

    Raises
    ------
    ValueError
        If a number is below 0, or `work` is 0.
    """

    work: float
    """FLOP of the products with all weights, above 0."""
    weight_bytes: float
    """Bytes of weights that a step reads, once for all its sequences."""
    cache_work: float
    """FLOP for each token in the cache."""
    cache_bytes: float
    """Bytes read for each token in the cache, 0 or more."""

    def __post_init__(self) -> None:
        """Refuse a token that costs nothing or less."""
        positive("work", self.work)
        for name in ("weight_bytes", "cache_work", "cache_bytes"):
            non_negative(name, getattr(self, name))

    @classmethod
    def of(
        cls, model: Decoder, bytes_per_weight: float = 2.0, kv_bytes: float = 2.0
    ) -> TokenDemand:
        """Return the demand of a decoder's shape, whose heads all see the cache of their group.

        >>> from perfmodel.roofline import LLAMA_2_70B
        >>> TokenDemand.of(LLAMA_2_70B).cache_bytes
        327680.0
        """
        numbers, group = model.kv_numbers, model.heads // model.kv_heads
        return cls(
            model.operations_per_token,
            float(model.streamed_parameters * positive("bytes_per_weight", bytes_per_weight)),
            2.0 * group * numbers,
            float(numbers * positive("kv_bytes", kv_bytes)),
        )


class TextDemand(NamedTuple):
    """What a whole text asks for, arrays of one shape."""

    matrices: Floats
    """FLOP of the products with weights."""
    attention: Floats
    """FLOP of attention, search for blocks included."""
    weights: Floats
    """Bytes of weights, the text's share of them."""
    cache: Floats
    """Bytes of keys and values."""

    def equivalent(self, price: ArrayLike) -> Floats:
        """Return the work plus the bytes at `price` FLOP each: nothing overlaps."""
        bytes_read = (self.weights + self.cache) * non_negative("price", price)
        return np.asarray(self.matrices + self.attention + bytes_read)


class _Steps(NamedTuple):
    """Demands a step at the text's start, where the budget is reached, and at its end."""

    spans: Floats
    parts: Floats
    """Shape (4, 3, ...): matrices, attention, weights, cache."""


def text_demand(
    demand: TokenDemand,
    prompt: ArrayLike,
    output: ArrayLike,
    *,
    samples: ArrayLike = 1,
    budget: ArrayLike | None = None,
    block: ArrayLike | None = None,
    batch: ArrayLike | None = None,
) -> TextDemand:
    """Return what it takes to write `output` tokens after a prompt, whose own pass is left out.

    Parameters
    ----------
    demand : TokenDemand
    prompt, output : array_like
        Tokens, 0 or more. Sums over steps are taken as integrals, half a token in a step.
    samples : array_like
        Texts written side by side from the same prompt, 1 or more.
    budget : array_like, optional
        Cached tokens that attention reads at most (sparse attention), above 0; all of them if left
        out. Samples then choose each their own, so that the prompt is no longer read for all
        at once.
    block : array_like, optional
        Tokens of a block, if the budget is chosen by a product with one vector a block, which costs
        half as much as a token in the cache; the choice costs nothing if left out.
    batch : array_like, optional
        Sequences of a step, which share the weights' bytes; without it they are free.

    Examples
    --------
    >>> small = TokenDemand(work=100.0, weight_bytes=100.0, cache_work=4.0, cache_bytes=2.0)
    >>> text_demand(small, 10, 20).cache, text_demand(small, 10, 20, budget=15).cache
    (array(800.), array(575.))
    """
    steps = _steps(demand, prompt, output, samples, budget, block, batch)
    return TextDemand(*(_area(part, steps.spans) for part in steps.parts))


def text_cost(
    demand: TokenDemand,
    prompt: ArrayLike,
    output: ArrayLike,
    price: ArrayLike,
    *,
    samples: ArrayLike = 1,
    budget: ArrayLike | None = None,
    block: ArrayLike | None = None,
    batch: ArrayLike | None = None,
    overlap: bool = False,
) -> Floats:
    """Return the equivalent FLOP of a text: work, and bytes at `price` FLOP each.

    Parameters
    ----------
    demand, prompt, output, samples, budget, block, batch
        As for `text_demand`.
    price : array_like
        FLOP a byte, 0 or more: the machine's FLOP/s over its bytes/s. 0 counts work alone.
    overlap : bool
        Whether reading and computing go on at once: each step then costs the larger of the two
        instead of their sum.

    Returns
    -------
    ndarray
        FLOP (Sadhukhan 2025, without `batch` and `overlap`). Over the machine's FLOP/s, seconds.

    Examples
    --------
    >>> small = TokenDemand(work=100.0, weight_bytes=100.0, cache_work=4.0, cache_bytes=2.0)
    >>> print(text_cost(small, 0, 10, [0, 5]), text_cost(small, 0, 10, 5, batch=1))
    [1200. 1700.] 6700.0
    >>> print(text_cost(small, 0, 100, 50, overlap=True).round())
    500052.0
    """
    worth = non_negative("price", price)
    start = non_negative("prompt", prompt) + 0 * worth
    steps = _steps(demand, start, output, samples, budget, block, batch)
    work = steps.parts[0] + steps.parts[1]
    reading = worth * (steps.parts[2] + steps.parts[3])
    if not overlap:
        return np.asarray(_area(work + reading, steps.spans))
    return np.asarray(_area(work, steps.spans) + _area_above_zero(reading - work, steps.spans))


def crossover_length(
    demand: TokenDemand, price: ArrayLike, prompt: ArrayLike = 0, *, batch: ArrayLike | None = None
) -> Floats:
    """Return the length of the text whose attention costs as much as its weights.

    Parameters
    ----------
    demand : TokenDemand
        Whose attention costs something.
    price, prompt, batch
        As for `text_cost`.

    Returns
    -------
    ndarray
        Tokens of output; 0 where the prompt alone makes attention the larger part. The *step* at
        which the two are equal comes after half as many.

    Examples
    --------
    >>> small = TokenDemand(work=100.0, weight_bytes=100.0, cache_work=4.0, cache_bytes=2.0)
    >>> print(crossover_length(small, 3, [0, 5, 50]), crossover_length(small, 3, batch=1))
    [20. 10.  0.] 80.0
    """
    worth = non_negative("price", price)
    shared = 0.0 if batch is None else demand.weight_bytes / at_least("batch", batch, 1)
    growth = positive("cost of a cached token", demand.cache_work + worth * demand.cache_bytes)
    even = (demand.work + worth * shared) / growth
    return np.asarray(np.maximum(0.0, 2 * (even - non_negative("prompt", prompt))))


def _steps(
    demand: TokenDemand,
    prompt: ArrayLike,
    output: ArrayLike,
    samples: ArrayLike,
    budget: ArrayLike | None,
    block: ArrayLike | None,
    batch: ArrayLike | None,
) -> _Steps:
    start, tokens = non_negative("prompt", prompt), non_negative("output", output)
    many = at_least("samples", samples, 1)
    most = None if budget is None else positive("budget", budget)
    blocks = 0.0 if block is None else 1 / at_least("block", block, 1)
    shared = 0.0 if batch is None else 1 / at_least("batch", batch, 1)
    start, tokens, many, blocks, shared = np.broadcast_arrays(start, tokens, many, blocks, shared)
    if most is None:
        at = np.stack(np.broadcast_arrays(0 * tokens, tokens, tokens))
        seen, read = start + at, start + many * at
    else:
        start, tokens, most = np.broadcast_arrays(start, tokens, most)
        at = np.stack([0 * tokens, np.clip(most - start, 0, tokens), tokens])
        seen = np.minimum(start + at, most)
        read = many * seen
    looked_at = blocks / 2 * (start + at), blocks / 2 * (start + many * at)
    parts = (
        many * demand.work + 0 * seen,
        many * demand.cache_work * (seen + looked_at[0]),
        many * demand.weight_bytes * shared + 0 * seen,
        demand.cache_bytes * (read + looked_at[1]),
    )
    return _Steps(np.diff(at, axis=0), np.stack(np.broadcast_arrays(*parts)))


def _area(heights: Floats, spans: Floats) -> Floats:
    """Return the area under straight pieces, given at their ends along the first axis."""
    return np.asarray(((heights[:-1] + heights[1:]) / 2 * spans).sum(axis=0))


def _area_above_zero(heights: Floats, spans: Floats) -> Floats:
    """Return the area between zero and what lies above it."""
    above = np.maximum(heights, 0)
    size = np.abs(heights[:-1]) + np.abs(heights[1:])
    share = (above[:-1] + above[1:]) ** 2 / np.where(size > 0, 2 * size, 1)
    return np.asarray((share * spans).sum(axis=0))
