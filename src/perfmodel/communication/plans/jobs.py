"""The transformer that is trained, and what training it takes, from its shape alone.

The layer is that of GPT-2 and GPT-3: attention and a plain feed-forward network four times as wide
as the model, with biases and norms, one table of words for input and output, and learned positions.
Counts are those of Narayanan et al., "Efficient large-scale language model training on GPU clusters
using Megatron-LM", SC 2021, section 5.1 and appendix; activations those of Korthikanti et al.,
"Reducing activation recomputation in large transformer models", MLSys 2023, equations 1 and 2.

>>> gpt3 = TransformerShape(layers=96, hidden=12288, heads=96, vocabulary=51200, sequence=2048)
>>> round(gpt3.parameters / 1e9, 1)
174.6
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.roofline.training import ADAM_STATES
from perfmodel.validation import Floats, at_least, non_negative, positive, whole, within


@dataclass(frozen=True)
class TransformerShape:
    """A GPT's layers, width, heads, words and the tokens of a sequence; all whole and positive."""

    layers: int
    hidden: int
    heads: int
    vocabulary: int
    sequence: int

    def __post_init__(self) -> None:
        """Refuse shapes that no model has."""
        for name in ("layers", "hidden", "heads", "vocabulary", "sequence"):
            whole(name, getattr(self, name), low=1)
        if self.hidden % self.heads:
            raise ValueError(f"heads must divide hidden {self.hidden}, got {self.heads}")

    @property
    def layer_parameters(self) -> float:
        """Of one layer: 12 h^2 in matrices, 13 h in biases and norms."""
        return 12.0 * self.hidden**2 + 13.0 * self.hidden

    @property
    def table_parameters(self) -> float:
        """Of the tables of words and positions."""
        return float((self.vocabulary + self.sequence) * self.hidden)

    @property
    def parameters(self) -> float:
        """Of the whole model."""
        return self.layers * self.layer_parameters + self.table_parameters

    def operations_per_token(self, recompute: ArrayLike = False) -> Floats:
        """Return the FLOP of training on a token, forward and backward.

        72 L h^2 (1 + s / 6h) for the layers and 6 V h for the output; where `recompute`, the
        layers' forward pass is made twice, 96 instead of 72.
        """
        layers = self.layers * self.hidden**2 * (1 + self.sequence / (6 * self.hidden))
        again = np.where(np.asarray(recompute, bool), 96.0, 72.0)
        return np.asarray(again * layers + 6.0 * self.vocabulary * self.hidden)

    def layer_activations(
        self, micro_batch: ArrayLike, tensor: ArrayLike = 1, recompute: ArrayLike = False
    ) -> Floats:
        """Return the bytes that a device keeps of one layer until the backward pass, in 16 bits.

        Parameters
        ----------
        micro_batch : array_like
            Sequences b, 1 or more.
        tensor : array_like
            Devices t that share the layer: s b h (10 + 24 / t + 5 a s / (h t)).
        recompute : array_like
            Where true, only the layer's input is kept, 2 s b h, on each device.
        """
        words = self.sequence * at_least("micro_batch", micro_batch, 1) * self.hidden
        t = at_least("tensor", tensor, 1)
        full = 10 + (24 + 5 * self.heads * self.sequence / self.hidden) / t
        return np.asarray(words * np.where(np.asarray(recompute, bool), 2.0, full))


@dataclass(frozen=True)
class TrainingJob:
    """A step of training: the shape, the sequences of a step, and how well the devices compute.

    Attributes
    ----------
    shape : TransformerShape
    batch : int
        Sequences of a step, on all devices together.
    efficiency : float
        Share of the peak that matrix products reach while nothing is waited for, above 0 to 1.
    states : mapping
        Bytes a parameter of `weights`, `gradients` and `optimizer`.
    overlap : bool
        Whether the exchange of gradients goes on during the backward pass of the last micro-batch.
    """

    shape: TransformerShape
    batch: int
    efficiency: float
    states: Mapping[str, float] = field(default_factory=lambda: MappingProxyType(ADAM_STATES))
    overlap: bool = False

    def __post_init__(self) -> None:
        """Refuse what can't be trained."""
        whole("batch", self.batch, low=1)
        positive("efficiency", within("efficiency", self.efficiency, 0, 1))
        if set(self.states) != set(ADAM_STATES):
            raise ValueError(
                f"states must have {', '.join(ADAM_STATES)}, got {', '.join(self.states)}"
            )
        for name, size in self.states.items():
            non_negative(f"states of {name}", size)
