"""Tiling a convolution on a GPU: how much data each choice of tile sizes moves, and where.

A layer makes K output channels of H x W pixels from C input channels with R x R filters. A thread
computes a tile of outputs, a block of threads a larger one, and blocks may share out the input
channels. The input goes from global to shared memory and from there to registers, filters go from
global memory to registers, and results go back through shared memory (kernel "RS").

The counts and the score are those of Xu, Yuan, Barton, Li, Sadayappan and Sukumaran-Rajam,
"Effective performance modeling and domain-specific compiler optimization of CNNs for GPUs",
PACT 2022, as the code of their artifact has them (github.com/HPCRL/AE-PACT).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.roofline.cnn_tiling.inputs import ConvLayer, Gpu
from perfmodel.validation import Floats, positive

WARP = 32
"""Threads of a warp, and words of a transaction with global memory."""


@dataclass(frozen=True)
class Tilings:
    """Choices of tile sizes, each an array of shape (n,).

    >>> len(Tilings([2, 1], [1, 7], [7, 7], [32, 32], [7, 1], [1, 1], [32, 16]))
    2
    """

    tk: ArrayLike
    """Output channels that a thread computes."""
    th: ArrayLike
    """Rows that a thread computes."""
    tw: ArrayLike
    """Columns that a thread computes."""
    bk: ArrayLike
    """Threads of a block along the channels."""
    bh: ArrayLike
    """Threads of a block along the rows."""
    bw: ArrayLike
    """Threads of a block along the columns."""
    cm: ArrayLike
    """Blocks that share out the input channels."""

    def __post_init__(self) -> None:
        """Refuse sizes that are not whole numbers from 1 on, or of different lengths."""
        for item in fields(self):
            values = np.atleast_1d(positive(item.name, getattr(self, item.name)))
            if (values != np.floor(values)).any() or values.ndim > 1:
                raise ValueError(f"{item.name} must be whole numbers, got {values}")
            object.__setattr__(self, item.name, values)
        if len({np.size(getattr(self, item.name)) for item in fields(self)}) > 1:
            raise ValueError("tile sizes must have one length, got several")

    def __len__(self) -> int:
        """Return the number of choices."""
        return int(np.size(self.tk))

    @property
    def matrix(self) -> Floats:
        """The sizes as columns, in the order of the attributes: shape (n, 7)."""
        return np.column_stack([getattr(self, item.name) for item in fields(self)])


@dataclass(frozen=True)
class Counts:
    """What a launch moves, in a warp's transactions, and what it occupies: arrays of shape (n,)."""

    blocks: Floats
    warps_per_block: Floats
    global_to_shared: Floats
    shared_to_global: Floats
    global_to_register: Floats
    shared_to_register: Floats
    register_to_shared: Floats
    registers: Floats
    """Of a thread."""

    @property
    def global_traffic(self) -> Floats:
        """Transactions with global memory."""
        return self.global_to_shared + self.shared_to_global + self.global_to_register

    @property
    def shared_traffic(self) -> Floats:
        """Transactions between shared memory and registers."""
        return self.shared_to_register + self.register_to_shared

    @property
    def warps(self) -> Floats:
        """Warps of the whole launch."""
        return self.blocks * self.warps_per_block


def count(layer: ConvLayer, tilings: Tilings) -> Counts:
    """Return the data movement of each tiling of a layer.

    ValueError if tiles do not divide the layer exactly.

    >>> from perfmodel.labs.roofline.cnn_tiling.inputs import RES12
    >>> best = count(RES12, Tilings(2, 1, 7, 32, 7, 1, 32))
    >>> print(best.global_traffic, best.shared_traffic)
    [578048.] [799232.]
    """
    tk, th, tw, bk, bh, bw, cm = tilings.matrix.T
    extra, stride = layer.filter - 1, layer.stride
    channels = _shared_out("inputs", layer.inputs, cm)
    blocks = (
        _shared_out("size", layer.size, bh * th)
        * _shared_out("size", layer.size, bw * tw)
        * _shared_out("outputs", layer.outputs, bk * tk)
        * cm
    )
    warps = bh * bw * bk / WARP
    patch = (th * stride + extra) * (tw * stride + extra)
    row = np.ceil((bw * tw * stride + extra) / WARP)
    return Counts(
        blocks=blocks,
        warps_per_block=warps,
        global_to_shared=blocks * (bh * th * stride + extra) * row * channels,
        shared_to_global=blocks * tk * bh * th * bw * tw,
        global_to_register=layer.filter**2 * tk * warps * blocks * channels,
        shared_to_register=patch * warps * blocks * channels,
        register_to_shared=tk * th * tw * warps * blocks,
        registers=th * tw * tk + patch + 1,
    )


def _shared_out(name: str, whole_size: int, parts: Floats) -> Floats:
    share = whole_size / parts
    bad = share != np.floor(share)
    if bad.any():
        raise ValueError(
            f"{name} must be divisible by its tiles, got {whole_size} over {parts[bad][0]:g}"
        )
    return share


def analytic_score(counts: Counts, gpu: Gpu) -> Floats:
    """Return the paper's whitebox score of each tiling; lower is better.

    The larger of two transfer times, in transactions over the authors' relative bandwidths. It says
    nothing about how many warps there are to do the transfers.

    >>> from perfmodel.labs.roofline.cnn_tiling.inputs import RES12, V100
    >>> print(analytic_score(count(RES12, Tilings(2, 1, 7, 32, 7, 1, 32)), V100).round(2))
    [770.73]
    """
    return np.maximum(
        counts.global_traffic / gpu.global_bandwidth, counts.shared_traffic / gpu.shared_bandwidth
    )


def parallel_score(counts: Counts, gpu: Gpu, warps_needed: float) -> Floats:
    """Return the score, divided by the share of the bandwidth that the launch's warps can use.

    By Little's law a memory needs a number of requests under way to deliver its bandwidth. A launch
    with fewer warps than that gets proportionally less. This extension is ours, not the paper's.
    `warps_needed` are those on each multiprocessor from which on the full bandwidth is reached.

    >>> from perfmodel.labs.roofline.cnn_tiling.inputs import RES12, V100
    >>> few = count(RES12, Tilings(16, 1, 7, 32, 1, 1, 1))
    >>> print((parallel_score(few, V100, 16) / analytic_score(few, V100)).round(1))
    [182.9]
    """
    needed = gpu.multiprocessors * positive("warps_needed", warps_needed)
    return analytic_score(counts, gpu) / np.minimum(1.0, counts.warps / needed)
