"""What a decoder-only language model holds, reads and computes for each token.

A shape is a row of blocks, each with its own attention and feed-forward network, so that windows,
experts and dense first layers stand where a model has them. Matrices are counted from the widths;
norms and biases only where `vectors` gives their number.

>>> LLAMA_2_7B.parameters
6738149376
>>> float(decoding_bound(50e9, LLAMA_2_7B.streamed_parameters * 2).round(1))
3.8
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, at_least, non_negative, positive, whole


@dataclass(frozen=True)
class Attention:
    """Attention of a layer whose heads share keys and values in groups.

    Raises
    ------
    ValueError
        If a number is not whole and positive, `kv_heads` does not divide `heads`, or a chunk has no
        length.
    """

    heads: int
    """Of the queries."""
    kv_heads: int
    """Groups of heads that share keys and values; `heads` of them is plain attention."""
    head_width: int
    """Numbers of a query or key of one head. It need not be hidden over heads."""
    value_width: int | None = None
    """Numbers of a value of one head; as wide as a key if not given."""
    window: int | None = None
    """Tokens back to which a token attends; None is all."""
    chunked: bool = False
    """Whether the window is a chunk: a token attends to its own chunk alone."""
    value_matrix: bool = True
    """False where the keys serve as values, so that no matrix makes values."""

    def __post_init__(self) -> None:
        """Refuse shapes that no model has."""
        for name in ("heads", "kv_heads", "head_width"):
            whole(name, getattr(self, name), low=1)
        for name in ("value_width", "window"):
            if getattr(self, name) is not None:
                whole(name, getattr(self, name), low=1)
        if self.heads % self.kv_heads:
            raise ValueError(f"kv_heads must divide heads {self.heads}, got {self.kv_heads}")
        if self.chunked and self.window is None:
            raise ValueError("window must be the length of a chunk where chunked, got None")

    @property
    def kv_numbers(self) -> int:
        """Numbers that a token leaves in the layer's cache."""
        return self.kv_heads * (self.head_width + self._value_width)

    @property
    def kv_parts(self) -> int:
        """Devices over which the cache can be cut; more of them hold copies."""
        return self.kv_heads

    @property
    def pair_operations(self) -> int:
        """FLOP of a token with one that it attends to: scores and weighted values."""
        return 2 * self.heads * (self.head_width + self._value_width)

    def parameters(self, hidden: int) -> int:
        """Return the numbers of the matrices in a model `hidden` wide."""
        values = self.kv_heads * self._value_width * self.value_matrix
        wide = (self.heads + self.kv_heads) * self.head_width + values
        return hidden * (wide + self.heads * self._value_width)

    @property
    def _value_width(self) -> int:
        return self.head_width if self.value_width is None else self.value_width


@dataclass(frozen=True)
class LatentAttention:
    """Multi-head latent attention: a token leaves one latent vector and one rotated key.

    The cache has `latent + rope_width` numbers a token, and `index_width` more where an indexer
    chooses the tokens to attend to. Source: DeepSeek-AI, arXiv 2405.04434, 2024, section 2.1.
    """

    heads: int
    latent: int
    """Numbers of the vector from which keys and values are made (`kv_lora_rank`)."""
    rope_width: int
    """Numbers of the key that is rotated, shared by all heads."""
    nope_width: int
    """Numbers of a head's key that is not rotated."""
    value_width: int
    query_rank: int | None = None
    """Numbers of the vector from which queries are made; None is one matrix without it."""
    index_heads: int = 0
    index_width: int = 0
    """Numbers of the key by which the indexer finds tokens; 0 is no indexer."""

    def __post_init__(self) -> None:
        """Refuse shapes that no model has."""
        for name in ("heads", "latent", "rope_width", "nope_width", "value_width"):
            whole(name, getattr(self, name), low=1)
        if self.query_rank is not None:
            whole("query_rank", self.query_rank, low=1)
        for name in ("index_heads", "index_width"):
            whole(name, getattr(self, name))
        if bool(self.index_heads) != bool(self.index_width):
            raise ValueError(
                f"index_heads and index_width must both be 0 or neither, "
                f"got {self.index_heads} and {self.index_width}"
            )
        if self.index_width and self.query_rank is None:
            raise ValueError("query_rank must be given where there is an indexer, got None")

    @property
    def kv_heads(self) -> int:
        """The latent vector serves all heads."""
        return 1

    @property
    def window(self) -> None:
        """No window: the cache grows with each token."""

    @property
    def kv_numbers(self) -> int:
        """Numbers that a token leaves in the layer's cache."""
        return self.latent + self.rope_width + self.index_width

    @property
    def kv_parts(self) -> int:
        """The cache is not cut by heads: each device holds all of it."""
        return 1

    @property
    def pair_operations(self) -> int:
        """FLOP of a token with one that it attends to, in the latent space."""
        return 2 * self.heads * (2 * self.latent + self.rope_width)

    def parameters(self, hidden: int) -> int:
        """Return the numbers of the matrices in a model `hidden` wide."""
        queries = self.heads * (self.nope_width + self.rope_width)
        rank = self.query_rank
        asked = hidden * queries if rank is None else rank * (hidden + queries)
        stored = hidden * (self.latent + self.rope_width)
        opened = self.latent * self.heads * (self.nope_width + self.value_width)
        index = hidden * (self.index_width + self.index_heads)
        index += (rank or 0) * self.index_heads * self.index_width
        return asked + stored + opened + self.heads * self.value_width * hidden + index


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
    """Width of what each token goes through besides the routed experts."""
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
        """Return the numbers of all experts, of what is shared, and of the router."""
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
    """Numbers of the layer's norms and biases, beside those of its experts."""

    def __post_init__(self) -> None:
        """Refuse a count that is none."""
        whole("vectors", self.vectors)

    def parameters(self, hidden: int) -> int:
        """Return the numbers of the layer in a model `hidden` wide."""
        return (
            self.attention.parameters(hidden) + self.feed_forward.parameters(hidden) + self.vectors
        )


@dataclass(frozen=True, kw_only=True)
class Decoder:
    """The shape of a decoder-only transformer.

    Layers of linear attention or with a state of fixed size, of several attentions, and with keys
    and values shared between layers are not held.

    Raises
    ------
    ValueError
        If a number is not whole and positive, or there is no layer.

    Examples
    --------
    Qwen3-32B has heads of 128 numbers, though 5120 / 64 is 80.

    >>> qwen = Decoder.uniform(64, 5120, 25600, 64, 8, 151_936, head_width=128)
    >>> qwen.kv_bytes_per_token()
    262144.0
    """

    hidden: int
    """Values of a token's vector."""
    vocabulary: int
    """Rows of the table of words, padding included."""
    blocks: tuple[Block, ...]
    """The layers in order."""
    tied: bool = False
    """Whether input and output words share one table."""
    vectors: int = 0
    """Numbers outside layers and word tables: the last norm, a table of positions, biases."""

    def __post_init__(self) -> None:
        """Refuse shapes that no model has."""
        for name in ("hidden", "vocabulary"):
            whole(name, getattr(self, name), low=1)
        whole("vectors", self.vectors)
        whole("layers", len(self.blocks), low=1)

    @classmethod
    def uniform(
        cls,
        layers: int,
        hidden: int,
        feed_forward: int,
        heads: int,
        kv_heads: int,
        vocabulary: int,
        *,
        head_width: int,
        tied: bool = False,
    ) -> Decoder:
        """Return a shape of equal layers with grouped heads and a gated network, without vectors.

        Parameters
        ----------
        layers, hidden, feed_forward, heads, kv_heads, vocabulary : int
            Counts and widths; `feed_forward` is the width between gate and down.
        head_width : int
            Numbers of a head. It is asked for since hidden over heads is wrong for many models.
        tied : bool
            Whether input and output words share one table.

        Raises
        ------
        ValueError
            If a number is not whole and positive, or `kv_heads` does not divide `heads`.
        """
        block = Block(Attention(heads, kv_heads, head_width), FeedForward(feed_forward))
        repeated = (block,) * whole("layers", layers, low=1, high=100_000)
        return cls(hidden=hidden, vocabulary=vocabulary, blocks=repeated, tied=tied)

    @property
    def layers(self) -> int:
        """How many blocks there are."""
        return len(self.blocks)

    @property
    def block(self) -> Block:
        """The block that all layers repeat.

        Raises
        ------
        ValueError
            If layers differ.
        """
        kinds = Counter(self.blocks)
        if len(kinds) > 1:
            raise ValueError(
                f"layers must be equal for a formula of one layer, got {len(kinds)} kinds among "
                f"{self.layers}"
            )
        return self.blocks[0]

    @property
    def heads(self) -> int:
        """Query heads of each layer."""
        return self.block.attention.heads

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values of each layer."""
        return self.block.attention.kv_heads

    @property
    def feed_forward(self) -> int:
        """Values between the matrices of each layer's network."""
        return self.block.feed_forward.width

    @property
    def attention_parameters(self) -> int:
        """Of the matrices of attention in each layer."""
        return self.block.attention.parameters(self.hidden)

    @property
    def feed_forward_parameters(self) -> int:
        """Of the feed-forward network of each layer, all experts together."""
        return self.block.feed_forward.parameters(self.hidden)

    @property
    def layer_parameters(self) -> int:
        """Of all layers together, without the tables of words."""
        return sum(
            count * block.parameters(self.hidden) for block, count in Counter(self.blocks).items()
        )

    @property
    def word_tables(self) -> int:
        """Of the one or two tables of words."""
        return (1 if self.tied else 2) * self.vocabulary * self.hidden

    @property
    def parameters(self) -> int:
        """Of the whole model."""
        return self.layer_parameters + self.word_tables + self.vectors

    @property
    def routed_parameters(self) -> int:
        """Of all routed experts together; 0 for a dense model."""
        return sum(
            block.feed_forward.routed_parameters(self.hidden)
            for block in self.blocks
            if block.feed_forward.experts > 1
        )

    @property
    def active_parameters(self) -> int:
        """Of the whole model less the experts that a token does not go through."""
        spare = sum(
            block.feed_forward.parameters(self.hidden)
            - block.feed_forward.active_parameters(self.hidden)
            for block in self.blocks
        )
        return self.parameters - spare

    @property
    def streamed_parameters(self) -> int:
        """Read in a step that reaches all experts: all layers and the output table."""
        return self.layer_parameters + self.vocabulary * self.hidden

    def read_parameters(self, tokens: ArrayLike) -> Floats:
        """Return the parameters that a step of `tokens` reads, experts by even choice.

        Of the input table one row is read for each token, which is left out.
        """
        n = non_negative("tokens", tokens)
        total = np.full_like(n, self.streamed_parameters)
        for block, count in Counter(self.blocks).items():
            feed = block.feed_forward
            if feed.experts > 1:
                spare = feed.experts - feed.touched(n)
                total = total - count * spare * feed.expert_parameters(self.hidden)
        return np.asarray(total)

    @property
    def kv_numbers(self) -> int:
        """Numbers that a token leaves in the cache, all layers together, until windows drop it."""
        return sum(block.attention.kv_numbers for block in self.blocks)

    def kv_bytes_per_token(self, bytes_per_number: float = 2.0) -> float:
        """Return the bytes of cache that a token takes while all windows hold it.

        Parameters
        ----------
        bytes_per_number : float
            2 for 16 bits, 1 for 8.
        """
        return float(self.kv_numbers * positive("bytes_per_number", bytes_per_number))

    def cached_numbers(self, context: ArrayLike) -> Floats:
        """Return the numbers in the cache of a sequence of `context` tokens.

        A layer with a window holds at most that many tokens; a chunk at most its length.
        """
        n = non_negative("context", context)
        total = np.zeros_like(n)
        for block, count in Counter(self.blocks).items():
            seen = n if block.attention.window is None else np.minimum(n, block.attention.window)
            total = total + count * block.attention.kv_numbers * seen
        return np.asarray(total)

    @property
    def pair_operations(self) -> int:
        """FLOP of a token with one that it attends to in all layers."""
        return sum(block.attention.pair_operations for block in self.blocks)

    @property
    def operations_per_token(self) -> int:
        """FLOP of the matrix products for one token: a multiplication and an addition a weight."""
        spare = self.parameters - self.active_parameters
        return 2 * (self.streamed_parameters - spare)


LLAMA_2_7B = Decoder.uniform(32, 4096, 11008, 32, 32, 32_000, head_width=128)
LLAMA_2_13B = Decoder.uniform(40, 5120, 13824, 40, 40, 32_000, head_width=128)
LLAMA_2_70B = Decoder.uniform(80, 8192, 28672, 64, 8, 32_000, head_width=128)
"""Llama 2 (Touvron et al., arXiv 2307.09288, 2023): shapes of its released models."""


def decode_bytes(
    model: Decoder, bytes_per_weight: ArrayLike, context: ArrayLike = 0, kv_bytes: ArrayLike = 2
) -> Floats:
    """Return the bytes that one sequence reads from memory for its next token.

    Parameters
    ----------
    model : Decoder
        The shapes that say how much is read.
    bytes_per_weight : array_like
        4 for FP32, 2 for FP16, 0.5625 for 4.5 bits.
    context : array_like
        Tokens whose keys and values are read, as far as a layer's window holds them.
    kv_bytes : array_like
        Bytes of a number in their cache.
    """
    weights = model.read_parameters(1) * positive("bytes_per_weight", bytes_per_weight)
    cached = model.cached_numbers(context) * positive("kv_bytes", kv_bytes)
    return np.asarray(weights + cached)


def decoding_bound(bandwidth: ArrayLike, step_bytes: ArrayLike, batch: ArrayLike = 1) -> Floats:
    """Return the most tokens/s where every step reads `step_bytes` from memory.

    Parameters
    ----------
    bandwidth : array_like
        Bytes/s of main memory.
    step_bytes : array_like
        Bytes read in a step, by all its sequences together.
    batch : array_like
        Sequences that a step advances by one token.

    Raises
    ------
    ValueError
        If bandwidth or bytes are not positive, or the batch is below 1.

    Examples
    --------
    >>> float(decoding_bound(204.8e9, 3.83e9).round(1))
    53.5
    """
    size = positive("step_bytes", step_bytes)
    return np.asarray(positive("bandwidth", bandwidth) / size * at_least("batch", batch, 1))


def decode_step_time(
    model: Decoder,
    batch: ArrayLike,
    bandwidth: ArrayLike,
    peak: ArrayLike,
    bytes_per_weight: ArrayLike,
) -> Floats:
    """Return the least seconds of a step: the longer of reading the weights and computing.

    Parameters
    ----------
    model : Decoder
        The shapes that say how much is read and computed.
    batch : array_like
        Sequences advanced together.
    bandwidth, peak : array_like
        Bytes/s and FLOP/s.
    bytes_per_weight : array_like
        4 for FP32, 2 for FP16, 0.5625 for 4.5 bits.
    """
    size = at_least("batch", batch, 1)
    read = model.read_parameters(size) * positive("bytes_per_weight", bytes_per_weight)
    work = model.operations_per_token * size
    reading = read / positive("bandwidth", bandwidth)
    return np.asarray(np.maximum(reading, work / positive("peak", peak)))


def saturation_batch(bandwidth: ArrayLike, peak: ArrayLike, bytes_per_weight: ArrayLike) -> Floats:
    """Return the batch at which reading the weights and computing take equally long.

    A weight of `bytes_per_weight` bytes is used for 2 FLOP a sequence, so the model's shape
    cancels; `bandwidth` is in bytes/s and `peak` in FLOP/s.

    >>> float(saturation_batch(50e9, 200e9, 4))
    8.0
    """
    balance = positive("peak", peak) / positive("bandwidth", bandwidth)
    return np.asarray(balance * positive("bytes_per_weight", bytes_per_weight) / 2)
