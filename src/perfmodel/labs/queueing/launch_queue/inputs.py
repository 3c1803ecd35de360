"""The paper's platforms: what launching a kernel costs, and where its encoders turn GPU-bound.

Source: P. Vellaisamy et al., "Characterizing and optimizing LLM inference workloads on CPU-GPU
coupled architectures", ISPASS 2025, Table V (times), abstract and section V (batch sizes).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LaunchPlatform:
    """A CPU and a GPU, by what a kernel that does nothing costs on them; times in seconds."""

    name: str
    launch_latency: float
    """From the begin of the launch call to the kernel's start, with an empty queue."""
    null_duration: float
    """From start to end of a kernel that does nothing."""


A100 = LaunchPlatform("A100-SXM4-80GB with EPYC 7313", 2260.5e-9, 1440.0e-9)
H100 = LaunchPlatform("H100 PCIe with two Xeon 8468V", 2374.6e-9, 1235.2e-9)
GH200 = LaunchPlatform("GH200 with Grace", 2771.6e-9, 1171.2e-9)
"""The three of Table V: two that reach the GPU over PCIe, one coupled closely."""

KNEES = {"over PCIe": 8.0, "GH200": 32.0}
"""Batch sizes at which the paper's encoders become GPU-bound (abstract and section V)."""
