"""What a reused prefix saves in a prefill, and what fetching it takes (Mooncake, Eq. 1 and 2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.offloading.prefix_caching.traces import (
    ATTENTION_FACTOR,
    KV_BYTES,
    LAYERS,
    LINEAR_FACTOR,
    WIDTH,
)
from perfmodel.validation import Floats, check_shapes, non_negative, positive

LINEAR = LAYERS * LINEAR_FACTOR * WIDTH**2
"""FLOP for a token."""
SQUARE = LAYERS * ATTENTION_FACTOR * WIDTH
"""FLOP for a pair of tokens."""


def prefill_flop(tokens: ArrayLike) -> Floats:
    """Return the FLOP of a prefill of `tokens`, 0 or more, for Llama-3-70B (Eq. 1).

    >>> round(float(prefill_flop(8192)) / 1e12)
    1143
    """
    n = non_negative("tokens", tokens)
    return np.asarray(LINEAR * n + SQUARE * n**2)


def work_saved(prompt: ArrayLike, reused: ArrayLike) -> float:
    """Return the share of the FLOP of all prompts that their reused tokens spare.

    `prompt` and `reused` in tokens, above 0 and from 0 to the prompt.

    >>> round(work_saved(131072, 0.95 * 131072), 3), round(work_saved(8192, 4096), 3)
    (0.915, 0.462)
    """
    check_shapes(prompt=prompt, reused=reused)
    n, p = positive("prompt", prompt), non_negative("reused", reused)
    if (p > n).any():
        raise ValueError(f"reused must be at most prompt, got {reused!r} of {prompt!r}")
    return float(prefill_flop(p).sum() / prefill_flop(np.broadcast_to(n, p.shape)).sum())


def least_bandwidth(reused: ArrayLike, peak: ArrayLike) -> Floats:
    """Return the bytes/s above which fetching a prefix beats computing it again (Eq. 2).

    `reused` tokens and `peak` FLOP/s of the server, above 0.

    >>> (least_bandwidth(8192, [8 * 312e12, 8 * 989e12]) / 1e9).round(2)
    array([ 5.86, 18.57])
    """
    p = positive("reused", reused)
    return np.asarray(p * KV_BYTES * positive("peak", peak) / prefill_flop(p))
