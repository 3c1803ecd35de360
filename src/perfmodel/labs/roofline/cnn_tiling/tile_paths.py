"""The levels of memory that a tiling moves data between, with its transactions on each path."""

from __future__ import annotations

from perfmodel.labs.roofline.cnn_tiling.inputs import V100, ConvLayer, Gpu
from perfmodel.labs.roofline.cnn_tiling.tilings import Tilings, count
from perfmodel.live.drawing import Box, Cells, Fill, Line, Scene, Shape, Text

_ACROSS = 20
"""Multiprocessors in a row of the sheet."""


def tile_paths(layer: ConvLayer, tiling: Tilings, gpu: Gpu = V100) -> Scene:
    """Draw where the data of one tiling go, and how many multiprocessors have work.

    >>> from perfmodel.labs.roofline.cnn_tiling.inputs import RES12
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
        f"{float(counts.global_traffic[0]):,.0f} transactions with global memory, "
        f"{float(counts.shared_traffic[0]):,.0f} with shared memory, by {warps:,.0f} warps on "
        f"{busy} of {gpu.multiprocessors} multiprocessors."
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
