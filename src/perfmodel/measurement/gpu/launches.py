"""What a launch costs the host, how long it takes until the kernel starts, and how long in a queue.

A launch is here what a program in Python pays: the call of the library, which finds the operation
for the arrays' types and allocates or checks the result (its dispatch), and in it the driver's own
launch. A program in C that calls the driver pays only the second part, often less than half.

A kernel that is launched behind others waits for them. The sum of these waits over a run tells
whether the host or the GPU sets the pace: near zero, the GPU waits for launches; growing with the
batch, launches wait for the GPU (Vellaisamy et al., ISPASS 2025; the lab on launch queues).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from perfmodel.measurement.gpu.device import Device
from perfmodel.measurement.gpu.timing import LAUNCHES, Watch
from perfmodel.measurement.runs import RUNS, Runs, timed
from perfmodel.validation import Floats, whole


def launch_time(device: Device, runs: int = RUNS) -> Runs:
    """Measure how long the host is busy with one call that launches, nobody waiting for the GPU.

    The library's dispatch is part of it. The shortest of `runs` runs of `LAUNCHES` launches counts.

    >>> from perfmodel.measurement.gpu.simulated import SimulatedGpu
    >>> round(1e6 * launch_time(SimulatedGpu(launch_time=4e-6)).shortest, 3)
    4.0
    """

    def run() -> float:
        began = device.now()
        for _ in range(LAUNCHES):
            device.empty_kernel()
        spent = device.now() - began
        device.synchronize_event()
        return spent

    seconds = timed(run, runs, warmup=3)
    return Runs(
        "launch", LAUNCHES, "launches", seconds, 1, False, f"{_told(device)}, not waited for"
    )


def round_trip(device: Device, runs: int = 200) -> Runs:
    """Measure a launch on an idle GPU until the host knows that it is done; the shortest counts."""

    def run() -> float:
        began = device.now()
        device.empty_kernel()
        device.synchronize_event()
        return device.now() - began

    seconds = timed(run, runs, warmup=10)
    note = f"{_told(device)}, run and waited for"
    return Runs("launch and wait", 1, "launches", seconds, 1, False, note)


def _told(device: Device) -> str:
    return f"a call of {device.about().library}, its dispatch included, on one number"


def null_duration(watch: Watch, runs: int = RUNS) -> Runs:
    """Measure how long the GPU of `watch` takes for a kernel that does nothing, launches hidden.

    The shortest of `runs` counts.
    """
    return watch.runs("null kernel", watch.device.empty_kernel, 1, "launches", runs)


class LaunchTimeline(NamedTuple):
    """Kernels of one run in the order of their launches; seconds, shape (n,)."""

    launched: Floats
    """On the host's clock, from the first launch."""
    started: Floats
    """On the GPU's clock, from the first start; told by the ends, since all take equally long."""

    @property
    def waits(self) -> Floats:
        """Seconds that each kernel waited longer than the first, which found the queue empty."""
        return self.started - self.launched

    @property
    def total(self) -> float:
        """Sum of the waits: TKLQT less what an empty queue costs."""
        return float(self.waits.sum())


def queue(device: Device, launch: Callable[[], object], count: int = LAUNCHES) -> LaunchTimeline:
    """Launch a kernel `count` times and say how long each waited in the queue.

    Beyond about a thousand the queue may be full, and the host waits too. The events between the
    kernels cost about a microsecond each, on the host and on the GPU.

    A kernel of 20 µs, launched every 5 µs and a mark of 1 µs: each waits 14 µs more than the one
    before.

    >>> from perfmodel.measurement.gpu.simulated import SimulatedGpu
    >>> gpu = SimulatedGpu(launch_time=5e-6, least_duration=20e-6)
    >>> (1e6 * queue(gpu, gpu.empty_kernel, 4).waits).round(3)
    array([ 0., 14., 28., 42.])
    """
    whole("count", count, 2)
    launch()
    device.synchronize_event()
    launched, ends = [], []
    for _ in range(count):
        launched.append(device.now())
        launch()
        # A mark in front of the kernel would be passed while the kernel is still being launched.
        ends.append(device.record_event())
    device.synchronize_event()
    started = [device.elapsed_time(ends[0], end) for end in ends]
    return LaunchTimeline(np.array(launched) - launched[0], np.array(started))
