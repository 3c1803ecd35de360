"""Factors of improvement of a suite's programs, which iteration is reported, and their means."""

from __future__ import annotations

import numpy as np

from perfmodel.benchmarking import (
    arithmetic_mean,
    geometric_mean,
    harmonic_mean,
    total_time_ratio,
)
from perfmodel.labs.benchmarking.sysllmatic.inputs import (
    APPLICATIONS,
    KERNEL_METRICS,
    KERNELS,
    METRICS,
)
from perfmodel.validation import Floats, one_of, positive, sample

WORTH = 1.1
"""The factor from which the authors count a program as improved."""


def application_factors(advisor: bool = True) -> Floats:
    """Return how many times better each application became, shape (3, 5), as in `METRICS`.

    Before over after, and after over before for the throughput.

    >>> application_factors().round(3)[:, 0].tolist()
    [3.437, 1.11, 0.992]
    """
    before = np.array([program.before for program in APPLICATIONS])
    after = np.array([p.with_advisor if advisor else p.without_advisor for p in APPLICATIONS])
    factors = before / after
    place = METRICS.index("throughput")
    factors[:, place] = 1 / factors[:, place]
    return np.asarray(factors)


def kernel_factors(chosen_by: str = "energy") -> Floats:
    """Return the factors of the five kernels in the better of two iterations, shape (5, 5).

    Kernel by metric. `chosen_by` is the metric by which each kernel's better iteration is chosen;
    all metrics of a kernel are then those of that iteration.

    >>> kernel_factors()[:, 1].tolist()
    [0.966, 0.847, 2.658, 2.415, 0.871]
    """
    one_of("chosen_by", chosen_by, KERNEL_METRICS)
    place = KERNEL_METRICS.index(chosen_by)
    return np.array([k.factors[np.argmax(k.factors[:, place])] for k in KERNELS])


def improved_share(factors: Floats) -> Floats:
    """Return the share of the programs, over the first axis, that improved by `WORTH` or more."""
    return np.asarray((positive("factors", factors) >= WORTH).mean(axis=0))


def suite_means(factors: Floats, before: Floats) -> dict[str, float]:
    """Return what five summaries say of one suite.

    Arithmetic, geometric and harmonic mean, median, and the ratio of total times, of the programs'
    factors and their seconds `before`.

    >>> means = suite_means([3.437, 1.110, 0.992], [9.597, 5.0, 5.0])
    >>> {name: round(value, 3) for name, value in means.items()}["total time"]
    1.588
    """
    gains = sample("factors", positive("factors", factors))
    times = sample("before", positive("before", before))
    if gains.shape != times.shape:
        raise ValueError(f"before must have shape {gains.shape}, got {times.shape}")
    return {
        "arithmetic": float(arithmetic_mean(gains)),
        "geometric": float(geometric_mean(gains)),
        "harmonic": float(harmonic_mean(gains)),
        "median": float(np.median(gains)),
        "total time": float(total_time_ratio(times, times / gains)),
    }
