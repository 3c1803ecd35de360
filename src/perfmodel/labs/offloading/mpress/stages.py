"""What the stages of a pipeline under 1F1B hold, and how long they take for a micro-batch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from perfmodel.communication import TransformerShape
from perfmodel.labs.offloading.mpress.inputs import SHAPE
from perfmodel.validation import Floats, positive, whole


@dataclass(frozen=True)
class PipelineJob:
    """A model cut into equal stages, and the micro-batches of a step; words' tables left out."""

    shape: TransformerShape = SHAPE
    stages: int = 8
    micro_batch: int = 2
    """Sequences."""
    micro_batches: int = 32
    state: float = 16.0
    """Bytes a parameter: weights and gradients in 16 bits, 12 for Adam."""

    def __post_init__(self) -> None:
        """Refuse jobs that can't be cut."""
        for name in ("stages", "micro_batch", "micro_batches"):
            whole(name, getattr(self, name), 1)
        if self.shape.layers % self.stages:
            raise ValueError(
                f"stages must divide the {self.shape.layers} layers, got {self.stages}"
            )

    @property
    def parameters(self) -> float:
        """Of all layers."""
        return self.shape.layers * self.shape.layer_parameters

    @property
    def tokens(self) -> int:
        """Of a step."""
        return self.micro_batches * self.micro_batch * self.shape.sequence

    @property
    def states(self) -> float:
        """Bytes of weights, gradients and optimizer on a stage."""
        return float(positive("state", self.state)) * self.parameters / self.stages

    @property
    def activation(self) -> float:
        """Bytes that a stage keeps of a micro-batch from its forward to its backward pass."""
        layers = self.shape.layers / self.stages
        return layers * float(self.shape.layer_activations(self.micro_batch))

    @property
    def kept(self) -> float:
        """Bytes of it that are left where layers are computed again: their inputs."""
        layers = self.shape.layers / self.stages
        return layers * float(self.shape.layer_activations(self.micro_batch, recompute=True))

    @property
    def in_flight(self) -> np.ndarray:
        """Micro-batches that each stage holds at most, shape (stages,): min(p - s, m)."""
        return np.minimum(self.stages - np.arange(self.stages), self.micro_batches)

    @property
    def needs(self) -> Floats:
        """Bytes of each stage, shape (stages,)."""
        return np.asarray(self.states + self.in_flight * self.activation)

    def forward(self, rate: float) -> float:
        """Return the seconds of a stage's forward pass for a micro-batch; backward takes twice."""
        again = self.shape.operations_per_token(True) - self.shape.operations_per_token(False)
        tokens = self.micro_batch * self.shape.sequence
        return float(again * tokens / self.stages / positive("rate", rate))

    def step(self, period: float) -> float:
        """Return the seconds of a step whose stages take a `period` (s) for a micro-batch."""
        return (self.micro_batches + self.stages - 1) * float(positive("period", period))

    def with_layers(self, layers: int) -> PipelineJob:
        """Return the same job with so many `layers`."""
        return replace(self, shape=replace(self.shape, layers=layers))


def balanced_saving(stages: int) -> float:
    """Return the share of the first stage's activations that perfect balance takes away.

    1 - (p + 1) / (2 p): stage s holds p - s micro-batches, on average (p + 1) / 2.

    >>> balanced_saving(8)
    0.4375
    """
    count = whole("stages", stages, 1)
    return 1 - (count + 1) / (2 * count)
