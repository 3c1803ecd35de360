"""What it costs a GPU to know which registers are not ready: control bits against a scoreboard.

The counts are those of Huerta et al., "Dissecting and modeling the architecture of modern GPU
cores", MICRO 2025, Table 7.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from perfmodel.labs.roofline.gpu_cores.inputs import CONTROL_BITS, TRACKED_REGISTERS
from perfmodel.validation import Floats, positive, whole


def control_bits(warps: ArrayLike) -> Floats:
    """Return the bits that track dependences by counters which the compiler names.

    >>> print(control_bits(48))
    1968.0
    """
    return CONTROL_BITS * positive("warps", warps)


def scoreboard_bits(warps: ArrayLike, consumers: int) -> Floats:
    """Return the bits that track dependences in hardware, register by register.

    One bit says that a write is under way; a count of readers under way guards against writing too
    early.

    >>> print(scoreboard_bits(48, 63))
    111552.0
    """
    counter = whole("consumers", consumers, low=1).bit_length()
    return TRACKED_REGISTERS * (1 + counter) * positive("warps", warps)
