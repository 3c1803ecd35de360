"""Tiling a convolution on a GPU: how much data each choice of tile sizes moves, and where.

A layer makes K output channels of H x W pixels from C input channels with R x R filters. A thread
computes a tile of outputs, a block of threads a larger tile, and blocks may divide the input
channels. The input goes from global to shared memory and from there to registers, filters go from
global memory to registers, and results go back through shared memory (kernel "RS").

The counts and the score follow Xu, Yuan, Barton, Li, Sadayappan and Sukumaran-Rajam, "Effective
performance modeling and domain-specific compiler optimization of CNNs for GPUs", PACT 2022, as in
the code of their artifact (github.com/HPCRL/AE-PACT).

`timings` has measured times of 217 tilings of two convolutions on a V100, from result files of the
artifact (folder lop-v100). The artifact states no licence, so only two of its tables are quoted
here, as facts. Rows are in the order of their times.

>>> fastest = timings(RES12)
>>> print(len(fastest.tilings), fastest.seconds.min())
160 7.578e-05
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from perfmodel import machines
from perfmodel.live.drawing import Box, Cells, Fill, Line, Scene, Shape, Text
from perfmodel.shipped_data import shipped_table
from perfmodel.validation import Floats, positive


@dataclass(frozen=True)
class ConvLayer:
    """A convolution with as many rows as columns."""

    name: str
    outputs: int
    """Output channels, K."""
    size: int
    """Output rows and columns, H = W."""
    inputs: int
    """Input channels, C."""
    filter: int = 3
    """Rows and columns of a filter, R = S."""
    stride: int = 1


RES12 = ConvLayer("res12", 512, 7, 512)
"""ResNet's last 3 x 3 layer: many channels, tiny images."""
YOLO18 = ConvLayer("yolo18", 1024, 17, 512)


@dataclass(frozen=True)
class Gpu:
    """Properties of a GPU that the score uses."""

    name: str
    global_bandwidth: float
    """The authors' relative unit, GB/s as a rule."""
    shared_bandwidth: float
    multiprocessors: int


V100 = Gpu("V100", 750, 12_000, int(machines.get("v100-sxm2-32gb").value("compute_units")))


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
    """Blocks that divide the input channels among them."""

    def __post_init__(self) -> None:
        """Refuse sizes that are not whole numbers of at least 1, or of different lengths."""
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
    """Return the data movement of each tiling, whose tiles must divide the layer exactly.

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
    fraction = whole_size / parts
    bad = fraction != np.floor(fraction)
    if bad.any():
        raise ValueError(
            f"{name} must be divisible by its tiles, got {whole_size} over {parts[bad][0]:g}"
        )
    return fraction


def analytic_score(counts: Counts, gpu: Gpu) -> Floats:
    """Return the paper's whitebox score of each tiling; lower is better.

    The larger of two transfer times, in transactions over the authors' relative bandwidths. It says
    nothing about how many warps there are to do the transfers.

    >>> print(analytic_score(count(RES12, Tilings(2, 1, 7, 32, 7, 1, 32)), V100).round(2))
    [770.73]
    """
    return np.maximum(
        counts.global_traffic / gpu.global_bandwidth, counts.shared_traffic / gpu.shared_bandwidth
    )


def parallel_score(counts: Counts, gpu: Gpu, warps_needed: float) -> Floats:
    """Return the score, divided by the fraction of the bandwidth that the launch's warps can use.

    By Little's law a memory delivers its bandwidth only with enough requests in flight. A launch
    with fewer warps gets proportionally less. The paper doesn't have this extension. `warps_needed`
    is the number of warps on each multiprocessor that reaches the full bandwidth.

    >>> few = count(RES12, Tilings(16, 1, 7, 32, 1, 1, 1))
    >>> print((parallel_score(few, V100, 16) / analytic_score(few, V100)).round(1))
    [182.9]
    """
    needed = gpu.multiprocessors * positive("warps_needed", warps_needed)
    return analytic_score(counts, gpu) / np.minimum(1.0, counts.warps / needed)


LAYERS = (RES12, YOLO18)
"""The layers there are times of."""


class Timings(NamedTuple):
    """Tilings of a layer with their times, shape (n,)."""

    layer: ConvLayer
    tilings: Tilings
    seconds: Floats


def timings(layer: ConvLayer) -> Timings:
    """Return all measured tilings of kernel "RS" for one of `LAYERS`."""
    if layer not in LAYERS:
        known = ", ".join(other.name for other in LAYERS)
        raise ValueError(f"layer must be one of {known}, got {layer.name!r}")
    rows = _table().query("layer == @layer.name")
    sizes = [rows[name].to_numpy(float) for name in ("tk", "th", "tw", "bk", "bh", "bw", "cm")]
    return Timings(layer, Tilings(*sizes), rows["ms"].to_numpy(float) * 1e-3)


@cache
def _table() -> pd.DataFrame:
    return shipped_table(__package__, "conv_timings.csv")


_ACROSS = 20
"""Multiprocessors in a row of the sheet."""


def tile_paths(layer: ConvLayer, tiling: Tilings, gpu: Gpu = V100) -> Scene:
    """Draw where the data of one tiling go, and how many multiprocessors have work.

    >>> tile_paths(RES12, Tilings(2, 1, 7, 32, 7, 1, 32)).values["warps"]
    1792.0
    """
    if len(tiling) != 1:
        raise ValueError(f"tiling must be one choice of tile sizes, got {len(tiling)}")
    counts = count(layer, tiling)
    blocks, warps = float(counts.blocks[0]), float(counts.warps[0])
    busy = int(min(blocks, gpu.multiprocessors))
    work: tuple[int, Fill] = (1, "solid")
    cells = {divmod(i, _ACROSS): work for i in range(busy)}
    rows = -(-gpu.multiprocessors // _ACROSS)
    shapes: list[Shape] = [
        Box(10, 10, 340, 30, "global memory", 2, "light"),
        Box(10, 104, 240, 30, "shared memory", 3, "light"),
        Box(10, 198, 340, 30, "registers of the threads", 1, "light"),
        *_arrow(24, 40, 104, "input", float(counts.global_to_shared[0])),
        *_arrow(142, 104, 40, "results", float(counts.shared_to_global[0])),
        *_arrow(24, 134, 198, "input", float(counts.shared_to_register[0])),
        *_arrow(142, 198, 134, "results", float(counts.register_to_shared[0])),
        *_arrow(276, 40, 198, "filters", float(counts.global_to_register[0])),
        Text(f"{blocks:,.0f} blocks, {warps:,.0f} warps in all, on", 180, 250),
        Text(f"{gpu.multiprocessors} multiprocessors (filled: has work)", 180, 268),
        Cells(40, 282, rows, _ACROSS, 14.0, cells),
    ]
    says = (
        f"{warps:,.0f} warps on {busy} of {gpu.multiprocessors} multiprocessors do "
        f"{float(counts.global_traffic[0]):,.0f} transactions with global memory and "
        f"{float(counts.shared_traffic[0]):,.0f} with shared memory."
    )
    values = {"blocks": blocks, "warps": warps, "multiprocessors with work": float(busy)}
    return Scene(294 + 14 * rows, shapes, says, values)


def _arrow(x: float, start: float, end: float, name: str, amount: float) -> list[Shape]:
    middle = (start + end) / 2
    return [
        Line([(x, start), (x, end)], head=True),
        Text(name, x + 8, middle - 9, anchor="start"),
        Text(f"{amount:,.0f}", x + 8, middle + 9, anchor="start"),
    ]
