"""The five kernels measured: factors in time, with intervals, and in memory."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from perfmodel.benchmarking import count_allocations
from perfmodel.labs.benchmarking.sysllmatic.kernels import TunedKernel
from perfmodel.measurement import Comparison, compare


class KernelTrial(NamedTuple):
    """A kernel's two versions compared."""

    name: str
    pattern: str
    comparison: Comparison
    """Of the tuned version against the slow one."""
    memory: float
    """Data and peak of new memory in bytes, before over after: above 1 is better."""

    @property
    def gain(self) -> float:
        """How many times as fast the tuned version is."""
        return 1 / self.comparison.ratio

    @property
    def gain_interval(self) -> tuple[float, float]:
        """95 % interval of `gain`."""
        low, high = self.comparison.interval
        return 1 / high, 1 / low

    @property
    def seconds(self) -> float:
        """Median time of the slow version."""
        return float(np.median(self.comparison.times[:, 0]))


def timed_kernel(kernel: TunedKernel, seconds: float = 0.4) -> KernelTrial:
    """Time a kernel's versions in interleaved blocks and compare what memory they need.

    `seconds` is the time for the comparison.
    """
    slow, tuned = (partial(run, *kernel.arguments) for run in (kernel.slow, kernel.tuned))
    found = compare(slow, tuned, max_seconds=seconds, detect=0.05, names=("slow", "tuned"))
    peaks = [count_allocations(run).peak_bytes for run in (slow, tuned)]
    before, after = (kernel.data_bytes + peak for peak in peaks)
    return KernelTrial(kernel.name, kernel.pattern, found, before / after)
