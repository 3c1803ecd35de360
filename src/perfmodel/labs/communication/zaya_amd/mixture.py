"""The paper's machine, and the weights of its mixture of experts: all, and those a token uses.

Source: the layers of Hugging Face transformers' model `zaya`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MixtureShape:
    """Sizes of a model each of whose layers sends a token to few of its experts."""

    layers: int
    hidden: int
    query_heads: int
    value_heads: int
    head: int
    """Elements of a head."""
    experts: int
    """Of a layer."""
    used: int
    """Experts that a token is sent to."""
    width: int
    """Inner width of an expert, which is three matrices."""
    router: int
    """Inner width of the small network that chooses the expert."""
    kernel: int
    """Tokens that each of two convolutions over queries and keys sees."""


def expert_weights(shape: MixtureShape) -> int:
    """Return the weights of one expert: two matrices inwards, one outwards.

    >>> expert_weights(MixtureShape(1, 4, 2, 1, 2, 3, 1, 5, 2, 2))
    60
    """
    return 3 * shape.hidden * shape.width


def attention_weights(shape: MixtureShape) -> int:
    """Return the weights of a layer's attention: projections, two convolutions, a scale a head."""
    queries, keys = shape.query_heads * shape.head, shape.value_heads * shape.head
    projections = shape.hidden * (queries + 2 * keys) + queries * shape.hidden
    channels = queries + keys
    alone = channels * shape.kernel + channels
    grouped = channels * shape.head * shape.kernel + channels
    return projections + alone + grouped + shape.value_heads


def router_weights(shape: MixtureShape) -> int:
    """Return the weights of a layer's router, which may also choose to skip all experts."""
    inner = shape.router
    inward = shape.hidden * inner + inner
    mixing = 2 * (inner * inner + inner) + 2 * inner
    return inward + mixing + inner * (shape.experts + 1)


def layer_rest(shape: MixtureShape) -> int:
    """Return the weights of a layer that every token uses, all except the experts.

    Two norms, and a scale and a shift for either side of two additions, are ten vectors.
    """
    return attention_weights(shape) + router_weights(shape) + 10 * shape.hidden


def total_weights(shape: MixtureShape) -> int:
    """Return all weights of the layers, without the table of tokens."""
    return shape.layers * (layer_rest(shape) + shape.experts * expert_weights(shape))


def active_weights(shape: MixtureShape) -> int:
    """Return the weights of the layers that one token uses."""
    return shape.layers * (layer_rest(shape) + shape.used * expert_weights(shape))


GPUS = 8
"""Of a node; Anthony et al. 2025."""
RAIL = 50e9
"""Bytes/s of a GPU's network card, 400 Gb/s; Anthony et al. 2025."""
LINK = 50e9
"""Bytes/s of a link between two GPUs of a node; our example, as we found no measured value."""
LATENCY = 10e-6
"""Seconds before a message moves; our assumption."""
ZAYA = MixtureShape(
    layers=40,
    hidden=2048,
    query_heads=8,
    value_heads=2,
    head=128,
    experts=16,
    used=1,
    width=2048,
    router=256,
    kernel=2,
)
"""ZAYA1-8B, by its public configuration: huggingface.co/Zyphra/ZAYA1-8B, transformers' `zaya`."""
