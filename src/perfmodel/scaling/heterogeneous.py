"""Chips of a few big and many small cores, under dynamic scheduling.

A chip of n base-core equivalents (BCE) has b big cores of r BCE and n - b r small ones. Serial code
runs on one big core at a time, parallel code on the small cores only, and idle cores are off. The
asymmetric chip of `perfmodel.scaling.multicore` has one big core, which helps in parallel
code too. A ValueError is raised if an argument is outside its range or not finite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.scaling.multicore import core_performance
from perfmodel.validation import Floats, at_least, finite, within


@dataclass(frozen=True)
class HeterogeneousChip:
    """A chip of b big cores and the small cores that fit next to them; fields broadcast.

    >>> HeterogeneousChip(budget=64, core_size=4, big_cores=[1, 2]).small_cores
    array([60., 56.])
    """

    budget: ArrayLike
    """Area n in base-core equivalents (BCE)."""
    core_size: ArrayLike
    """Area r of a big core in BCE, 1 or more."""
    big_cores: ArrayLike
    """Number b of big cores, 1 or more."""

    def __post_init__(self) -> None:
        """Refuse a chip without room for a small core."""
        room = at_least("budget", self.budget, 1) - at_least("core_size", self.core_size, 1) * (
            at_least("big_cores", self.big_cores, 1)
        )
        if not (room >= 1).all():
            raise ValueError(
                f"big_cores x core_size must leave 1 BCE or more of the budget, got "
                f"{self.big_cores!r} x {self.core_size!r} of {self.budget!r}"
            )

    @property
    def small_cores(self) -> Floats:
        """Number n - b r of small cores."""
        return finite("budget", self.budget) - np.multiply(self.big_cores, self.core_size)


class Phases(NamedTuple):
    """Durations of the serial and the parallel phase, in units of the work on a base core."""

    serial: Floats
    parallel: Floats


def phase_durations(parallel_fraction: ArrayLike, chip: HeterogeneousChip) -> Phases:
    """Return the durations (1-f)/s and f/(n - b r) of the two phases, relative to one base core's.

    Parameters
    ----------
    parallel_fraction : array_like
        Share f of the time on one base core that divides over the small cores, from 0 to 1.
    chip : HeterogeneousChip
        Its big cores run at s = sqrt(r).

    Examples
    --------
    >>> serial, parallel = phase_durations(0.9, HeterogeneousChip(64, 4, 2))
    >>> print(serial.round(3), parallel.round(6))
    0.05 0.016071
    """
    f = within("parallel_fraction", parallel_fraction, 0, 1)
    return Phases((1 - f) / core_performance(chip.core_size), f / chip.small_cores)


def heterogeneous_speedup(parallel_fraction: ArrayLike, chip: HeterogeneousChip) -> Floats:
    """Return the speedup relative to one base core, 1 / ((1-f)/s + f/(n - b r)).

    `parallel_fraction` and `chip` are as for `phase_durations`.

    Examples
    --------
    >>> print(heterogeneous_speedup(0.9, HeterogeneousChip(64, 4, [1, 2, 4, 8])).round(2))
    [15.38 15.14 14.55 12.8 ]
    """
    return 1 / np.add(*phase_durations(parallel_fraction, chip))
