"""Failures of a chip with big and small cores, per unit of work and of time (Song et al., Eq. 23).

A chip of n base-core equivalents (BCE) has b big cores of r BCE and n - b r small ones
(`perfmodel.scaling.heterogeneous`). The rates at which its cores fail are given here;
`perfmodel.labs.scaling.amdahl_reliability.ageing` has them follow from heat.

Source: W. J. Song, S. Mukhopadhyay and S. Yalamanchili, "Amdahl's law for lifetime reliability
scaling in heterogeneous multicore processors", HPCA 2016, pp. 594-605. The reading of its symbols
(s as the big core's speed sqrt(r), failures per unit of work) is our interpretation and passes the
check of dimensions. A ValueError is raised if an argument is outside its range or not finite.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.scaling.heterogeneous import (
    HeterogeneousChip,
    heterogeneous_speedup,
    phase_durations,
)
from perfmodel.scaling.multicore import core_performance
from perfmodel.validation import Floats, positive, within


class Failures(NamedTuple):
    """Failures per unit of work that big and small cores contribute: the terms of Eq. 23."""

    big: Floats
    small: Floats


def failures_per_work(
    parallel_fraction: ArrayLike,
    chip: HeterogeneousChip,
    big_rate: ArrayLike,
    small_rate: ArrayLike,
) -> Failures:
    """Return the two terms of Eq. 23, failures per unit of work of big and of small cores.

    lambda = (1-f)/s * lambda_big/b + f/(n - b r) * (n - b r) * lambda_small. The second term does
    not depend on the design. A strict sum over the b big cores, each on for 1/b of the serial
    phase, would cancel the first term's 1/b; what rotation then buys is temperature (`ageing`).
    Their sum is the chip's.

    Parameters
    ----------
    parallel_fraction : array_like
        Share f of the time on one base core that divides over the small cores, from 0 to 1.
    chip : HeterogeneousChip
        Cores of the chip.
    big_rate, small_rate : array_like
        Failure rate of one big core in serial phases and of one small core in parallel phases,
        above 0, in failures per time of a unit of work on a base core. All broadcast.

    Examples
    --------
    >>> chip = HeterogeneousChip(64, 4, [1, 2, 4])
    >>> big, small = failures_per_work(0.9, chip, big_rate=6, small_rate=1)
    >>> print(big.round(3), small.round(3))
    [0.3   0.15  0.075] [0.9 0.9 0.9]
    """
    serial, parallel = phase_durations(parallel_fraction, chip)
    big = serial * positive("big_rate", big_rate) / positive("big_cores", chip.big_cores)
    return Failures(big, parallel * chip.small_cores * positive("small_rate", small_rate))


def failure_rate(
    parallel_fraction: ArrayLike,
    chip: HeterogeneousChip,
    big_rate: ArrayLike,
    small_rate: ArrayLike,
) -> Floats:
    """Return failures per unit of time: those per unit of work times the speedup.

    `parallel_fraction`, `chip`, `big_rate` and `small_rate` are as for `failures_per_work`.

    Examples
    --------
    >>> chip = HeterogeneousChip(64, 4, big_cores=2)
    >>> print(failure_rate(0.9, chip, big_rate=6, small_rate=1).round(2))
    15.89
    """
    per_work = np.add(*failures_per_work(parallel_fraction, chip, big_rate, small_rate))
    return per_work * heterogeneous_speedup(parallel_fraction, chip)


def smallest_big_cores(
    parallel_fraction: float,
    core_size: float,
    big_rate: float,
    small_rate: float,
    failure_fraction: float,
) -> int:
    """Return the fewest big cores with at most `failure_fraction` of the failures per unit of work.

    The `parallel_fraction` f is above 0, a big core has a `core_size` of r BCE, and `big_rate` and
    `small_rate` are as for `failures_per_work`. Whether this many fit is for `HeterogeneousChip` to
    say.

    Examples
    --------
    >>> smallest_big_cores(0.9, core_size=4, big_rate=6, small_rate=1, failure_fraction=0.1)
    3
    """
    f = within("parallel_fraction", positive("parallel_fraction", parallel_fraction), 0, 1)
    limit = within("failure_fraction", positive("failure_fraction", failure_fraction), 0, 1)
    of_one = (1 - f) / core_performance(core_size) * positive("big_rate", big_rate)
    needed = of_one * (1 - limit) / (limit * f * positive("small_rate", small_rate))
    return max(1, int(np.ceil(needed - 1e-9)))
