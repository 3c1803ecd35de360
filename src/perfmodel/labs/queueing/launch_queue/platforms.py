"""An A100 over PCIe and a GH200 as the launch queue sees them, from published figures alone.

Source: P. Vellaisamy et al., "Characterizing and optimizing LLM inference workloads on CPU-GPU
coupled architectures", ISPASS 2025, Table V (times), abstract and section V (batch sizes). The
model that makes the timelines (one thread, kernels in order) is this course's.
"""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.labs.queueing.launch_queue.batch_sweep import LaunchMachine, batch_sweep


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


def coupled_pair() -> tuple[LaunchMachine, LaunchMachine]:
    """Return an A100 over PCIe and a GH200 as far as published figures alone can tell.

    The null kernel's launch latency stands in for the host cost, since no other figure of the CPU
    is published, and the paper's knees give the GPU time of an item, c / B*.

    >>> pcie, close = coupled_pair()
    >>> round(close.host_cost / pcie.host_cost, 3), round(pcie.transition_batch, 9)
    (1.226, 8.0)
    """
    pcie, close = (
        LaunchMachine(
            p.launch_latency, p.launch_latency / knee_at, p.launch_latency, p.null_duration
        )
        for p, knee_at in zip((A100, GH200), KNEES.values(), strict=True)
    )
    return pcie, close


def large_batch_speedup(batch: float = 1024.0, kernels: int = 300) -> float:
    """Return how many times as fast the second of `coupled_pair` is at a batch size.

    >>> round(large_batch_speedup(), 2), round(large_batch_speedup(1.0), 2)
    (3.26, 0.82)
    """
    pcie, close = (
        float(batch_sweep(machine, [batch], kernels).latency[0]) for machine in coupled_pair()
    )
    return pcie / close
