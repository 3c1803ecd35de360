"""What the project prints of ZO2, the shapes of the models, and the machine of the examples.

Source: L. Wang and others, "ZO2: scalable zeroth-order fine-tuning for extremely large language
models with limited GPU memory", COLM 2025, arXiv:2503.12668, and its released code,
github.com/liangyuwang/zo2 (Apache-2.0): README and test/mezo_sgd/hf_opt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from perfmodel import machines

PRINTED: Mapping[str, float] = MappingProxyType(
    {
        "1.3B": 3.75e9,
        "2.7B": 4.14e9,
        "6.7B": 4.99e9,
        "13B": 6.18e9,
        "30B": 8.86e9,
        "66B": 12.07e9,
        "175B": 18.04e9,
    }
)
"""Bytes of GPU memory for OPT, README; 16-bit weights, one sequence of 2,048 tokens by the script
that measures. Printed as GB; the script asks the driver and divides by 2^20, so that powers of two
are possible."""
SHAPES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "1.3B": (24, 2048),
        "2.7B": (32, 2560),
        "6.7B": (32, 4096),
        "13B": (40, 5120),
        "30B": (48, 7168),
        "66B": (64, 9216),
        "175B": (96, 12_288),
    }
)
"""Blocks and width by model, as the test script sets them."""
HEADS: Mapping[str, int] = MappingProxyType(
    {"1.3B": 32, "2.7B": 32, "6.7B": 32, "13B": 40, "30B": 56, "66B": 72, "175B": 96}
)
"""Heads of attention by model, as the test script sets them."""
VOCABULARY = 50_272
"""Rows of the table of words, and of the head; the test script keeps the two apart."""
SEQUENCE = 2048
"""Tokens of a sequence in the printed measurements."""
HALF = 2
"""Bytes of a weight in 16 bits."""
TRAFFIC = 37
"""Times that a block's weights' worth of bytes passes the GPU's memory in a step, counted in the
released optimizer: a perturbation writes noise (1), scales it twice (4) and adds it (3), three
times; an update draws (1), multiplies by the slope (2), decays (2), adds (3), scales (2) and
subtracts (3)."""


@dataclass(frozen=True)
class Accelerator:
    """A GPU of `rate` FLOP/s behind a link (bytes/s each way); `memory` is its own bytes/s."""

    rate: float
    link: float
    memory: float


def accelerator(name: str = "a100-sxm4-80gb", reached: float = 0.5) -> Accelerator:
    """Return a machine of the registry whose matrix products reach a share of the 16-bit peak.

    The paper's own machine is not known here; half of the peak is an assumption.

    >>> accelerator().rate / 1e12
    156.0
    """
    machine = machines.get(name)
    return Accelerator(
        reached * machine.peak("fp16"), machine.host_link_one_way, machine.memory_bandwidth
    )
