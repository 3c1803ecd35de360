"""Two servers of eight GPUs as graphs of links, and a GPT that doesn't fit.

Source of the idea: Q. Zhou and others, "MPress: democratizing billion-scale model training on
multi-GPU servers via memory-saving inter-operator parallelism", HPCA 2023. Its abstract names a
server of the generation of DGX-1 with V100 and one of the next with eight A100; models and tables
could not be read, and the model here is this lab's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from perfmodel import machines
from perfmodel.communication import TransformerShape
from perfmodel.validation import Floats, positive, within

GPUS = 8
USABLE = {"V100": 32e9, "A100": 80e9}  # not from the registry: what training can use
"""Bytes of 32 and 80 GiB: 7 % less, for the driver and what fragmentation takes."""
LINK_COUNTS = np.array(
    [
        [0, 1, 1, 2, 2, 0, 0, 0],
        [1, 0, 2, 1, 0, 2, 0, 0],
        [1, 2, 0, 2, 0, 0, 1, 0],
        [2, 1, 2, 0, 0, 0, 0, 1],
        [2, 0, 0, 0, 0, 1, 1, 2],
        [0, 2, 0, 0, 1, 0, 2, 1],
        [0, 0, 1, 0, 1, 2, 0, 2],
        [0, 0, 0, 1, 2, 1, 2, 0],
    ]
)
"""NVLinks between the GPUs of a DGX-1 with V100, six at each: the hybrid cube mesh.

The rows of GPUs 0 and 1, and that the two share a switch to the host, stand in the topology file of
issue 671 of NVIDIA/nccl; the other rows are as usually printed, and not checked."""
EFFICIENCY = 0.4
"""Assumed: share of the peak that a stage's products reach."""
SHAPE = TransformerShape(48, 4096, 32, 50_257, 1024)
"""A GPT of 9.7 billion parameters, made up for this lab."""


@dataclass(frozen=True, eq=False)
class GpuServer:
    """Eight GPUs of `capacity` bytes and `rate` FLOP/s, and what joins them.

    `host_link` is in bytes/s, each way, of the link that the GPUs of a group share. `peer_rates`
    are those of each link or port between GPUs, one way, shape (links,); `peer_paths`, shape
    (links, GPUs, GPUs), says whether what goes from one GPU to another uses the link.
    """

    name: str
    capacity: float
    rate: float
    host_link: float
    groups: tuple[int, ...]
    peer_rates: Floats
    peer_paths: np.ndarray

    @property
    def reachable(self) -> np.ndarray:
        """Whether a GPU can send to another, shape (GPUs, GPUs)."""
        return np.asarray(self.peer_paths.any(axis=0))


def _cube_mesh(efficiency: float) -> GpuServer:
    gpu = machines.get("v100-sxm2-32gb")
    one_link = gpu.peer_link_two_way / 2 / LINK_COUNTS[0].sum()
    pairs = np.argwhere(LINK_COUNTS > 0)
    paths = np.zeros((len(pairs), GPUS, GPUS), bool)
    paths[np.arange(len(pairs)), pairs[:, 0], pairs[:, 1]] = True
    return GpuServer(
        "eight V100, cube mesh",
        USABLE["V100"],
        efficiency * gpu.value("peak_fp16_matrix"),
        gpu.host_link_one_way,
        (0, 0, 1, 1, 2, 2, 3, 3),
        one_link * LINK_COUNTS[tuple(pairs.T)],
        paths,
    )


def _switched(efficiency: float) -> GpuServer:
    gpu = machines.get("a100-sxm4-80gb")
    paths = np.zeros((2 * GPUS, GPUS, GPUS), bool)
    for each in range(GPUS):
        paths[each, each] = True
        paths[GPUS + each, :, each] = True
        paths[[each, GPUS + each], each, each] = False
    return GpuServer(
        "eight A100, switch",
        USABLE["A100"],
        efficiency * gpu.value("peak_fp16_matrix"),
        gpu.host_link_one_way,
        (0, 0, 1, 1, 2, 2, 3, 3),
        np.full(2 * GPUS, gpu.peer_link_two_way / 2),
        paths,
    )


def servers(efficiency: float = EFFICIENCY) -> Mapping[str, GpuServer]:
    """Return the two servers by short names, all figures of the GPUs from the registry.

    Products reach `efficiency` of the peak. Pairs of GPUs share a link to the host, as behind the
    switches of such servers; that the A100's do is assumed.
    """
    share = float(within("efficiency", positive("efficiency", efficiency), 0, 1))
    return MappingProxyType({"V100": _cube_mesh(share), "A100": _switched(share)})
