"""The shape of an OPT model, what is asked of it, and a policy: which share of what lives where.

Weights, KV cache and activations are numbers of 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.communication import TransformerShape
from perfmodel.validation import Floats, non_negative, whole, within

BYTES = 2
"""Of a number in 16 bits."""


@dataclass(frozen=True)
class OptShape(TransformerShape):
    """The shape of an OPT model, whose feed-forward layers are four times as wide.

    Layers, width and heads are l, h1 and nh of the paper; `vocabulary` counts the words known.

    >>> OptShape(96, 12288, 96).weights / 2**30
    324.0
    """

    vocabulary: int = 50272
    sequence: int = 2048

    @property
    def feed_forward(self) -> int:
        """Width h2 of the feed-forward layer."""
        return 4 * self.hidden

    @property
    def layer_weights(self) -> float:
        """Bytes of the matrices of a layer: four square ones and two of the feed-forward."""
        return float(BYTES * (4 * self.hidden**2 + 2 * self.hidden * self.feed_forward))

    @property
    def weights(self) -> float:
        """Bytes of the matrices of all layers."""
        return self.layers * self.layer_weights

    @property
    def stored(self) -> float:
        """Bytes of all that is stored: matrices, biases, norms, and one table of words."""
        words = self.vocabulary * (self.hidden + 1)
        return BYTES * (self.layers * self.layer_parameters + words)

    @property
    def read_for_a_token(self) -> float:
        """Bytes that a step of decoding reads: the layers' matrices and the table of words."""
        return self.weights + BYTES * self.vocabulary * self.hidden

    def cache(self, sequences: ArrayLike, positions: ArrayLike) -> Floats:
        """Return the bytes of the KV cache in all layers, for `positions` tokens of each sequence.

        >>> float(OptShape(96, 12288, 96).cache(512, 544)) / 2**40
        1.1953125
        """
        numbers = 2 * self.layers * self.hidden
        tokens = non_negative("sequences", sequences) * non_negative("positions", positions)
        return np.asarray(BYTES * numbers * tokens)


@dataclass(frozen=True)
class Job:
    """What is asked of a model: prompts of s tokens, and n tokens generated for each."""

    shape: OptShape
    prompt: int
    generated: int

    def __post_init__(self) -> None:
        """Refuse empty prompts and answers."""
        whole("prompt", self.prompt, 1)
        whole("generated", self.generated, 1)

    @property
    def mean_context(self) -> float:
        """Tokens whose keys and values a step of decoding reads, on average: s + n/2."""
        return self.prompt + self.generated / 2


SHARES = ("wg", "wc", "wd", "cg", "cc", "cd", "hg", "hc", "hd")
"""Weights, cache, activations (hidden states), each on GPU, CPU (its DRAM) and disk."""
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Batch:
    """A block of sequences: `count` GPU batches of `size` sequences that share each weight load."""

    size: int
    count: int

    def __post_init__(self) -> None:
        """Refuse empty blocks."""
        whole("size", self.size, 1)
        whole("count", self.count, 1)

    @property
    def block(self) -> int:
        """Sequences of the block."""
        return self.size * self.count


@dataclass(frozen=True)
class Policy:
    """A batch, and the shares of weights, cache and activations on GPU, CPU and disk.

    >>> Policy.percent(48, 3, 20, 80, 0, 100, 0, 100).weights
    (0.2, 0.8, 0.0)
    """

    batch: Batch
    weights: tuple[float, float, float]
    cache: tuple[float, float, float]
    hidden: tuple[float, float, float]

    def __post_init__(self) -> None:
        """Refuse shares that don't make a whole."""
        for name in ("weights", "cache", "hidden"):
            triple = within(name, getattr(self, name), -_ROUNDING, 1 + _ROUNDING)
            if triple.shape != (3,) or abs(triple.sum() - 1) > _ROUNDING:
                raise ValueError(f"{name} must be three shares of 1, got {getattr(self, name)!r}")

    @classmethod
    def percent(
        cls, size: int, count: int, wg: float, wc: float, cg: float, cc: float, hg: float, hc: float
    ) -> Policy:
        """Return the policy that the paper prints as `size` x `count` and six percentages.

        They are of weights, cache and activations on GPU and CPU; the rest is on disk.
        """

        def triple(gpu: float, cpu: float) -> tuple[float, float, float]:
            return gpu / 100, cpu / 100, (100 - gpu - cpu) / 100

        return cls(Batch(size, count), triple(wg, wc), triple(cg, cc), triple(hg, hc))

    @classmethod
    def from_shares(cls, batch: Batch, shares: Floats) -> Policy:
        """Return the policy of a batch and nine shares in the order of `SHARES`."""
        nine = [float(share) for share in within("shares", shares, -_ROUNDING, 1 + _ROUNDING)]
        if len(nine) != len(SHARES):
            raise ValueError(f"shares must be {len(SHARES)} numbers, got {len(nine)}")
        w, c, h = (nine[i : i + 3] for i in (0, 3, 6))
        return cls(batch, (w[0], w[1], w[2]), (c[0], c[1], c[2]), (h[0], h[1], h[2]))

    @property
    def shares(self) -> Floats:
        """The nine shares in the order of `SHARES`."""
        return np.array([*self.weights, *self.cache, *self.hidden])
