"""Products of square matrices on one core, by size: the peak, and where it is half reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from perfmodel.communication import MessageBootstrap, bootstrap_messages, fit_messages
from perfmodel.measurement import timed_in_turns
from perfmodel.validation import Floats, whole

Clock = Callable[[], float]
SIDES = (32, 48, 64, 96, 128, 192, 256, 384, 512, 640)


@dataclass(frozen=True, eq=False)
class ProductSweep:
    """Times of products, and a line through them: a fixed time, and one for each operation."""

    sides: Floats
    times: Floats
    """Seconds, the least of several."""
    boot: MessageBootstrap

    @property
    def work(self) -> Floats:
        """Operations of each product, 2 n^3."""
        return 2 * self.sides**3

    @property
    def peak(self) -> float:
        """Operations a second that the line tends to."""
        return float(self.boot.fit.bandwidths[0])

    @property
    def half(self) -> tuple[float, float, float]:
        """Operations at which half of it is reached, with the ends of a 95 % interval."""
        halves = self.boot.latencies[:, 0] / self.boot.byte_times[:, 0]
        low, high = np.quantile(halves, [0.025, 0.975])
        return float(self.boot.fit.latencies[0] * self.peak), float(low), float(high)

    def efficiency(self, work: Floats) -> Floats:
        """Return the fraction of the peak that products of this work reach, by the line."""
        return np.asarray(work / (work + self.half[0]))

    def side(self, share: float = 0.95) -> float:
        """Return the side of the square matrices whose product reaches a share of the peak."""
        enough = self.half[0] * share / (1 - share)
        return float((enough / 2) ** (1 / 3))

    def forecast(self, side: int) -> tuple[float, float]:
        """Return a 95 % interval for the least time of a product, seconds, errors included."""
        low, high = self.boot.time(2.0 * side**3)
        spread = 2 * self.boot.fit.relative_deviation
        return float(low) * (1 - spread), float(high) * (1 + spread)


def least_time(side: int, rounds: int = 7, clock: Clock = time.perf_counter) -> float:
    """Return the least of some times of a product on one core, in seconds; the first isn't counted.

    Where other programs run, threads of a product wait for each other far longer than they compute.
    """
    a, b = np.random.default_rng(0).random((2, whole("side", side, 1), side), dtype=np.float32)

    def product() -> None:
        a @ b

    with threadpool_limits(1):
        return float(timed_in_turns([product], rounds, clock=clock).min())


def sweep_products(
    sides: Sequence[int] = SIDES,
    rounds: int = 15,
    clock: Clock = time.perf_counter,
) -> ProductSweep:
    """Time products of random matrices in single precision, all sizes in turn; the least counts."""
    lengths = np.array(sides, dtype=float)
    times = [
        [least_time(side, 1, clock) for side in sides] for _ in range(whole("rounds", rounds, 1))
    ]
    least = np.min(times, axis=0)
    fit = fit_messages(2 * lengths**3, least, breaks=0)
    return ProductSweep(lengths, least, bootstrap_messages(fit))
