"""The shape of a decoder-only transformer: a row of blocks between tables of words.

Each block has its own attention and feed-forward network, so that windows, experts and dense first
layers stand where a model has them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.roofline.blocks import Attention, Block, FeedForward
from perfmodel.validation import Floats, non_negative, positive, whole


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

    >>> qwen = Decoder.uniform(64, 5120, 25600, 64, 8, 151_936, head_dim=128)
    >>> qwen.kv_bytes_per_token()
    262144.0
    """

    hidden_size: int
    """Values of a token's vector."""
    vocab_size: int
    """Rows of the table of words, padding included."""
    blocks: tuple[Block, ...]
    """The layers in order."""
    tied: bool = False
    """Whether input and output words share one table."""
    vectors: int = 0
    """Numbers outside layers and word tables: the last norm, a table of positions, biases."""

    def __post_init__(self) -> None:
        """Refuse shapes that no model has."""
        for name in ("hidden_size", "vocab_size"):
            whole(name, getattr(self, name), low=1)
        whole("vectors", self.vectors)
        whole("num_layers", len(self.blocks), low=1)

    @classmethod
    def uniform(
        cls,
        num_layers: int,
        hidden_size: int,
        intermediate_size: int,
        num_heads: int,
        num_kv_heads: int,
        vocab_size: int,
        *,
        head_dim: int,
        tied: bool = False,
    ) -> Decoder:
        """Return a shape of equal layers with grouped heads and a gated network, without vectors.

        Parameters
        ----------
        num_layers, hidden_size, intermediate_size, num_heads, num_kv_heads, vocab_size : int
            Counts and widths; `intermediate_size` is the width between gate and down.
        head_dim : int
            Numbers of a head. It is asked for since hidden over heads is wrong for many models.
        tied : bool
            Whether input and output words share one table.

        Raises
        ------
        ValueError
            If a number is not whole and positive, or `num_kv_heads` does not divide `num_heads`.
        """
        block = Block(Attention(num_heads, num_kv_heads, head_dim), FeedForward(intermediate_size))
        repeated = (block,) * whole("num_layers", num_layers, low=1, high=100_000)
        return cls(hidden_size=hidden_size, vocab_size=vocab_size, blocks=repeated, tied=tied)

    @cached_property
    def kinds(self) -> Counter[Block]:
        """Each kind of block with how many layers are of it."""
        return Counter(self.blocks)

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
        kinds = self.kinds
        if len(kinds) > 1:
            raise ValueError(
                f"layers must be equal for a formula of one layer, got {len(kinds)} kinds among "
                f"{self.layers}"
            )
        return self.blocks[0]

    @property
    def heads(self) -> int:
        """Query heads of each layer."""
        return self.block.attention.num_heads

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values of each layer."""
        return self.block.attention.num_kv_heads

    @property
    def feed_forward(self) -> int:
        """Values between the matrices of each layer's network."""
        return self.block.feed_forward.width

    @property
    def attention_parameters(self) -> int:
        """Of the matrices of attention in each layer."""
        return self.block.attention.parameters(self.hidden_size)

    @property
    def feed_forward_parameters(self) -> int:
        """Of the feed-forward network of each layer, all experts together."""
        return self.block.feed_forward.parameters(self.hidden_size)

    @property
    def layer_parameters(self) -> int:
        """Of all layers together, without the tables of words."""
        return sum(
            count * block.parameters(self.hidden_size) for block, count in self.kinds.items()
        )

    @property
    def word_tables(self) -> int:
        """Of the one or two tables of words."""
        return (1 if self.tied else 2) * self.vocab_size * self.hidden_size

    @property
    def parameters(self) -> int:
        """Of the whole model."""
        return self.layer_parameters + self.word_tables + self.vectors

    @property
    def routed_parameters(self) -> int:
        """Of all routed experts together; 0 for a dense model."""
        return sum(
            count * block.feed_forward.routed_parameters(self.hidden_size)
            for block, count in self.kinds.items()
            if block.feed_forward.experts > 1
        )

    @property
    def active_parameters(self) -> int:
        """Of the whole model less the experts that a token does not go through."""
        spare = sum(
            count
            * (
                block.feed_forward.parameters(self.hidden_size)
                - block.feed_forward.active_parameters(self.hidden_size)
            )
            for block, count in self.kinds.items()
        )
        return self.parameters - spare

    @property
    def streamed_parameters(self) -> int:
        """Read in a step that reaches all experts: all layers and the output table."""
        return self.layer_parameters + self.vocab_size * self.hidden_size

    def parameters_read(self, tokens: ArrayLike) -> Floats:
        """Return the parameters that a step of `tokens` reads, experts by even choice.

        Of the input table one row is read for each token, which is left out.
        """
        n = non_negative("tokens", tokens)
        total = np.full_like(n, self.streamed_parameters)
        for block, count in self.kinds.items():
            feed = block.feed_forward
            if feed.experts > 1:
                spare = feed.experts - feed.touched(n)
                total = total - count * spare * feed.expert_parameters(self.hidden_size)
        return np.asarray(total)

    @property
    def kv_numbers(self) -> int:
        """Numbers that a token leaves in the cache, all layers together, until windows drop it."""
        return sum(count * block.attention.kv_numbers for block, count in self.kinds.items())

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
        for block, count in self.kinds.items():
            seen = (
                n
                if block.attention.sliding_window is None
                else np.minimum(n, block.attention.sliding_window)
            )
            total = total + count * block.attention.kv_numbers * seen
        return np.asarray(total)

    @property
    def pair_operations(self) -> int:
        """FLOP of a token with one that it attends to in all layers."""
        return sum(count * block.attention.pair_operations for block, count in self.kinds.items())

    @property
    def operations_per_token(self) -> int:
        """FLOP of the matrix products for one token: a multiplication and an addition a weight."""
        spare = self.parameters - self.active_parameters
        return 2 * (self.streamed_parameters - spare)
