"""The parts of a transformer's layer: attention, grouped or latent, and a feed-forward network.

Matrices are counted from the widths; norms and biases only where `vectors` gives their number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, whole


@dataclass(frozen=True)
class Attention:
    """Attention of a layer whose heads share keys and values in groups.

    Raises
    ------
    ValueError
        If a number is not whole and positive, `num_kv_heads` does not divide `num_heads`, or a
        chunk has no length.
    """

    num_heads: int
    """Of the queries."""
    num_kv_heads: int
    """Groups of heads that share keys and values; `num_heads` of them is plain attention."""
    head_dim: int
    """Numbers of a query or key of one head. It need not be hidden over heads."""
    value_head_dim: int | None = None
    """Numbers of a value of one head; as wide as a key if not given."""
    sliding_window: int | None = None
    """Tokens back to which a token attends; None is all."""
    chunked: bool = False
    """Whether the window is a chunk: a token attends to its own chunk alone."""
    value_matrix: bool = True
    """False where the keys serve as values, so that no matrix makes values."""

    def __post_init__(self) -> None:
        """Refuse shapes that no model has."""
        for name in ("num_heads", "num_kv_heads", "head_dim"):
            whole(name, getattr(self, name), low=1)
        for name in ("value_head_dim", "sliding_window"):
            if getattr(self, name) is not None:
                whole(name, getattr(self, name), low=1)
        if self.num_heads % self.num_kv_heads:
            raise ValueError(
                f"num_kv_heads must divide num_heads {self.num_heads}, got {self.num_kv_heads}"
            )
        if self.chunked and self.sliding_window is None:
            raise ValueError("sliding_window must be the length of a chunk where chunked, got None")

    @property
    def kv_numbers(self) -> int:
        """Numbers that a token leaves in the layer's cache."""
        return self.num_kv_heads * (self.head_dim + self._value_width)

    @property
    def kv_parts(self) -> int:
        """Devices over which the cache can be cut; more of them hold copies."""
        return self.num_kv_heads

    @property
    def pair_operations(self) -> int:
        """FLOP of a token with one that it attends to: scores and weighted values."""
        return 2 * self.num_heads * (self.head_dim + self._value_width)

    def parameters(self, hidden: int) -> int:
        """Return the numbers of the matrices in a model `hidden` wide."""
        values = self.num_kv_heads * self._value_width * self.value_matrix
        wide = (self.num_heads + self.num_kv_heads) * self.head_dim + values
        return hidden * (wide + self.num_heads * self._value_width)

    @property
    def _value_width(self) -> int:
        return self.head_dim if self.value_head_dim is None else self.value_head_dim


@dataclass(frozen=True)
class LatentAttention:
    """Multi-head latent attention: a token leaves one latent vector and one rotated key.

    The cache has `kv_lora_rank + qk_rope_head_dim` numbers a token, and `index_head_dim` more where
    an indexer chooses the tokens to attend to. Source: DeepSeek-AI, arXiv 2405.04434, 2024, section
    2.1.

    >>> LatentAttention(128, 512, 64, 128, 128, q_lora_rank=1536).kv_lora_rank
    512
    """

    num_heads: int
    kv_lora_rank: int
    """Numbers of the vector from which keys and values are made (`kv_lora_rank`)."""
    qk_rope_head_dim: int
    """Numbers of the key that is rotated, shared by all heads."""
    qk_nope_head_dim: int
    """Numbers of a head's key that is not rotated."""
    v_head_dim: int
    q_lora_rank: int | None = None
    """Numbers of the vector from which queries are made; None is one matrix without it."""
    index_num_heads: int = 0
    index_head_dim: int = 0
    """Numbers of the key by which the indexer finds tokens; 0 is no indexer."""

    def __post_init__(self) -> None:
        """Refuse shapes that no model has."""
        for name in (
            "num_heads",
            "kv_lora_rank",
            "qk_rope_head_dim",
            "qk_nope_head_dim",
            "v_head_dim",
        ):
            whole(name, getattr(self, name), low=1)
        if self.q_lora_rank is not None:
            whole("q_lora_rank", self.q_lora_rank, low=1)
        for name in ("index_num_heads", "index_head_dim"):
            whole(name, getattr(self, name))
        if bool(self.index_num_heads) != bool(self.index_head_dim):
            raise ValueError(
                f"index_num_heads and index_head_dim must both be 0 or neither, "
                f"got {self.index_num_heads} and {self.index_head_dim}"
            )
        if self.index_head_dim and self.q_lora_rank is None:
            raise ValueError("q_lora_rank must be given where there is an indexer, got None")

    @property
    def num_kv_heads(self) -> int:
        """The latent vector serves all heads."""
        return 1

    @property
    def sliding_window(self) -> None:
        """No window: the cache grows with each token."""

    @property
    def kv_numbers(self) -> int:
        """Numbers that a token leaves in the layer's cache."""
        return self.kv_lora_rank + self.qk_rope_head_dim + self.index_head_dim

    @property
    def kv_parts(self) -> int:
        """The cache is not cut by heads: each device holds all of it."""
        return 1

    @property
    def pair_operations(self) -> int:
        """FLOP of a token with one that it attends to, in the latent space."""
        return 2 * self.num_heads * (2 * self.kv_lora_rank + self.qk_rope_head_dim)

    def parameters(self, hidden: int) -> int:
        """Return the numbers of the matrices in a model `hidden` wide."""
        queries = self.num_heads * (self.qk_nope_head_dim + self.qk_rope_head_dim)
        rank = self.q_lora_rank
        asked = hidden * queries if rank is None else rank * (hidden + queries)
        stored = hidden * (self.kv_lora_rank + self.qk_rope_head_dim)
        opened = self.kv_lora_rank * self.num_heads * (self.qk_nope_head_dim + self.v_head_dim)
        index = hidden * (self.index_head_dim + self.index_num_heads)
        index += (rank or 0) * self.index_num_heads * self.index_head_dim
        return asked + stored + opened + self.num_heads * self.v_head_dim * hidden + index


@dataclass(frozen=True)
class FeedForward:
    """The feed-forward network of a layer: one, or routed experts and what all tokens share.

    Raises
    ------
    ValueError
        If a number is not whole or out of range, or more experts are active than there are.
    """

    width: int
    """Values between the matrices, of each routed expert where there are several."""
    matrices: int = 3
    """Gate, up and down; 2 without a gate."""
    experts: int = 1
    """Routed experts; 1 is a dense network without a router."""
    active: int = 1
    """Routed experts that a token goes through."""
    shared_width: int = 0
    """Width of the layers that each token passes besides the routed experts."""
    expert_vectors: int = 0
    """Biases of each expert."""

    def __post_init__(self) -> None:
        """Refuse shapes that no model has."""
        for name in ("width", "experts", "active"):
            whole(name, getattr(self, name), low=1)
        whole("matrices", self.matrices, low=2, high=3)
        for name in ("shared_width", "expert_vectors"):
            whole(name, getattr(self, name))
        if self.active > self.experts:
            raise ValueError(f"active must be at most experts {self.experts}, got {self.active}")

    def expert_parameters(self, hidden: int) -> int:
        """Return the numbers of one routed expert in a model `hidden` wide."""
        return self.matrices * hidden * self.width + self.expert_vectors

    def routed_parameters(self, hidden: int) -> int:
        """Return the numbers of all routed experts; a dense network counts as one."""
        return self.experts * self.expert_parameters(hidden)

    def parameters(self, hidden: int) -> int:
        """Return the numbers of all experts, of the shared part, and of the router."""
        router = hidden * self.experts if self.experts > 1 else 0
        shared = self.matrices * hidden * self.shared_width
        return self.routed_parameters(hidden) + shared + router

    def active_parameters(self, hidden: int) -> int:
        """Return the numbers that a token goes through."""
        spare = (self.experts - self.active) * self.expert_parameters(hidden)
        return self.parameters(hidden) - spare

    def touched(self, tokens: ArrayLike) -> Floats:
        """Return how many experts `tokens` go to on average, each choosing evenly.

        E (1 - (1 - a / E)^n); none of no tokens, and always the one of a dense network.

        >>> FeedForward(14336, experts=8, active=2).touched([1, 4, 32]).round(2)
        array([2.  , 5.47, 8.  ])
        """
        n = non_negative("tokens", tokens)
        if self.experts == 1:
            return np.ones_like(n)
        return np.asarray(self.experts * (1 - (1 - self.active / self.experts) ** n))


@dataclass(frozen=True)
class Block:
    """One layer of a decoder."""

    attention: Attention | LatentAttention
    feed_forward: FeedForward
    vectors: int = 0
    """Numbers of the layer's norms and biases, besides those of its experts."""

    def __post_init__(self) -> None:
        """Refuse a count that is none."""
        whole("vectors", self.vectors)

    def parameters(self, hidden: int) -> int:
        """Return the numbers of the layer in a model `hidden` wide."""
        return (
            self.attention.parameters(hidden) + self.feed_forward.parameters(hidden) + self.vectors
        )
