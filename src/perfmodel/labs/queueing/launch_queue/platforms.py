"""An A100 over PCIe and a GH200 as the launch queue sees them, from published figures alone.

The null kernel's launch latency stands in for the CPU time of an operator, and the paper's knees
for the GPU time of an item: assumptions, whose consequences miss what the paper reports.

Source: P. Vellaisamy et al., ISPASS 2025 (see `inputs`); the model that makes the timelines (one
thread, kernels in order) is this course's.
"""

from __future__ import annotations

from perfmodel.labs.queueing.launch_queue.batch_sweep import LaunchMachine, batch_sweep
from perfmodel.labs.queueing.launch_queue.inputs import A100, GH200, KNEES


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
