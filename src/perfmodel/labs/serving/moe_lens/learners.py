"""A regression and a learned model on batches that were played, asked for larger caches.

They get the logarithms of prompt, answer and cache, and the generated tokens/s of played batches
with up to `LARGEST` bytes of cache, and are asked for batches with up to three times as much, where
for short answers the GPU binds. The closed form gets nothing.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from perfmodel.labs.serving.moe_lens.inputs import BLOCK, cache_tokens, server
from perfmodel.serving import even_batch, simulate_passes
from perfmodel.validation import Floats

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
        run = simulate_passes(
            np.full(BATCH, prompt), generated, cache_tokens(size), server(), block=BLOCK
        )
        rows.append((prompt, generated, size, run.throughput))
    return Played(*np.array(rows, np.float64).T)


@cache
def predictions(model: str) -> Floats:
    """Return what a model says of each batch, learned from those with small caches."""
    if model not in MODELS:
        raise ValueError(f"model must be one of {', '.join(MODELS)}, got {model!r}")
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
