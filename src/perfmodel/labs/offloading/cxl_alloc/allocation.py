"""The tensors that fine-tuning keeps in the host's memory, and where allocators put them.

ZeRO-3 with offloaded optimizer and parameters, mixed precision, Adam on the processor, checkpointed
activations offloaded. Source: Y.-C. Liaw and S.-H. Chen, arXiv:2507.03305, and its released code.
A placement holds the bytes of each tensor on each node, DRAM first, then the cards;
`latency_first` is the rule of the released allocator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.offloading.cxl_alloc.inputs import Model
from perfmodel.validation import Floats, non_negative, positive, sample, whole

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


def latency_first(size: ArrayLike, dram: float, cxl: float, cards: int = 1) -> Floats:
    """Return where a greedy allocator puts tensors of `size` bytes, bytes of shape (n, 1 + cards).

    A tensor that fits into what is left of DRAM goes there. The first that doesn't is spread over
    all nodes in equal parts, DRAM's cut off at what is left; the same rule holds for later ones as
    long as a byte is left. Then tensors go to the cards, in equal parts. `cxl` is the budget in
    bytes of all cards together.

    >>> latency_first([6, 6, 2], dram=10, cxl=20)
    array([[6., 0.],
           [3., 3.],
           [1., 1.]])
    """
    size, remaining = _sizes(size), float(non_negative("dram", dram))
    count = whole("cards", cards, 1)
    placed = np.zeros((len(size), 1 + count))
    for row, bytes_ in zip(placed, size, strict=True):
        fits = bytes_ <= remaining
        row[0] = bytes_ if fits else min(remaining, bytes_ // (1 + count))
        row[1:] = (bytes_ - row[0]) / count
        remaining -= row[0]
    return _within(placed, cxl)


def interleaved(
    size: ArrayLike, dram: float, cxl: float, cards: int = 1, weights: Sequence[float] = ()
) -> Floats:
    """Return where page by page interleaving puts tensors: over all nodes until DRAM is full.

    Arguments are those of `latency_first`; `weights` are the pages for each node in a round, shape
    (1 + cards,), one each where left out.
    """
    size, remaining = _sizes(size), float(non_negative("dram", dram))
    count = whole("cards", cards, 1)
    pages = positive("weights", weights if len(weights) else np.ones(1 + count))
    if pages.shape != (1 + count,):
        raise ValueError(f"weights must be {1 + count} numbers, got {list(weights)!r}")
    placed = np.zeros((len(size), 1 + count))
    for row, bytes_ in zip(placed, size, strict=True):
        row[0] = min(remaining, bytes_ * pages[0] / pages.sum())
        row[1:] = (bytes_ - row[0]) * pages[1:] / pages[1:].sum()
        remaining -= row[0]
    return _within(placed, cxl)


def by_density(size: ArrayLike, traffic: ArrayLike, dram: float, cxl: float) -> Floats:
    """Return the placement that fills DRAM by traffic per byte, the last tensor cut: one card.

    `traffic` are the bytes that each tensor moves in what is to be short, shape (n,).
    """
    from perfmodel.offloading import fractional_packing

    size = _sizes(size)
    near = size * fractional_packing(size, traffic, float(non_negative("dram", dram))).fractions
    return _within(np.stack([near, size - near], axis=1), cxl)


def first_spilled(placed: Floats) -> int:
    """Return the index of the first tensor that isn't wholly in DRAM; -1 if none is."""
    spilled = np.flatnonzero(placed[:, 1:].sum(axis=1) > 0)
    return int(spilled[0]) if len(spilled) else -1


def best_weight(dram: float, cxl: float, cards: int = 1) -> float:
    """Return the fraction of pages in DRAM for which all nodes (rates in bytes/s) finish together.

    >>> best_weight(200, 50)
    0.8
    """
    near, far = positive("dram", dram), positive("cxl", cxl) * whole("cards", cards, 1)
    return float(near / (near + far))


def interleaved_rate(dram_fraction: ArrayLike, dram: float, cxl: float) -> Floats:
    """Return the bytes/s of reading data of which a `dram_fraction` is in DRAM, from both at once.

    >>> interleaved_rate([0.5, 0.8, 1.0], 200, 50)
    array([100., 250., 200.])
    """
    from perfmodel.validation import within

    near = within("dram_fraction", dram_fraction, 0, 1)
    slower = np.maximum(near / positive("dram", dram), (1 - near) / positive("cxl", cxl))
    return np.asarray(1 / slower)


def _sizes(size: ArrayLike) -> Floats:
    return sample("size", non_negative("size", size))


def _within(placed: Floats, cxl: float) -> Floats:
    used = float(placed[:, 1:].sum())
    if used > float(non_negative("cxl", cxl)):
        raise ValueError(f"cxl must hold {used:.6g} bytes, got {cxl!r}")
    return placed
