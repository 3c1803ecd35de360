"""Factors of improvement of a suite's programs, which iteration is reported, and their means.

Measured programs before and after SysLLMatic changed them, as its authors' result files say.

Quoted as facts from github.com/sysllmatic/sysllmatic, commit a358b176, folder eval/EQ1, which
states no licence; nothing else of it is given here. The three applications are of the suite DaCapo
(eval/EQ1/dacapo/Dacapobench data.csv), the five kernels SciMark's (eval/EQ1/scimark).

Source: H. Peng and others, "SysLLMatic: Large language models are software system optimizers",
arXiv:2506.01249, 2025.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perfmodel.benchmarking import (
    arithmetic_mean,
    geometric_mean,
    harmonic_mean,
    total_time_ratio,
)
from perfmodel.validation import Floats, one_of, positive, sample

METRICS = ("latency", "throughput", "energy", "CPU cycles", "memory")
"""Seconds, operations per second, joules, cycles, and the peak in the authors' unit (kB)."""


class Program(NamedTuple):
    """One application, the columns those of `METRICS`."""

    name: str
    before: Floats
    with_advisor: Floats
    without_advisor: Floats


APPLICATIONS = (
    Program(
        "BioJava",
        np.array([9.597, 326.652, 460.373, 48_039_280_122, 2_300_462.4]),
        np.array([2.792, 1511.876, 206.567, 101_164_943_603, 2_123_712]),
        np.array([7.654654, 424.837, 364.1560913, 39_525_706_706, 3_671_777.6]),
    ),
    Program(
        "PMD",
        np.array([5.268076, 129.923, 709.224, 359_836_628_687, 21_077.6]),
        np.array([4.74748, 145.499, 611.7454468, 286_258_621_123, 21_048.8]),
        np.array([4.847464, 142.047, 625.0323853, 297_504_765_283, 2_043_803.2]),
    ),
    Program(
        "GraphChi",
        np.array([10.87316, 161_938.075, 656.6467407, 226_148_781_534, 1_852_095.2]),
        np.array([10.95584, 159_255.956, 669.0943481, 239_629_479_659, 1_502_057.6]),
        np.array([10.78978, 163_073.611, 662.2840454, 230_562_722_313, 1_767_884.8]),
    ),
)

KERNEL_METRICS = ("energy", "latency", "CPU cycles", "memory", "MFLOP/s")


class Kernel(NamedTuple):
    """One kernel of SciMark: its time, and the factors that two iterations of the tool reached."""

    name: str
    seconds: float
    """Latency before."""
    factors: Floats
    """Shape (2, 5): iteration by `KERNEL_METRICS`; above 1 is better."""


KERNELS = (
    Kernel(
        "FFT",
        0.447,
        np.array(
            [
                [0.995, 0.966, 1.0024560412541355, 0.99497303347919, 1.0007815435485083],
                [0.873, 0.879, 0.8324625397592084, 0.8222620279032218, 0.7008191177575712],
            ]
        ),
    ),
    Kernel(
        "LU",
        0.39,
        np.array(
            [
                [0.75, 0.989, 0.9432938636851357, 1.0020540650200334, 1.094328481877703],
                [0.962, 0.847, 0.23693322227339267, 0.918195443296813, 1.2058383958059882],
            ]
        ),
    ),
    Kernel(
        "MonteCarlo",
        16.597,
        np.array(
            [
                [2.409, 2.537, 2.59121862477552, 0.9820221943861258, 0.5870236869207003],
                [2.561, 2.658, 2.7194758093924833, 0.99870814942405, 0.6369072860864222],
            ]
        ),
    ),
    Kernel(
        "SOR",
        2.32,
        np.array(
            [
                [2.14, 2.415, 2.748940816045708, 1.0077663048274645, 3.3085138279244917],
                [1.026, 1.002, 0.99918599542813, 0.997675962815405, 0.988870499628217],
            ]
        ),
    ),
    Kernel(
        "Sparse",
        4.491,
        np.array(
            [
                [0.692, 0.746, 0.8016240765673384, 0.9918387362300567, 0.8192564700072531],
                [0.869, 0.871, 0.869775249042009, 0.9920124717546288, 0.7718946280035185],
            ]
        ),
    ),
)


WORTH = 1.1
"""The factor from which the authors count a program as improved."""


def application_factors(advisor: bool = True) -> Floats:
    """Return how many times better each application became, shape (3, 5), as in `METRICS`."""
    before = np.array([program.before for program in APPLICATIONS])
    after = np.array([p.with_advisor if advisor else p.without_advisor for p in APPLICATIONS])
    factors = before / after
    index = METRICS.index("throughput")
    factors[:, index] = 1 / factors[:, index]
    return np.asarray(factors)


def kernel_factors(chosen_by: str = "energy") -> Floats:
    """Return the factors of the five kernels in the better of two iterations, shape (5, 5).

    Kernel by metric. `chosen_by` is the metric by which each kernel's better iteration is chosen;
    all metrics of a kernel are then those of that iteration.

    >>> kernel_factors()[:, 1].tolist()
    [0.966, 0.847, 2.658, 2.415, 0.871]
    """
    one_of("chosen_by", chosen_by, KERNEL_METRICS)
    index = KERNEL_METRICS.index(chosen_by)
    return np.array([k.factors[np.argmax(k.factors[:, index])] for k in KERNELS])


def improved_fraction(factors: Floats) -> Floats:
    """Return the share of the programs, over the first axis, that improved by `WORTH` or more."""
    return np.asarray((positive("factors", factors) >= WORTH).mean(axis=0))


def suite_means(factors: Floats, before: Floats) -> dict[str, float]:
    """Return the programs' three means, their median, and the ratio of total times.

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
