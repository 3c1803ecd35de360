"""Kernels in a queue between a CPU thread and a GPU: when each is launched, starts and ends.

A stream is a queue with one server that takes its jobs in order. So its path follows Lindley's
recursion. If all times are equal, it has a closed form.

Source: P. Vellaisamy et al., ISPASS 2025, for the metrics (Eq. 1 and text); the model of one
thread with kernels in order is this course's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, whole


@dataclass(frozen=True)
class LaunchTimeline:
    """When each kernel was launched, started and ended, in seconds, shape (..., n) of n kernels."""

    launches: Floats
    starts: Floats
    ends: Floats

    @property
    def delays(self) -> Floats:
        """Launch and queueing time of each kernel (Eq. 1), shape (..., n)."""
        return self.starts - self.launches

    @property
    def tklqt(self) -> Floats:
        """Sum of the delays, shape (...)."""
        return np.asarray(self.delays.sum(-1))

    @property
    def mean_duration(self) -> Floats:
        """Mean kernel duration (AKD), shape (...)."""
        return np.asarray((self.ends - self.starts).mean(-1))

    @property
    def latency(self) -> Floats:
        """Inference latency: from the first launch to the end of the last kernel, shape (...)."""
        return np.asarray(self.ends[..., -1] - self.launches[..., 0])

    @property
    def gpu_idle(self) -> Floats:
        """Latency less the time that kernels ran, shape (...)."""
        return np.asarray(self.latency - (self.ends - self.starts).sum(-1))


def timeline(host_costs: ArrayLike, durations: ArrayLike, launch_latency: float) -> LaunchTimeline:
    """Run kernels through the queue: each starts after its launch and after its predecessor ends.

    This is Lindley's recursion, start = max(launch + t0, end of the kernel before), written as a
    running maximum so that many runs go at once. Seconds of host and kernels have shape (..., n)
    and broadcast; the last host cost isn't used, and launches begin at 0.

    >>> run = timeline([1.0, 1.0, 1.0], [3.0, 3.0, 3.0], launch_latency=0.5)
    >>> print(run.starts, run.tklqt, run.latency)
    [0.5 3.5 6.5] 7.5 9.5
    """
    costs, runs = non_negative("host_costs", host_costs), non_negative("durations", durations)
    costs, runs = np.broadcast_arrays(costs, runs)
    if costs.ndim == 0 or costs.shape[-1] == 0:
        raise ValueError(f"durations must have a kernel or more, got shape {runs.shape}")
    earliest = float(non_negative("launch_latency", launch_latency))
    launches, before = _sum_before(costs), _sum_before(runs)
    starts = before + np.maximum.accumulate(launches + earliest - before, axis=-1)
    return LaunchTimeline(launches, starts, starts + runs)


def steady_tklqt(
    kernels: ArrayLike, host_cost: ArrayLike, duration: ArrayLike, launch_latency: ArrayLike
) -> Floats:
    """Return TKLQT for equal costs and durations, n t0 + max(0, d - c) n (n - 1) / 2.

    Seconds: flat in d while the CPU is slower, and quadratic in n once the GPU is. All arguments
    broadcast.

    >>> print((1e6 * steady_tklqt(300, 8e-6, [1e-6, 10e-6], 2.2605e-6)).round(2))
    [  678.15 90378.15]
    """
    n, c, d, t0 = _checked(kernels, host_cost, duration, launch_latency)
    return np.asarray(n * t0 + np.maximum(0, d - c) * n * (n - 1) / 2)


def steady_latency(
    kernels: ArrayLike, host_cost: ArrayLike, duration: ArrayLike, launch_latency: ArrayLike
) -> Floats:
    """Return the latency for equal costs and durations, (n - 1) max(c, d) + t0 + d.

    >>> print((1e6 * steady_latency(300, 8e-6, [1e-6, 10e-6], 2.2605e-6)).round())
    [2395. 3002.]
    """
    n, c, d, t0 = _checked(kernels, host_cost, duration, launch_latency)
    return np.asarray((n - 1) * np.maximum(c, d) + t0 + d)


def _sum_before(values: Floats) -> Floats:
    first = np.zeros_like(values[..., :1])
    return np.concatenate([first, np.cumsum(values[..., :-1], axis=-1)], axis=-1)


def _checked(
    kernels: ArrayLike, host_cost: ArrayLike, duration: ArrayLike, launch_latency: ArrayLike
) -> tuple[Floats, Floats, Floats, Floats]:
    return (
        positive("kernels", kernels),
        non_negative("host_cost", host_cost),
        non_negative("duration", duration),
        non_negative("launch_latency", launch_latency),
    )


def measure_launches(
    operator: Callable[[], object],
    kernel: Callable[[], object],
    count: int,
    executor: Executor | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> LaunchTimeline:
    """Hand `kernel` to another thread `count` times, with `operator` run here after each.

    Times are in seconds since the first launch. The executor is one thread, ended afterwards, if
    none is given; an error of a kernel is raised here.

    >>> run = measure_launches(int, int, 3)
    >>> run.starts.size, bool((run.delays >= 0).all())
    (3, True)
    """
    size = whole("count", count, low=1)
    if executor is not None:
        return _measured(operator, kernel, size, executor, clock)
    with ThreadPoolExecutor(max_workers=1) as own:
        return _measured(operator, kernel, size, own, clock)


def _measured(
    operator: Callable[[], object],
    kernel: Callable[[], object],
    count: int,
    executor: Executor,
    clock: Callable[[], float],
) -> LaunchTimeline:
    launches, starts, ends = np.empty((3, count))

    def run(number: int) -> None:
        starts[number] = clock()
        kernel()
        ends[number] = clock()

    executor.submit(int).result()
    waiting = []
    for number in range(count):
        launches[number] = clock()
        waiting.append(executor.submit(run, number))
        operator()
    for task in waiting:
        task.result()
    return LaunchTimeline(launches - launches[0], starts - launches[0], ends - launches[0])
