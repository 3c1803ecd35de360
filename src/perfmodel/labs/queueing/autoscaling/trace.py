"""A made trace of requests: a day's swing, slow noise and bursts.

The rate of a minute is the day's profile times a random factor. The factor's logarithm has memory
(an autoregression of the first order), and now and then a burst adds a jump that decays.

Sources: C. L. Abad, talk at TeaPACS 2024, on why a workload needs a model; P. A. W. Lewis,
G. S. Shedler, "Simulation of nonhomogeneous Poisson processes by thinning", Naval Research
Logistics 26(3), 1979.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.signal import lfilter

from perfmodel.validation import Floats, non_negative, positive, sample, whole, within

MINUTES = 1440
"""Minutes of a day, each with a rate of its own."""


@dataclass(frozen=True)
class DayPattern:
    """What makes the rate of each minute."""

    base: float = 1.2
    """Requests per second that the profile has on average over a day."""
    swing: float = 0.5
    """How far the profile goes above and below its mean, as a share of it, 0 to below 1."""
    noise: float = 0.1
    """Standard deviation of the logarithm of the slow random factor, 0 or more."""
    memory: float = 0.98
    """Correlation of the factor with that of a minute ago, 0 to below 1."""
    bursts: float = 2.0
    """Bursts a day, 0 or more."""
    burst: float = 0.6
    """What a burst adds to the logarithm of the rate at first, 0 or more."""
    fading: float = 15.0
    """Minutes after which a burst has faded to 1/e of its size, above 0."""

    def __post_init__(self) -> None:
        positive("base", self.base)
        for name in ("swing", "memory"):
            within(name, getattr(self, name), 0, np.nextafter(1, 0))
        for name in ("noise", "bursts", "burst"):
            non_negative(name, getattr(self, name))
        positive("fading", self.fading)

    def profile(self) -> Floats:
        """Return the mean rate of each minute of a day, lowest at 4 and highest at 16 hours."""
        phase = 2 * np.pi * (np.arange(MINUTES) + 0.5) / MINUTES
        return np.asarray(self.base * (1 - self.swing * np.cos(phase - np.pi / 3)))


def drawn_rates(pattern: DayPattern, days: int, rng: np.random.Generator) -> Floats:
    """Draw the rate of each minute of `days` days, in requests per second.

    >>> calm = DayPattern(noise=0.0, bursts=0.0)
    >>> rates = drawn_rates(calm, 1, np.random.default_rng(1))
    >>> print(rates.min().round(2), rates.max().round(2))
    0.6 1.8
    """
    minutes = whole("days", days, low=1) * MINUTES
    shocks = pattern.noise * np.sqrt(1 - pattern.memory**2) * rng.normal(size=minutes)
    shocks[0] = pattern.noise * rng.normal()
    jumps = pattern.burst * rng.poisson(pattern.bursts / MINUTES, minutes)
    slow = lfilter([1.0], [1.0, -pattern.memory], shocks)
    bursts = lfilter([1.0], [1.0, -np.exp(-1 / pattern.fading)], jumps)
    return np.asarray(np.tile(pattern.profile(), int(days)) * np.exp(slow + bursts))


def drawn_arrivals(rates: ArrayLike, step: float, rng: np.random.Generator) -> Floats:
    """Draw the instants of a Poisson stream whose rate changes from step to step, by thinning.

    They are in seconds from the start, in order; `rates` are in requests per second, not all 0.

    >>> bool(drawn_arrivals([0.0, 5.0], 100.0, np.random.default_rng(1)).min() > 100)
    True
    """
    rate, length = non_negative("rates", sample("rates", rates)), float(positive("step", step))
    highest = float(positive("the largest of rates", rate.max()))
    candidates = np.sort(
        rng.uniform(0, rate.size * length, rng.poisson(highest * rate.size * length))
    )
    accepted = rng.uniform(0, highest, candidates.size) < rate[(candidates / length).astype(int)]
    return np.asarray(candidates[accepted])
