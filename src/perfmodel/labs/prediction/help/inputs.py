"""What Lee, Lee, Chong and Hwang (2021) print: rank correlations, and networks that were found.

Source: the tables of the README of https://github.com/HayeonLee/HELP, which are the paper's, and
the networks in its folder `data/nasbench201/architecture_config`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

RANKED: Mapping[str, tuple[float, ...]] = {
    "FLOPs": (0.950, 0.826, 0.765, 0.846, 0.437, 0.900),
    "BRP-NAS, 900": (0.814, 0.796, 0.666, 0.847, 0.811, 0.801),
    "BRP-NAS, 3,200": (0.822, 0.805, 0.693, 0.853, 0.830, 0.828),
    "HELP, 10": (0.987, 0.989, 0.802, 0.890, 0.940, 0.985),
}
"""Table 3: rank correlations on the devices of `device_latency.UNSEEN`, by method and timed
networks a device."""
FBNET_UNSEEN = ("raspi4", "eyeriss", "fpga")
RANKED_FBNET: Mapping[str, tuple[float, ...]] = {
    "MAML, 10": (0.718, 0.763, 0.727),
    "Meta-SGD, 10": (0.821, 0.822, 0.776),
    "HELP, 10": (0.887, 0.943, 0.892),
}
"""Table 2: the same for fbnet and the devices of `FBNET_UNSEEN`."""


class Timed(NamedTuple):
    """A network that the authors' search found, and its latency on the device it is for."""

    device: str
    cell: str
    """A digit for each edge, as in `search_space`."""
    printed: str


FOUND = (
    Timed("titan_rtx_256", "302120", "17.8 ms"),
    Timed("titan_rtx_256", "320122", "18.9 ms"),
    Timed("titan_rtx_256", "203123", "24.2 ms"),
    Timed("gold_6226", "130121", "8.0 ms"),
    Timed("gold_6226", "032142", "10.7 ms"),
    Timed("gold_6226", "303133", "14.3 ms"),
    Timed("pixel2", "302120", "13.0 ms"),
    Timed("pixel2", "203123", "19.0 ms"),
    Timed("pixel2", "333132", "25.0 ms"),
    Timed("eyeriss", "320122", "3.9 ms"),
    Timed("eyeriss", "203123", "5.1 ms"),
    Timed("eyeriss", "333133", "9.1 ms"),
    Timed("fpga", "032142", "3.8 ms"),
    Timed("fpga", "203123", "4.7 ms"),
    Timed("fpga", "333133", "7.4 ms"),
)
"""Table 4: latencies of the networks that are linked there."""
TIE_DEVIATION = {
    "titan_rtx_256": 0.0014,
    "gold_6226": 0.0011,
    "pixel2": 0.0027,
    "raspi4": 0.0019,
    "eyeriss": 0.0034,
    "fpga": 0.0022,
}
"""Standard deviation of the rank correlation of FLOPs over random orders of networks with equal
FLOPs: `audit.tie_spread`, computed from the latencies and held by a test."""
MEAN_TIE_DEVIATION = 0.0009
"""That of the mean over the six devices."""
