"""What the released code and its tutorial print, and what nobody printed and is assumed."""

from __future__ import annotations

from dataclasses import dataclass

GIB = 2**30


@dataclass(frozen=True)
class Model:
    """A model as the released code counts it."""

    name: str
    parameters: int
    layers: int
    hidden: int
    """Width of a layer's activations, values."""


QWEN = Model("Qwen2.5 7B", 7_615_616_512, 28, 3584)
NEMO = Model("Mistral Nemo 12B", 12_247_782_400, 40, 5120)
LFM = Model("LFM2.5 8B-A1B", 8_474_147_584, 24, 2048)
T5GEMMA = Model("T5Gemma2 4B-4B", 7_760_198_656, 68, 2560)
MODELS = (QWEN, NEMO, LFM, T5GEMMA)
"""Parameters from utils/utils.py, layers and widths from run.sh of the released code."""

DRAM_BUDGET, CXL_BUDGET = 100 * GIB, 256 * GIB
"""Bytes that the tutorial lets the allocator use."""
DRAM_VISIBLE = 128 * GIB
"""Bytes of DRAM that Linux sees there, so that interleaving can't take more."""
TUTORIAL_BATCH, TUTORIAL_TOKENS = 1, 4096

PRINTED_SHARES = (0.97, 0.99)
"""Throughput with one card over that with DRAM alone, abstract of version 2."""
PRINTED_GAIN = 1.21
"""Throughput over that of interleaving, at most, abstract of version 2."""


@dataclass(frozen=True)
class Host:
    """Rates of the machine, bytes/s and FLOP/s."""

    dram: float
    cxl: float
    """Of each card."""
    pcie: float
    """Between host and GPU, in each direction."""
    compute: float
    """FLOP/s that training reaches on the GPU."""


ASSUMED = Host(
    dram=200e9,  # not from the registry: assumed, the paper's own was not found
    cxl=50e9,  # not from the registry: assumed, a quarter of DRAM's
    pcie=50e9,  # not from the registry: assumed
    compute=100e12,  # not from the registry: assumed
)
"""DRAM over CXL is the "about 4" by which the abstract says a step slows down on CXL alone."""
