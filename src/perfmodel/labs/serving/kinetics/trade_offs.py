"""Two ways to spend a budget, the batch that decides between them, and accuracy over length.

The authors plot how the six models' accuracy grows with length, but don't print it. Each model gets

    a(L) = A (1 - exp(-L/tau)) / (1 - exp(-32768/tau)),

which is the printed accuracy A at 32,768 tokens. tau, in tokens, is one number for all models, and
nobody measured it. A result that depends on tau is no finding.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.serving.kinetics.inputs import LENGTHS, MODELS, PRICE, PROMPT, Qwen, model
from perfmodel.serving import (
    cheapest_reaching,
    efficient_settings,
    mean_context,
    text_cost,
    text_demand,
)
from perfmodel.validation import Floats, at_least, non_negative, positive, within

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
        text_cost(qwen.demand, PROMPT, output, price, batch=batch, overlap=overlap)
        for qwen, output in (SMALL, LARGE)
    ]
    return np.asarray(costs[0] / costs[1])


def even_batch_of_two(price: float = PRICE) -> float:
    """Return the batch at which both cost the same, each with this many sequences.

    Both are a part that doesn't change and the weights' bytes over the batch, so that one division
    gives it.

    >>> round(even_batch_of_two(), 1)
    18.7
    """
    worth = float(positive("price", price))
    fixed, shared = [], []
    for qwen, output in (SMALL, LARGE):
        parts = text_demand(qwen.demand, PROMPT, output, batch=1)
        shared.append(worth * float(parts.weights))
        fixed.append(float(text_cost(qwen.demand, PROMPT, output, worth)))
    return (shared[1] - shared[0]) / (fixed[0] - fixed[1])


def ignored_share(qwen: Qwen, output: float, batch: ArrayLike, price: float = PRICE) -> Floats:
    """Return the share of a text's cost that is left out if weights are read for nothing."""
    counted = text_cost(qwen.demand, PROMPT, output, price)
    return np.asarray(1 - counted / text_cost(qwen.demand, PROMPT, output, price, batch=batch))


def ignoring_batch(qwen: Qwen, output: float, error: float, price: float = PRICE) -> float:
    """Return the batch from which leaving out the weights' bytes errs by less than a share `error`.

    >>> round(ignoring_batch(model("8B"), 32_768, 0.1))
    58
    """
    share = float(within("error", error, 1e-9, 1 - 1e-9))
    counted = float(text_cost(qwen.demand, PROMPT, output, price))
    weights = price * float(text_demand(qwen.demand, PROMPT, output, batch=1).weights)
    return weights * (1 - share) / (share * counted)


def batch_that_fits(qwen: Qwen, output: float, memory: float, devices: int = 1) -> float:
    """Return the sequences whose caches fit next to the weights, texts of all ages together.

    0 if the weights alone don't fit. On average: in a queue with all ages mixed, a sequence
    holds its prompt and half of its `output` tokens. `devices` of `memory` bytes share both.

    >>> round(batch_that_fits(model("32B"), 32_768, 192e9), 1)
    28.6
    """
    together = float(positive("memory", memory) * at_least("devices", devices, 1))
    free_bytes = together - qwen.demand.weight_bytes
    cache_bytes = qwen.demand.cache_bytes * float(mean_context(PROMPT, output))
    return max(0.0, free_bytes / cache_bytes)


TAUS = (1024, 2048, 4096, 8192, 16_384, 32_768)
"""Tokens: from answers that are as good as they get after 3,000 tokens to ones that still grow."""


class Settings(NamedTuple):
    """All models at all lengths, arrays of one length."""

    model: np.ndarray
    """Its place in the list of models."""
    output: Floats
    """Tokens."""
    accuracy: Floats
    """Share, the surrogate's."""
    cost: Floats
    """Equivalent FLOP."""


def accuracy(qwen: Qwen, output: ArrayLike, tau: float) -> Floats:
    """Return the surrogate's accuracy after `output` tokens.

    >>> from perfmodel.labs.serving.kinetics.inputs import model
    >>> print(accuracy(model("14B"), [0, 8192, 32_768], 8192).round(3))
    [0.    0.513 0.796]
    """
    scale = float(positive("tau", tau))
    grown = -np.expm1(-non_negative("output", output) / scale)
    return np.asarray(qwen.accuracy * grown / -np.expm1(-LENGTHS[-1] / scale))


@cache
def settings(tau: float, price: float | None = PRICE) -> Settings:
    """Return all models at the authors' lengths, with the surrogate's accuracy and their cost.

    `price` is that of a byte, in FLOP; with None the cost is that of earlier laws, 2 FLOP a weight
    and token, attention left out.
    """
    index = np.repeat(np.arange(len(MODELS)), LENGTHS.size)
    output = np.tile(LENGTHS.astype(float), len(MODELS))
    reached = np.concatenate([accuracy(m, LENGTHS, tau) for m in MODELS])
    cost = np.concatenate([_cost(m, price) for m in MODELS])
    return Settings(index, output, reached, cost)


def frontier(tau: float, price: float | None = PRICE) -> np.ndarray:
    """Return the places of the settings worth having, by rising cost."""
    every = settings(tau, price)
    return efficient_settings(every.cost, every.accuracy)


def threshold(tau: float, price: float | None = PRICE) -> str:
    """Return the smallest model whose longest answers are worth having.

    A larger model beats longer answers of smaller models. With this model, only length is left.

    >>> [threshold(8192, price) for price in (None, PRICE)]
    ['4B', '14B']
    """
    every, efficient = settings(tau, price), frontier(tau, price)
    longest = every.model[efficient][every.output[efficient] == LENGTHS[-1]]
    return MODELS[int(longest.min())].name


def overpaid(tau: float, price: float = PRICE) -> float:
    """Return the largest factor that a choice by an earlier law costs too much.

    For each setting on the frontier of weights' work alone: its cost with bytes, over the least
    that buys as much accuracy.

    >>> round(overpaid(2048), 1)
    5.4
    """
    every = settings(tau, price)
    ratios = []
    for index in frontier(tau, None):
        best = cheapest_reaching(every.cost, every.accuracy, every.accuracy[index])
        ratios.append(1.0 if best is None else every.cost[index] / every.cost[best])
    return float(max(ratios))


def _cost(qwen: Qwen, price: float | None) -> Floats:
    if price is None:
        return np.asarray(qwen.demand.work * LENGTHS)
    return text_cost(qwen.demand, PROMPT, LENGTHS, price)
