"""The time of a decoder's iteration from its shapes and the machine's two peaks: a roofline.

An iteration reads in prompt tokens and gives each running sequence a token. Its arithmetic and its
reading of memory overlap; what `tensor` devices exchange after each half of a layer does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.roofline.transformer import Decoder
from perfmodel.serving.batching.steps import StepPieces, StepTable
from perfmodel.validation import Floats, at_least, non_negative, positive, whole


@dataclass(frozen=True)
class DecoderSteps:
    r"""A decoder on `tensor` equal devices that cut every layer (tensor parallelism).

    With n new tokens (those of prompts and one for each of the s sequences that decode), k tokens
    read from the cache and q pairs of prompt attention, all per iteration:

    .. math::

        W &= 2 P n + 2 V s + a (k + q), \\
        Q &= w (P + V) + c (k + n), \\
        t &= \max\left(\tfrac{W}{p X}, \tfrac{Q}{p B}\right) + R + f + g s,

    The symbols: P parameters of all layers, V of the output table, a FLOP of a pair in all layers
    (4 L h if heads together are as wide as the model), w bytes a weight, c bytes of the cache a
    token, p devices of X FLOP/s and B bytes/s, R the exchange, f and g the extra seconds of an
    iteration and of a sequence. Of the layers' experts, only those are read that some token uses,
    and a token computes with the active ones.

    Raises
    ------
    ValueError
        If a rate isn't above 0, a time is negative, a count isn't whole and 1 or more, or a layer
        has a window, so that the tokens read from the cache differ between layers.

    Examples
    --------
    One H100 holds 7B: its weights are read in 4 ms, whether one sequence decodes or 64.

    >>> from perfmodel.roofline import LLAMA_2_7B
    >>> steps = DecoderSteps(LLAMA_2_7B, peak=989e12, bandwidth=3.35e12)
    >>> print(steps.seconds(sequences=[1, 64, 1024]).round(4))
    [0.0039 0.004  0.0137]
    """

    model: Decoder
    peak: float
    """FLOP/s of a device."""
    bandwidth: float
    """Bytes/s of a device's memory, above 0."""
    tensor: int = 1
    """Devices that cut each layer."""
    weight_bytes: float = 2.0
    """Bytes of a weight."""
    kv_bytes: float = 2.0
    """Bytes of a number in the cache of keys and values."""
    exchange_latency: float = 0.0
    """Seconds of an all-reduce whatever its size; there are two in a layer if devices share it."""
    exchange_byte_time: float = 0.0
    """Seconds that an all-reduce takes longer for each byte of its vector, 2 h bytes a token."""
    overhead: float = 0.0
    """Seconds of an iteration that neither peak explains."""
    sequence_overhead: float = 0.0
    """Seconds that each sequence which decodes adds."""

    def __post_init__(self) -> None:
        """Refuse rates and counts that no machine has."""
        for name in ("peak", "bandwidth", "weight_bytes", "kv_bytes"):
            positive(name, getattr(self, name))
        for name in ("exchange_latency", "exchange_byte_time", "overhead", "sequence_overhead"):
            non_negative(name, getattr(self, name))
        whole("tensor", self.tensor, 1)
        windows = sorted({block.attention.sliding_window or 0 for block in self.model.blocks} - {0})
        if windows:
            raise ValueError(f"model must have no windows here, got layers with {windows} tokens")

    @property
    def parameters(self) -> int:
        """Read in an iteration that reaches all experts: all layers and the output table."""
        return self.model.streamed_parameters

    @property
    def cache_token_bytes(self) -> float:
        """Bytes that a token takes in the cache of each device.

        Keys and values are cut by heads: more devices than groups of heads hold copies.
        """
        numbers: dict[int, int] = {}
        for block in self.model.blocks:
            parts = min(self.tensor, block.attention.kv_parts)
            numbers[parts] = numbers.get(parts, 0) + block.attention.kv_numbers
        return sum(count * self.kv_bytes / parts for parts, count in numbers.items())

    def seconds(
        self,
        prompt_tokens: ArrayLike = 0.0,
        sequences: ArrayLike = 0.0,
        cached: ArrayLike = 0.0,
        pairs: ArrayLike = 0.0,
    ) -> Floats:
        """Return the seconds of iterations; the arguments broadcast.

        Parameters
        ----------
        prompt_tokens : array_like
            New prompt tokens, 0 or more.
        sequences : array_like
            Sequences that decode, a new token each.
        cached : array_like
            Tokens read from the cache.
        pairs : array_like
            Pairs of prompt attention; n (n + 1) / 2 for one whole prompt of n tokens.

        Returns
        -------
        ndarray
            The longer of `compute` and `memory`, and all that does not overlap.
        """
        compute = self.compute(prompt_tokens, sequences, cached, pairs)
        tokens = np.asarray(prompt_tokens, np.float64) + np.asarray(sequences, np.float64)
        beside = self.exchange(tokens) + self.overhead
        beside = beside + self.sequence_overhead * np.asarray(sequences, np.float64)
        return np.asarray(np.maximum(compute, self.memory(tokens, cached)) + beside)

    def compute(
        self,
        prompt_tokens: ArrayLike = 0.0,
        sequences: ArrayLike = 0.0,
        cached: ArrayLike = 0.0,
        pairs: ArrayLike = 0.0,
    ) -> Floats:
        """Return the seconds of the arithmetic alone; arguments as of `seconds`."""
        n, s = non_negative("prompt_tokens", prompt_tokens), non_negative("sequences", sequences)
        reach = non_negative("cached", cached) + non_negative("pairs", pairs)
        layer, table, pair = self._operations
        return np.asarray((layer * (n + s) + table * s + pair * reach) / (self.tensor * self.peak))

    def memory(self, tokens: ArrayLike = 0.0, cached: ArrayLike = 0.0) -> Floats:
        """Return the seconds of moving weights and cache alone, `tokens` being all new ones."""
        n = non_negative("tokens", tokens)
        weights = self.model.parameters_read(n)
        moved = self.cache_token_bytes * (non_negative("cached", cached) + n)
        return np.asarray((weights * self.weight_bytes / self.tensor + moved) / self.bandwidth)

    def exchange(self, tokens: ArrayLike) -> Floats:
        """Return the seconds of all all-reduces of an iteration with this many new tokens."""
        n = non_negative("tokens", tokens)
        if self.tensor == 1:
            return np.zeros_like(n)
        each = self.exchange_latency + self.exchange_byte_time * 2 * self.model.hidden_size * n
        return np.asarray(2 * self.model.layers * each)

    def pieces(self) -> StepPieces:
        """Return the same as two linear pieces, of arithmetic and of memory, for a simulation.

        The simulation counts a prompt that ends among the sequences as well, which here adds one
        token to it.

        Raises
        ------
        ValueError
            With several experts, of which few tokens read few: then time isn't linear (`table`).
        """
        if self.model.routed_parameters:
            raise ValueError("model must be dense for linear pieces, got one with routed experts")
        layer, table, pair = (flop / (self.tensor * self.peak) for flop in self._operations)
        base = float(self.exchange(0)) + self.overhead
        more = float(self.exchange(1) - self.exchange(0))
        each = more + self.sequence_overhead
        token = self.cache_token_bytes / self.bandwidth
        reading = float(self.memory())
        return StepPieces(
            fixed=[base, base + reading],
            prompt_token=[layer + more, token + more],
            sequence=[layer + table + each, token + each],
            cache_token=[pair, token],
            prompt_pair=[pair, 0.0],
        )

    def table(self, tokens: ArrayLike, cached: ArrayLike) -> StepTable:
        """Return the seconds on a grid, every new token taken for one of a sequence that decodes.

        Parameters
        ----------
        tokens, cached : array_like, shape (rows,) and (columns,)
            The axes of the `StepTable`.
        """
        new, read = at_least("tokens", tokens, 1), non_negative("cached", cached)
        return StepTable(new, read, self.seconds(0.0, new[:, np.newaxis], read))

    @property
    def _operations(self) -> tuple[float, float, float]:
        """FLOP of a token in all layers, of its word, and of a token with one it attends to."""
        model = self.model
        table = 2.0 * model.vocab_size * model.hidden_size
        return model.operations_per_token - table, table, float(model.pair_operations)
