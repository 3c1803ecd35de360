"""Two ways to spend a budget, the batch that decides between them, and what fits beside weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.serving.kinetics.inputs import MODELS, PRICE, PROMPT, Qwen, model
from perfmodel.serving import crossover_length, mean_context, text_cost, text_demand
from perfmodel.validation import Floats, at_least, positive, within

SMALL, LARGE = (model("1.7B"), 65_536), (model("32B"), 32_768)
"""The two that the authors compare: a model and the tokens that it writes."""


def ratio(
    price: ArrayLike = PRICE, batch: ArrayLike | None = None, overlap: bool = False
) -> Floats:
    """Return what 1.7B with 64K tokens costs over 32B with 32K.

    A price (FLOP a byte) of 0 counts the work of weights and attention; without a `batch` that
    shares it, reading the weights is free; with `overlap` reading and computing go on at once.

    >>> print(ratio([0, PRICE]).round(2), ratio(batch=1).round(2))
    [0.23 1.67] 0.23
    """
    costs = [
        text_cost(one.demand, PROMPT, output, price, batch=batch, overlap=overlap)
        for one, output in (SMALL, LARGE)
    ]
    return np.asarray(costs[0] / costs[1])


def even_batch_of_two(price: float = PRICE) -> float:
    """Return the batch at which both cost the same, each with so many sequences.

    Both are a part that doesn't change and the weights' bytes over the batch, so that one division
    gives it.

    >>> round(even_batch_of_two(), 1)
    18.7
    """
    worth = float(positive("price", price))
    fixed, shared = [], []
    for one, output in (SMALL, LARGE):
        parts = text_demand(one.demand, PROMPT, output, batch=1)
        shared.append(worth * float(parts.weights))
        fixed.append(float(text_cost(one.demand, PROMPT, output, worth)))
    return (shared[1] - shared[0]) / (fixed[0] - fixed[1])


def ignored_share(one: Qwen, output: float, batch: ArrayLike, price: float = PRICE) -> Floats:
    """Return the share of a text's cost that is left out if weights are read for nothing."""
    kept = text_cost(one.demand, PROMPT, output, price)
    return np.asarray(1 - kept / text_cost(one.demand, PROMPT, output, price, batch=batch))


def ignoring_batch(one: Qwen, output: float, error: float, price: float = PRICE) -> float:
    """Return the batch from which leaving out the weights' bytes errs by less than a share `error`.

    >>> round(ignoring_batch(model("8B"), 32_768, 0.1))
    58
    """
    share = float(within("error", error, 1e-9, 1 - 1e-9))
    kept = float(text_cost(one.demand, PROMPT, output, price))
    weights = price * float(text_demand(one.demand, PROMPT, output, batch=1).weights)
    return weights * (1 - share) / (share * kept)


def batch_that_fits(one: Qwen, output: float, memory: float, devices: int = 1) -> float:
    """Return the sequences whose caches fit beside the weights, texts of all ages together.

    0 where the weights alone don't fit. On average: in a queue with all ages mixed, a sequence
    holds its prompt and half of its `output` tokens. `devices` of `memory` bytes share both.

    >>> round(batch_that_fits(model("32B"), 32_768, 192e9), 1)
    28.6
    """
    together = float(positive("memory", memory) * at_least("devices", devices, 1))
    room = together - one.demand.weight_bytes
    held = one.demand.cache_bytes * float(mean_context(PROMPT, output))
    return max(0.0, room / held)


def crossings(price: float = PRICE, batch: float | None = None) -> dict[str, float]:
    """Return for each model the length at which attention costs as much as its weights.

    >>> {name: round(length) for name, length in crossings().items()}
    {'0.6B': 46, '1.7B': 125, '4B': 192, '8B': 392, '14B': 635, '32B': 876}
    """
    return {m.name: float(crossover_length(m.demand, price, batch=batch)) for m in MODELS}
