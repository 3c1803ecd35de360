"""What was measured of training on one GPU with states on SSDs, and the shapes of the two models.

Source of the throughputs: `evaluation_data.md` in the released artifact of LoHan, the later version
of Fuyou (github.com/RC4ML/LoHan, commit feb88fe, Apache-2.0). The testbed: two Xeon Gold 5320,
768 GB of DRAM, an RTX 4090, twelve D7-P5510 of 3.84 TB.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perfmodel.validation import Floats, whole

TFLOPS = 1e12
FORWARD, BACKWARD = 2, 4
"""FLOP a parameter and token: a product with the weights forward; backward two, for the gradients
of inputs and of weights."""
FORWARD_WORK = FORWARD / (FORWARD + BACKWARD)
"""Share of a step's FLOP that the forward pass does, nothing being computed again."""

BY_BATCH = {8: 42.8, 16: 84.3, 32: 143.1, 64: 155.8, 128: 153.8}
"""TFLOP/s of 13B with twelve SSDs, by the batch; Figure 7(a)."""
BY_DRIVES = {
    32: {1: 37.5, 2: 64.3, 3: 81.1, 6: 121.7, 12: 142.0},
    48: {1: 53.1, 2: 89.7, 3: 121.7, 6: 146.3, 12: 153.9},
    64: {1: 70.3, 2: 111.7, 3: 136.3, 6: 151.5, 12: 148.2},
}
"""TFLOP/s of 13B, by the batch and the number of SSDs; Figure 10(b)."""
LARGE_BY_BATCH = {8: 52.6, 16: 86.9}
"""TFLOP/s of 175B with twelve SSDs; Figure 7(b). A batch of 32 did not fit."""


class Measured(NamedTuple):
    """Steps of the 13B model, an array each."""

    batch: Floats
    """Sequences."""
    drives: Floats
    """SSDs."""
    rate: Floats
    """FLOP/s, as the authors count them."""

    def only(self, mask: NDArray[np.bool_]) -> Measured:
        """Return the steps of a mask, shape (steps,).

        >>> measured().only(measured().drives == 6).batch
        array([32., 48., 64.])
        """
        return Measured(*(column[mask] for column in self))


def measured() -> Measured:
    """Return the 20 measured steps of the 13B model, those by SSD count first.

    >>> steps = measured()
    >>> len(steps.rate), steps.batch[:2], steps.drives[:2], steps.rate[:2] / 1e12
    (20, array([32., 32.]), array([1., 2.]), array([37.5, 64.3]))
    """
    rows = [(batch, n, rate) for batch, rates in BY_DRIVES.items() for n, rate in rates.items()]
    rows += [(batch, 12, rate) for batch, rate in BY_BATCH.items()]
    batch, drives, rate = np.array(rows).T
    return Measured(batch, drives, rate * TFLOPS)


@dataclass(frozen=True)
class Shape:
    """A plain transformer: feed-forward networks are four times as wide as the model."""

    layers: int
    hidden: int
    sequence: int = 1024
    """Tokens; the default of the released script."""

    def __post_init__(self) -> None:
        """Refuse what is no shape."""
        for name in ("layers", "hidden", "sequence"):
            whole(name, getattr(self, name), 1)

    @property
    def parameters(self) -> float:
        """Of all layers; tables of words left out."""
        return 12.0 * self.layers * self.hidden**2

    @property
    def work(self) -> float:
        """FLOP of training on a sequence, 6 a parameter and token; attention left out."""
        return (FORWARD + BACKWARD) * self.parameters * self.sequence


GPT_13B = Shape(40, 5120)
GPT_175B = Shape(96, 12_288)

READ, WRITTEN = 16, 14
"""Bytes a parameter and step, to and from SSDs: 16-bit weights are read for the forward pass and
again for the backward pass, and 12 bytes of 32-bit states for the optimizer; those states and the
new weights are written."""
LINK = 20 * 2.0**30
"""Bytes/s to and from the GPU, each way: what the released code takes for swapping."""
