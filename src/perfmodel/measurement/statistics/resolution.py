"""The smallest difference that this machine can resolve now, from comparing a program with itself.

>>> from perfmodel.measurement.simulated import SimulatedMachine
>>> machine = SimulatedMachine(log_deviation=0.05)
>>> found = resolution(machine.job(1e-3), max_seconds=0.4, clock=machine.clock)
>>> found.smallest < 0.05
True
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import exp, expm1, log, log1p, sqrt

import numpy as np
from scipy import stats

from perfmodel.measurement.clock import Clock
from perfmodel.measurement.html import html_table
from perfmodel.measurement.statistics.comparison import Comparison, compare
from perfmodel.validation import whole

NOT_RESOLVED = "not resolved"
_STEPS = 1000


@dataclass(frozen=True, eq=False)
class Resolution:
    """What a comparison of a program with itself says about the machine at this moment."""

    comparison: Comparison
    """A against A."""
    power: float
    """Chance of finding a difference as large as `detectable`."""

    @cached_property
    def smallest(self) -> float:
        """Smallest relative difference seen that is more than what A shows against itself.

        As many blocks as were measured here can't tell a smaller one from none.
        """
        return self.smallest_with(len(self.comparison.times))

    @property
    def detectable(self) -> float:
        """True relative difference that as many blocks find with chance `power`."""
        z, z_power = stats.norm.ppf([(1 + self.comparison.confidence) / 2, self.power])
        return expm1(log1p(self.smallest) * float(1 + z_power / z))

    def smallest_with(self, blocks: int) -> float:
        """Return the smallest difference that a number of blocks, 1 or more, tells from none.

        Half the width of the signed-rank interval of A against A, which shrinks with the root of
        the number of blocks; never less than the difference of A from A, where that is significant.
        """
        itself = self.comparison
        low, high = np.log(itself.interval)
        scale = sqrt(len(itself.times) / whole("blocks", blocks, 1))
        bias = 0.0 if itself.conclusion == "can't tell" else abs(log(itself.ratio))
        return expm1(max(scale * float(high - low) / 2, bias))

    def conclusion(self, comparison: Comparison) -> str:
        """Return the conclusion about a comparison on this machine.

        "not resolved" where the difference is below `smallest_with` the comparison's own number of
        blocks; otherwise the comparison's verdict.
        """
        size = exp(abs(log(comparison.ratio))) - 1
        if size < self.smallest_with(len(comparison.times)):
            return NOT_RESOLVED
        return comparison.conclusion

    def difference(self, first: float, second: float) -> str:
        """Return the relative difference of `second` from `first`, or "not resolved".

        >>> from perfmodel.measurement.simulated import SimulatedMachine
        >>> machine = SimulatedMachine(log_deviation=0.05)
        >>> known = resolution(machine.job(1e-3), max_seconds=0.4, clock=machine.clock)
        >>> known.difference(1.0, 1.2), known.difference(1.0, 1.001)
        ('+20.0 %', 'not resolved')
        """
        if exp(abs(log(second / first))) - 1 < self.smallest:
            return NOT_RESOLVED
        return f"{100 * (second / first - 1):+.1f} %"

    def __str__(self) -> str:
        return (
            f"differences below {100 * self.smallest:.2g} % are not resolved; a true one of "
            f"{100 * self.detectable:.2g} % is found {100 * self.power:g} times in 100, "
            f"with {len(self.comparison.times)} blocks"
        )

    def _repr_html_(self) -> str:
        rows = {
            "smallest difference": f"{100 * self.smallest:.2g} %",
            f"found {100 * self.power:g} times in 100": f"{100 * self.detectable:.2g} %",
            "blocks": str(len(self.comparison.times)),
            "processor": self.comparison.provenance.host.processor,
            "date": self.comparison.provenance.date,
        }
        return html_table("Resolution of this machine now", rows)


def workload() -> int:
    """Return the last state of a short chain of integer steps, for about a tenth of a millisecond.

    >>> workload() == workload()
    True
    """
    state = 1
    for _ in range(_STEPS):
        state = (1103515245 * state + 12345) % 2147483648
    return state


def resolution(
    function: Callable[[], object] = workload,
    *,
    detect: float = 0.05,
    power: float = 0.9,
    confidence: float = 0.95,
    max_seconds: float = 5.0,
    clock: Clock = time.perf_counter_ns,
    progress: bool = False,
) -> Resolution:
    """Return, as a `Resolution`, what differences show here and now when a function meets itself.

    Use the `function` that you are going to change (by default a chain of integer steps), and the
    `detect` and `max_seconds` that you are going to spend on the comparison. Those, `power`,
    `confidence`, `clock` and `progress` are as for `compare`, as is what is raised.
    """
    itself = compare(
        function,
        function,
        detect=detect,
        power=power,
        confidence=confidence,
        max_seconds=max_seconds,
        clock=clock,
        progress=progress,
        names=("A", "A again"),
    )
    return Resolution(itself, power)
