"""A made-up trace of transfers over a shared network, each with a cheap probe of the bandwidth.

No trace of the paper is public. In this surrogate the probe sees the route's changing bandwidth. It
doesn't see a change half-way, and transfers have noise of their own.

>>> trace = surrogate(seed=0)
>>> trace.time.size, trace.gain[[0, 599]].tolist()
(600, [1.0, 0.6])
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.validation import Floats, non_negative, positive, whole

if TYPE_CHECKING:
    import pandas as pd

MBIT = 1e6 / 8
"""Bytes/s in a Mbit/s."""

SIZES = (8e6, 16e6, 32e6, 64e6)
"""Bytes of the files that are asked for."""

REGIMES = tuple(MBIT * rate for rate in (8, 3, 12, 5, 2, 9))
"""Bytes/s that the route gives for a sixth of the requests each."""

START_UP = 1.5
"""Seconds before the first byte."""


@dataclass(frozen=True, eq=False)
class Transfers:
    """Transfers in the order of their requests, arrays of shape (n,)."""

    size: Floats
    """Bytes."""
    bandwidth: Floats
    """Bytes/s that the route really gave; no predictor may see it."""
    probe: Floats
    """Bytes/s that the probe reported just before the transfer."""
    gain: Floats
    """Share of the bandwidth that the application gets; no predictor may see it."""
    time: Floats
    """Seconds that the transfer took."""

    @property
    def ideal(self) -> Floats:
        """Seconds at the probe's bandwidth: size over probe."""
        return self.size / self.probe


def surrogate(
    seed: int,
    gains: Sequence[float] = (1.0, 0.6),
    probe_noise: float = 0.10,
    sizes: ArrayLike | None = None,
    count: int = 600,
) -> Transfers:
    """Make up a trace of `count` requests, a multiple of the number of regimes and of gains.

    The bandwidth is the regime's bandwidth times exp(a), with a(i) = 0.9 a(i - 1) + 0.1 N(0, 1).
    The probe is the bandwidth times exp(`probe_noise` N(0, 1)). A transfer takes the start-up plus
    size / (gain x bandwidth) times exp(0.05 N(0, 1)). The gains are the fractions of the bandwidth
    that the application gets, each for an equal part of the trace. If no sizes in bytes are given,
    they are drawn from `SIZES`.
    """
    share, noise = positive("gains", gains), float(non_negative("probe_noise", probe_noise))
    n = whole("count", count, len(REGIMES))
    if n % len(REGIMES) or n % share.size:
        raise ValueError(
            f"count must be a multiple of {len(REGIMES)} regimes and {share.size} gains, got {n}"
        )
    rng = np.random.default_rng(seed)
    drift = np.zeros(n)
    for i in range(1, n):
        drift[i] = 0.9 * drift[i - 1] + 0.1 * rng.standard_normal()
    bandwidth = np.repeat(REGIMES, n // len(REGIMES)) * np.exp(drift)
    probe = bandwidth * np.exp(noise * rng.standard_normal(n))
    drawn = rng.choice(SIZES, n)
    size = drawn if sizes is None else positive("sizes", sizes)
    gain = np.repeat(share, n // share.size)
    spread = np.exp(0.05 * rng.standard_normal(n))
    return Transfers(size, bandwidth, probe, gain, START_UP + size / (gain * bandwidth) * spread)


def table(trace: Transfers) -> Dataset:
    """Return the trace as a data set for the arena: one row a transfer, its number among them."""
    import pandas as pd

    features: pd.DataFrame = pd.DataFrame(
        {
            "request": np.arange(1.0, trace.time.size + 1),
            "size": trace.size,
            "probe": trace.probe,
            "ideal": trace.ideal,
        }
    )
    return Dataset(
        "transfers",
        features,
        {"request": "1", "size": "B", "probe": "B/s", "ideal": "s"},
        trace.time,
        "time",
        "s",
        "a surrogate made by this project; no measurement",
        "MIT",
    )


def copies(
    count: int = 80, seed: int = 1, clock: Callable[[], float] = time.perf_counter
) -> Transfers:
    """Measure copies in this machine's memory, each after a probe with a small copy.

    The probe is the quickest of five copies of 256 KiB, which the caches hold; the transfer copies
    4 to 32 MiB, their sizes drawn from `seed`. From half-way on, the transfer also turns the data's
    order round, a change that the probe does not see. `bandwidth` and `gain` are what the transfer
    got: bytes over time, and that over the probe.
    """
    n = whole("count", count, 4)
    kib = 1024
    size = np.random.default_rng(seed).choice([4, 8, 16, 32], n) * float(kib**2)
    # Filled, so that no copy pays for the first touch of a page.
    small, large, to_small, to_large = (np.ones(words * kib) for words in (32, 4096, 32, 4096))
    probe, took = np.empty(n), np.empty(n)
    for i in range(n):
        ticks = []
        for _ in range(5):
            start = clock()
            np.copyto(to_small, small)
            ticks.append(clock() - start)
        words = int(size[i]) // 8
        source = large[:words] if i < n // 2 else large[:words][::-1]
        start = clock()
        np.copyto(to_large[:words], source)
        took[i], probe[i] = clock() - start, small.nbytes / min(ticks)
    return Transfers(size, size / took, probe, size / took / probe, took)
