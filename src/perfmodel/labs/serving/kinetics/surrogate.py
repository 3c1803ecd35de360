"""Accuracy over length as a stand-in: it ends where it was measured, and is made up before.

How the six models' accuracy grows with length was plotted, not printed. Each is given

    a(L) = A (1 - exp(-L/tau)) / (1 - exp(-32768/tau)),

which is the printed accuracy A at 32,768 tokens; tau, in tokens, is one number for all of them and
nobody's measurement. What hangs on tau is no finding.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.serving.kinetics.inputs import LENGTHS, MODELS, PRICE, PROMPT, Qwen
from perfmodel.serving import cheapest_reaching, efficient_settings, text_cost
from perfmodel.validation import Floats, non_negative, positive

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


def accuracy(one: Qwen, output: ArrayLike, tau: float) -> Floats:
    """Return the surrogate's accuracy after `output` tokens.

    >>> from perfmodel.labs.serving.kinetics.inputs import model
    >>> print(accuracy(model("14B"), [0, 8192, 32_768], 8192).round(3))
    [0.    0.513 0.796]
    """
    scale = float(positive("tau", tau))
    grown = -np.expm1(-non_negative("output", output) / scale)
    return np.asarray(one.accuracy * grown / -np.expm1(-LENGTHS[-1] / scale))


@cache
def settings(tau: float, price: float | None = PRICE) -> Settings:
    """Return all models at the authors' lengths, with the surrogate's accuracy and their cost.

    `price` is that of a byte, in FLOP; with None the cost is that of earlier laws, 2 FLOP a weight
    and token, attention left out.
    """
    place = np.repeat(np.arange(len(MODELS)), LENGTHS.size)
    output = np.tile(LENGTHS.astype(float), len(MODELS))
    reached = np.concatenate([accuracy(m, LENGTHS, tau) for m in MODELS])
    cost = np.concatenate([_cost(m, price) for m in MODELS])
    return Settings(place, output, reached, cost)


def frontier(tau: float, price: float | None = PRICE) -> np.ndarray:
    """Return the places of the settings worth having, by rising cost."""
    every = settings(tau, price)
    return efficient_settings(every.cost, every.accuracy)


def threshold(tau: float, price: float | None = PRICE) -> str:
    """Return the smallest model whose longest answers are worth having.

    Below it a longer answer is beaten by a larger model; from it on, length is all that is left.

    >>> [threshold(8192, price) for price in (None, PRICE)]
    ['4B', '14B']
    """
    every, kept = settings(tau, price), frontier(tau, price)
    longest = every.model[kept][every.output[kept] == LENGTHS[-1]]
    return MODELS[int(longest.min())].name


def overpaid(tau: float, price: float = PRICE) -> float:
    """Return how many times as much one pays at most, who chooses by an earlier law.

    For each setting on the frontier of weights' work alone: its cost with bytes, over the least
    that buys as much accuracy.

    >>> round(overpaid(2048), 1)
    5.4
    """
    every = settings(tau, price)
    ratios = []
    for place in frontier(tau, None):
        best = cheapest_reaching(every.cost, every.accuracy, every.accuracy[place])
        ratios.append(1.0 if best is None else every.cost[place] / every.cost[best])
    return float(max(ratios))


def _cost(one: Qwen, price: float | None) -> Floats:
    if price is None:
        return np.asarray(one.demand.work * LENGTHS)
    return text_cost(one.demand, PROMPT, LENGTHS, price)
