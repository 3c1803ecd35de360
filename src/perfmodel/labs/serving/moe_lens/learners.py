"""A regression and a learned model on batches that were played, asked for larger caches.

They get the logarithms of prompt, answer and cache, and the generated tokens/s of played batches
with up to `LARGEST` bytes of cache, and are asked for batches with up to three times as much, where
for short answers the GPU binds. The closed form gets nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from perfmodel.labs.serving.moe_lens.inputs import BLOCK, cache_tokens, server
from perfmodel.serving import even_batch, simulate_weight_streaming
from perfmodel.validation import Floats, one_of

CLOSED, PLANE, FOREST = "closed form", "plane of logarithms", "random forest"
MODELS = (CLOSED, PLANE, FOREST)
LARGEST = 70e9
"""Bytes of the largest cache that is learned from."""
BATCH = 3000
"""Requests of each batch."""
_PROMPTS, _LENGTHS = (98, 200, 400), (16, 32, 64, 128)
_CACHES = (20e9, 30e9, 40e9, 55e9, 70e9, 100e9, 140e9, 210e9)


class Played(NamedTuple):
    """Batches that were played, an array each."""

    prompt: Floats
    """Tokens."""
    generated: Floats
    """Tokens."""
    cache: Floats
    """Bytes."""
    rate: Floats
    """Generated tokens/s."""


@cache
def batches() -> Played:
    """Play all batches by the paper's rule."""
    rows = []
    for prompt, generated, size in product(_PROMPTS, _LENGTHS, _CACHES):
        run = simulate_weight_streaming(
            np.full(BATCH, prompt), generated, cache_tokens(size), server(), block=BLOCK
        )
        rows.append((prompt, generated, size, run.throughput))
    return Played(*np.array(rows, np.float64).T)


@cache
def predictions(model: str) -> Floats:
    """Return a model's prediction for each batch, learned from batches with small caches."""
    one_of("model", model, MODELS)
    played = batches()
    if model == CLOSED:
        rows = zip(played.prompt, played.generated, played.cache, strict=True)
        return np.array(
            [
                even_batch(BATCH, int(p), int(g), cache_tokens(size), server(), BLOCK).throughput
                for p, g, size in rows
            ]
        )
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import LinearRegression

    inputs, rate = np.log(np.column_stack(played[:3])), np.log(played.rate)
    learned = played.cache <= LARGEST
    fit = LinearRegression() if model == PLANE else RandomForestRegressor(100, random_state=0)
    fit.fit(inputs[learned], rate[learned])
    return np.exp(np.asarray(fit.predict(inputs), np.float64))


def errors(model: str) -> tuple[float, float, float]:
    """Return the shares by which a model is off: mean of small caches, mean and worst of larger."""
    played = batches()
    off = abs(predictions(model) / played.rate - 1)
    small = played.cache <= LARGEST
    return float(off[small].mean()), float(off[~small].mean()), float(off[~small].max())


REPORTED = 90
"""Per cent of the time for which the paper has the GPU compute."""


class PlayedBatch(NamedTuple):
    """A batch in closed form, and played in two ways; rates are generated tokens/s."""

    requests: int
    block: int
    """Tokens of a block."""
    admitted: int
    """q: requests that begin in each pass."""
    closed: float
    """Rate by the closed form."""
    even: float
    """Rate played with q a pass."""
    rule: float
    """Rate played by the rule."""
    preempted: int
    """Sequences thrown out by the rule."""
    device: float
    """Share of the time for which the GPU computes under the rule."""


def batch_summary(batches: Sequence[PlayedBatch], bound: float) -> str:
    """Return how far the closed form is off, and whether the GPU is as busy as reported.

    `bound` is the generated tokens/s that the server can't exceed.
    """
    off = max(abs(batch.closed / batch.even - 1) for batch in batches)
    gaps = [batch.rule / batch.closed - 1 for batch in batches]
    reached = max(batch.rule for batch in batches) / bound
    largest = max(batch.requests for batch in batches)
    busy = [100 * batch.device for batch in batches if batch.requests == largest]
    words = (
        f"With q per pass, (5) is at most {max(100 * off, 0.01):.2f} % off. By the rule the "
        f"throughput is {100 * min(gaps):+.1f} to {100 * max(gaps):+.1f} % from (5) and reaches "
        f"{100 * reached:.0f} % of the bound (3), {bound:.0f} tokens/s. With K = {largest:,} the "
        f"GPU is busy {min(busy):.0f} to {max(busy):.0f} % of the time"
    )
    if min(busy) <= REPORTED <= max(busy):
        return words + (
            f", like the reported {REPORTED} %: filling, draining and partly used blocks are "
            "enough to explain the gap to the bound."
        )
    return words + f". The reported {REPORTED} % lies outside."
