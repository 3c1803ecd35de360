"""Bytes of an OPT model: weights, cache of keys and values, activations, all in 16 bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, whole

BYTES = 2
"""Of a number in 16 bits."""


@dataclass(frozen=True)
class OptShape:
    """The shape of an OPT model, whose feed-forward layers are four times as wide.

    Layers, width and heads are l, h1 and nh of the paper; `vocabulary` counts the words known.

    >>> OptShape(96, 12288, 96).weights / 2**30
    324.0
    """

    layers: int
    hidden: int
    heads: int
    vocabulary: int = 50272

    def __post_init__(self) -> None:
        """Refuse shapes that no model has."""
        for name in ("layers", "hidden", "heads", "vocabulary"):
            whole(name, getattr(self, name), 1)

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
        h = self.hidden
        small = self.layers * (4 * h + h + self.feed_forward + 4 * h)
        return self.weights + BYTES * (small + self.vocabulary * (h + 1))

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
        held = non_negative("sequences", sequences) * non_negative("positions", positions)
        return np.asarray(BYTES * numbers * held)


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
