"""Which tables there are, and the round-numbered link that the page reckons with."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

GPUS: Mapping[str, str] = MappingProxyType(
    {"V100": "V100-PCIE-16GB", "H100": "H100-SXM-80GB", "H200": "H200-SXM-141GB"}
)
"""Names of the GPUs, and of their files."""
FILES: Mapping[str, str] = MappingProxyType(
    {
        "all-reduce": "all_reduce",
        "all-gather": "all_gather",
        "reduce-scatter": "reduce_scatter",
        "all-to-all": "alltoall",
        "send and receive": "sendrecv",
    }
)
"""Collectives, and what they are called in the names of files."""
RINGS: Mapping[str, str] = MappingProxyType(
    {"all-reduce": "ring", "all-gather": "ring", "reduce-scatter": "ring", "all-to-all": "pairwise"}
)
"""The algorithm of least bytes for each collective, that any number of GPUs can run."""
LATENCY = 10e-6
"""Seconds of a message of the page's example, whatever its size."""
BANDWIDTH = 10e9
"""Bytes/s of a link of the page's example."""
