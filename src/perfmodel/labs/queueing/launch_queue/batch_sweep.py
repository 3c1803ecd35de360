"""CPU-bound or GPU-bound: a network's kernels over batch sizes, and two published platforms.

With larger batches the kernels take longer and the CPU's work stays the same. So there is a batch
size above which the GPU is the slower side. The queue shows where.

Source: P. Vellaisamy et al., "Characterizing and optimizing LLM inference workloads on CPU-GPU
coupled architectures", ISPASS 2025, Table V (times), abstract and section V (batch sizes), also for
the rule that a flat TKLQT means CPU-bound. The model of kernels that take max(d0, beta B), launched
by one thread in order, is this course's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from perfmodel.labs.queueing.launch_queue.timeline import LaunchTimeline, timeline
from perfmodel.validation import Floats, finite, non_negative, positive, sample, whole


@dataclass(frozen=True)
class LaunchMachine:
    """Parameters of a CPU, a GPU and a network's kernels; times in seconds."""

    host_cost: float
    """CPU time from one launch to the next, c."""
    time_per_item: float
    """GPU time of a kernel for each item of the batch, beta."""
    launch_latency: float
    """From a launch to the earliest start, t0."""
    duration_floor: float = 0.0
    """Shortest GPU time of a kernel, d0."""

    def __post_init__(self) -> None:
        positive("host_cost", self.host_cost)
        positive("time_per_item", self.time_per_item)
        non_negative("duration_floor", self.duration_floor)
        non_negative("launch_latency", self.launch_latency)

    def duration(self, batch: ArrayLike) -> Floats:
        """Return the seconds of a kernel at a batch size, max(d0, beta B)."""
        return np.maximum(self.duration_floor, self.time_per_item * positive("batch", batch))

    @property
    def transition_batch(self) -> float:
        """Batch size above which the GPU is the slower side, c / beta."""
        return float(self.host_cost / self.time_per_item)


def batch_sweep(
    machine: LaunchMachine,
    batches: ArrayLike,
    kernels: int = 300,
    jitter: np.random.Generator | None = None,
    runs: int = 100,
) -> LaunchTimeline:
    """Run a network at several batch sizes, with steady or with random launches.

    The shape is (m, n) for m `batches` and n `kernels`, or (m, runs, n) with `jitter`, which draws
    exponential host costs of the machine's mean; the batch sizes share these draws.

    >>> sweep = batch_sweep(LaunchMachine(8e-6, 1e-6, 2.2605e-6), [4, 16])
    >>> print((1e3 * sweep.tklqt).round(2))
    [  0.68 359.48]
    """
    n = whole("kernels", kernels, low=1)
    per_kernel = machine.duration(sample("batches", batches))
    if jitter is None:
        return timeline(
            machine.host_cost, np.repeat(per_kernel[:, None], n, 1), machine.launch_latency
        )
    costs = jitter.exponential(machine.host_cost, (whole("runs", runs, low=1), n))
    durations = np.broadcast_to(per_kernel[:, None, None], (per_kernel.size, *costs.shape))
    return timeline(costs, durations, machine.launch_latency)


def knee(batches: ArrayLike, tklqt: ArrayLike) -> float:
    """Return the batch size at which TKLQT begins to rise, from the best bent line.

    The bend is where the squared error is smallest.

    >>> round(knee([1, 2, 4, 8, 16], [5, 5, 5, 9, 25]), 3)
    6.0
    """
    x, y = positive("batches", sample("batches", batches, at_least=4)), finite("tklqt", tklqt)
    if y.shape != x.shape or (np.diff(x) <= 0).any():
        raise ValueError(f"batches must rise, one for each of tklqt, got {x.size} and {y.shape}")
    candidates = np.geomspace(x[0], x[-2], 200)
    best = int(np.argmin([_bend(bend_at, x, y)[0] for bend_at in candidates]))
    ends = candidates[max(best - 1, 0)], candidates[min(best + 1, candidates.size - 1)]
    bend = float(minimize_scalar(lambda bend_at: _bend(bend_at, x, y)[0], bounds=ends).x)
    if not _bend(bend, x, y)[1] > 0:
        raise ValueError(f"tklqt must rise at large batches, got {y}")
    return bend


def _bend(bend_at: float, x: Floats, y: Floats) -> tuple[float, float]:
    """Return the squared error and the slope of the best bent line with its bend at `place`."""
    bent = np.stack([np.ones_like(x), np.maximum(0, x - bend_at)], axis=-1)
    (level, slope), *_ = np.linalg.lstsq(bent, y, rcond=None)
    return float(((bent @ (level, slope) - y) ** 2).sum()), float(slope)


@dataclass(frozen=True)
class LaunchPlatform:
    """Times of a null kernel on a CPU and a GPU, in seconds."""

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
