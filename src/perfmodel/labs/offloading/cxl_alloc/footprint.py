"""The tensors that fine-tuning keeps in the host's memory: their bytes, and who touches them when.

ZeRO-3 with offloaded optimizer and parameters, mixed precision, Adam on the processor, checkpointed
activations offloaded. Source: Y.-C. Liaw and S.-H. Chen, arXiv:2507.03305, and its released code.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perfmodel.labs.offloading.cxl_alloc.inputs import Model
from perfmodel.validation import Floats, whole

ORDER = (
    "momentum",
    "variance",
    "master gradients",
    "master weights",
    "compute weights",
    "activations",
    "compute gradients",
)
"""The order in which the released allocator places tensors: most sensitive to latency first."""
WIDTHS = dict(zip(ORDER, (4, 4, 4, 4, 2, 0, 2), strict=True))
"""Bytes that each tensor takes for a parameter."""


class Traffic(NamedTuple):
    """Bytes that each tensor moves in a phase of the step, shape (tensors,)."""

    forward: Floats
    backward: Floats
    update: Floats


def tensor_bytes(model: Model, batch: int, tokens: int, gpus: int = 1) -> Floats:
    """Return the bytes of each tensor of `ORDER`, shape (7,), for `batch` sequences a GPU.

    >>> from perfmodel.labs.offloading.cxl_alloc.inputs import GIB, LFM
    >>> tensor_bytes(LFM, 1, 4096)[:1] / GIB
    array([31.56865978])
    """
    size = np.array([WIDTHS[name] * model.parameters for name in ORDER], float)
    positions = whole("gpus", gpus, 1) * whole("batch", batch, 1) * whole("tokens", tokens, 1)
    size[ORDER.index("activations")] = 2.0 * positions * model.hidden * model.layers
    return size


def tensor_traffic(model: Model, batch: int, tokens: int) -> Traffic:
    """Return the bytes of each tensor that a step of one GPU reads and writes, phase by phase.

    Forward the GPU reads the compute weights and writes activations. Backward it reads both and
    writes compute gradients, which the processor turns into master gradients. The update reads
    momentum, variance, gradients and master weights, writes all of them but the gradients, and
    writes the compute weights again: 28 bytes a parameter, and 2 for the copy.
    """
    size = dict(zip(ORDER, tensor_bytes(model, batch, tokens), strict=True))
    passes = {
        "momentum": (0, 0, 2),
        "variance": (0, 0, 2),
        "master gradients": (0, 1, 1),
        "master weights": (0, 0, 2),
        "compute weights": (1, 1, 1),
        "activations": (1, 1, 0),
        "compute gradients": (0, 2, 0),
    }
    moved = np.array([np.array(passes[name]) * size[name] for name in ORDER])
    return Traffic(*moved.T)
