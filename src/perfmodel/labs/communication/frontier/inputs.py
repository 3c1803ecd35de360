"""Published numbers of models and machine, and the assumptions of this lab.

Source: S. Dash and others, "Optimizing distributed training on Frontier for large language models",
ISC High Performance 2024, arXiv:2312.12705. A GPU here is a die of an MI250X, as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from perfmodel import machines
from perfmodel.communication import Tier, TieredCluster, TransformerShape

PRINTED: Mapping[str, float] = MappingProxyType({"22B": 0.3838, "175B": 0.3614, "1T": 0.3196})
"""Shares of the peak that the three models are reported to reach; abstract."""
STATES: Mapping[str, float] = MappingProxyType({"weights": 2, "gradients": 4, "optimizer": 8})
"""Bytes a parameter: 16-bit weights, 32-bit gradients, master weights and one 32-bit state."""

SHAPES: Mapping[str, TransformerShape] = MappingProxyType(
    {
        "22B": TransformerShape(48, 6144, 48, 51_200, 2048),
        "175B": TransformerShape(96, 12_288, 96, 51_200, 2048),
        "1T": TransformerShape(128, 25_600, 128, 51_200, 2048),
    }
)
"""Assumed: shapes usual for these sizes. What was read of the paper gives sizes only."""
GPUS: Mapping[str, int] = MappingProxyType({"22B": 64, "175B": 1024, "1T": 3072})
"""1,024 and 3,072 are those of the weak-scaling runs in the abstract; 64 is assumed."""
SEQUENCES_PER_GPU = 1
"""Assumed: sequences of a step, over all GPUs."""

PACKAGE, NODE = 2, 8
"""GPUs of a package and of a node: two dies, four packages."""
LINKS: Mapping[str, float] = MappingProxyType({"package": 200e9, "node": 50e9, "network": 25e9})
"""Bytes/s, one way. The network's is that of one of the node's four cards, 200 Gb/s; those inside
a node are assumed, in the order that the paper reports."""


GPU_MEMORY = 64e9  # not from the registry: what training can use of a GPU's 64 GiB
"""Bytes: 7 % less than the chips hold, for the driver and what fragmentation takes."""


def frontier(links: float = 1.0, memory: float = 1.0) -> TieredCluster:
    """Return Frontier's nodes, all their `links` and the GPUs' `memory` changed by factors.

    >>> frontier().shared_bandwidth([2, 8, 3072]) / 1e9
    array([200. ,  50. ,  12.5])
    """
    whole = machines.get("mi250x")
    return TieredCluster(
        whole.peak("fp16") / PACKAGE,
        memory * GPU_MEMORY,
        [
            Tier(PACKAGE, links * LINKS["package"]),
            Tier(NODE, links * LINKS["node"]),
            Tier(8192, links * LINKS["network"], together=links * LINKS["network"] * 4 / NODE),
        ],
    )


TENSOR_THROUGHPUT: Mapping[int, float] = MappingProxyType(
    {2: 13_923.0, 4: 12_421.0, 8: 10_903.0, 16: 6_246.0, 32: 2_146.0}
)
"""Tokens/s for each GPU, by the GPUs that share a layer, measured on nodes of eight H100; "The
Ultra-Scale Playbook", Hugging Face, 2025. Each with the largest batch that fits."""
TOKENS = 20e12
"""Of the training whose operations the abstract counts."""
H100_NETWORK = 50e9  # not from the registry: an assumption of this lab
"""Assumed: bytes/s of each GPU's own network card, one way."""
