"""Layers and GPUs of a study of tilings.

Xu, Yuan, Barton, Li, Sadayappan and Sukumaran-Rajam, "Effective performance modeling and
domain-specific compiler optimization of CNNs for GPUs", PACT 2022, as the code of their artifact
has them (github.com/HPCRL/AE-PACT).
"""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel import machines
from perfmodel.validation import positive, whole


@dataclass(frozen=True)
class ConvLayer:
    """A convolution with as many rows as columns."""

    name: str
    outputs: int
    """Output channels, K."""
    size: int
    """Output rows and columns, H = W."""
    inputs: int
    """Input channels, C."""
    filter: int = 3
    """Rows and columns of a filter, R = S."""
    stride: int = 1

    def __post_init__(self) -> None:
        """Refuse an empty layer."""
        for name in ("outputs", "size", "inputs", "filter", "stride"):
            whole(name, getattr(self, name), low=1)


RES12 = ConvLayer("res12", 512, 7, 512)
"""ResNet's last 3 x 3 layer: many channels, tiny images."""
YOLO18 = ConvLayer("yolo18", 1024, 17, 512)


@dataclass(frozen=True)
class Gpu:
    """What the score knows of a GPU."""

    name: str
    global_bandwidth: float
    """The authors' relative unit, GB/s as a rule."""
    shared_bandwidth: float
    multiprocessors: int

    def __post_init__(self) -> None:
        """Refuse a GPU that moves nothing."""
        positive("global_bandwidth", self.global_bandwidth)
        positive("shared_bandwidth", self.shared_bandwidth)
        whole("multiprocessors", self.multiprocessors, low=1)


V100 = Gpu("V100", 750, 12_000, int(machines.get("v100-sxm2-32gb").value("compute_units")))
RTX_2080_TI = Gpu("2080 Ti", 616, 11_000, 68)
"""The paper's two GPUs with the bandwidths of the artifact's scripts."""
