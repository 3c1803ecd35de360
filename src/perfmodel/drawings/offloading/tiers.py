"""Tiers of memory under a GPU: where a model's weights come to rest, and what a pass reads."""

from __future__ import annotations

from typing import NamedTuple

from perfmodel import machines
from perfmodel.live.drawing import Box, Line, Scale, Scene, Shape, Text
from perfmodel.units import prefixed
from perfmodel.validation import positive

_HOST, _DRIVE = 256e9, 4e12
"""Bytes of the server's memory and of its drive."""
_LANES = 16 / 4
"""Lanes of the GPU's link over those of a drive."""
_WORD = 2.0
"""Bytes of a weight."""
_FIRST, _GAP = 86.0, 90.0


class TierUse(NamedTuple):
    """A tier: name, bytes, rate of its way to the GPU, bytes held and seconds of that way."""

    name: str
    capacity: float
    rate: float
    used_bytes: float
    seconds: float


def fill_tiers(parameters: float, gpu: str) -> tuple[TierUse, ...]:
    """Return GPU memory, host memory and drive, filled in this order with 16-bit weights.

    `gpu` is the id in the registry of a GPU whose link to the host is PCIe with 16 lanes. The
    host's memory holds 256 GB and is read at the link's rate one way. The drive holds 4 TB and is
    read at a quarter of it, as it has 4 lanes. Weights that fit nowhere are refused.

    >>> [round(tier.used_bytes / 1e9) for tier in fill_tiers(175e9, "rtx-4090")]
    [26, 256, 68]
    """
    machine = machines.get(gpu)
    if not machine.host_link.endswith("x16"):
        raise ValueError(f"gpu must have a link of 16 lanes, got {gpu!r} with {machine.host_link}")
    link = machine.value("host_link_one_way")
    tiers = [
        (f"memory of the {machine.short}", machine.memory_capacity, machine.memory_bandwidth),
        ("memory of the host", _HOST, link),
        ("drive", _DRIVE, link / _LANES),
    ]
    left, used = _WORD * float(positive("parameters", parameters)), []
    for name, capacity, rate in tiers:
        held = min(left, capacity)
        left -= held
        used.append((name, capacity, rate, held))
    if left > 0:
        raise ValueError(f"parameters must fit into all tiers together, got {parameters:g}")
    below = used[1][3] + used[2][3]
    seconds = (used[0][3] / used[0][2], below / link, used[2][3] / used[2][2])
    return tuple(TierUse(*tier, time) for tier, time in zip(used, seconds, strict=True))


def memory_tiers(gpu: str, billions: float) -> Scene:
    """Draw the tiers as bars, filled as far as the weights fill them, and the rates between.

    A pass reads the weights of `billions` of parameters once, over all ways at the same time; what
    comes from the drive passes the GPU's link, too.

    >>> print(memory_tiers("rtx-4090", 70).says)
    A pass over 140 GB takes 3.63 s, 26.1 times as long as if all weights fitted into the RTX 4090.
    """
    tiers = fill_tiers(1e9 * float(positive("billions", billions)), gpu)
    seconds = max(tier.seconds for tier in tiers)
    weights = sum(tier.used_bytes for tier in tiers)
    alone = weights / tiers[0].rate
    shapes: list[Shape] = [Box(16, 18, 328, 24, "processors of the GPU")]
    for i, tier in enumerate(tiers):
        shapes += _tier(tier, _FIRST + _GAP * i, tier.seconds == seconds)
    short = machines.get(gpu).short
    says = f"A pass over {prefixed(weights, 'B')} takes {seconds:.3g} s"
    says += (
        f", {seconds / alone:.3g} times as long as if all weights fitted into the {short}."
        if tiers[1].used_bytes
        else f". All weights fit into the {short}."
    )
    values = {
        "seconds of a pass": seconds,
        "GB outside the GPU": (weights - tiers[0].used_bytes) / 1e9,
    }
    return Scene(_FIRST + _GAP * 2 + 44, shapes, says, values)


def _tier(tier: TierUse, y: float, bound: bool) -> list[Shape]:
    """Return a tier's bar, filled as far as it is, and the way up from it with rate and time."""
    filled = Scale(0, tier.capacity, 16, 344).length(tier.used_bytes)
    rate = f"{prefixed(tier.rate, 'B/s')}, {prefixed(tier.seconds, 's')}"
    shapes: list[Shape] = [
        Line([(32, y - 6), (32, y - 38)], 2 if bound else 0, "thick" if bound else "plain", True),
        Text(rate, 46, y - 24, anchor="start", bold=bound),
        Box(16, y, 328, 24),
        Text(f"{tier.name}, {prefixed(tier.capacity, 'B')}", 16, y + 35, anchor="start"),
    ]
    if filled > 0.05:
        shapes.append(Box(16, y, filled, 24, "", 1, "solid"))
    return shapes
