"""The server and the model of MoE-Lens, with where they stand, and the batch played here.

Yuan, Ma, Talati, "MoE-Lens: Towards the Hardware Limit of High-Throughput MoE LLM Serving Under
Resource Constraints", arXiv:2504.09345, 2025. The server: one socket of a Xeon 8380, an A40 of
which 16 to 24 GB are used. What isn't the paper's is marked as assumed.
"""

from __future__ import annotations

from perfmodel.serving import ExpertLayer, StreamedPass

MIXTRAL = ExpertLayer(hidden=4096, expert_width=14_336, group=4, experts=8, active=2)
"""A layer of Mixtral-8x7B."""
LAYERS = 32
KV_BYTES = LAYERS * 2 * 2 * MIXTRAL.hidden // MIXTRAL.group
"""Bytes of a token's keys and values, 16 bits each, in all layers: 131,072."""
WEIGHTS = 94e9
"""Bytes of Mixtral-8x7B, 16 bits a weight."""
SHARE = MIXTRAL.active / MIXTRAL.experts
"""Experts that a token goes through: the estimate of a token's FLOP a byte."""

DEVICES = {"A40": 150, "L40": 181, "A100": 312}
"""TFLOP/s in 16 bits (Table 2)."""
LINK = 32e9
"""Bytes/s of PCIe 4.0 on paper (Table 2)."""
MEASURED_LINK = 19.5e9
"""Bytes/s of the same link as the authors measured it."""
MEMORY = 150e9
"""Bytes/s of the socket's memory, about."""
FULL = 18_500
"""Tokens of a pass that the authors size their buffers for. Taken here for as many as keep the GPU
busy during a sweep over the measured link, which the paper's notes that were read don't say."""

CACHE = 70e9
"""Bytes of the cache in the paper's smallest setting."""
LARGE_CACHE = 210e9
"""Bytes of the cache in its largest setting."""
PROMPT, GENERATED = 98, 32
"""Tokens of a request of MTBench."""
REQUESTS = 25_000
"""Of the batch played here; assumed."""
BLOCK = 16
"""Tokens of a block of the cache; assumed."""


def server(link: float = MEASURED_LINK) -> StreamedPass:
    """Return the paper's server with a link of this many bytes/s.

    The GPU's rate stays what makes `FULL` tokens take a sweep over the measured link.

    >>> round(server().sweep, 2), round(server().token_rate)
    (4.82, 3838)
    """
    rate = FULL * MEASURED_LINK / WEIGHTS
    return StreamedPass(WEIGHTS, link, rate, KV_BYTES, MEMORY)


def cache_tokens(size: float) -> float:
    """Return the tokens that a cache of `size` bytes can hold.

    >>> round(cache_tokens(CACHE))
    534058
    """
    return size / KV_BYTES
