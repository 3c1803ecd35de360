"""The Execution-Cache-Memory model: cycles for one cache line of work, level by level.

The roofline lets all transfers overlap. On many CPUs a core's transfers between neighbouring levels
do not, neither with each other nor with its own loads and stores; only arithmetic does. For the
work on one cache line of results a core then needs

    T = max(T_OL, T_nOL + T_L1L2 + T_L2L3 + T_L3Mem)

cycles: T_OL for what overlaps with transfers, T_nOL for loads and stores, and then the transfers.
Several cores scale until the memory, which they share, is busy all the time.

After Treibig and Hager, "Introducing a performance model for bandwidth-limited loop kernels", PPAM
2009, and Stengel, Treibig, Hager and Wellein, "Quantifying performance bottlenecks of stencil
computations using the execution-cache-memory model", ICS 2015, whose notation it uses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, sample, whole


@dataclass(frozen=True)
class Ecm:
    """A loop's cycles for one unit of work, as a rule a cache line of results.

    >>> loop = Ecm(overlapping=4, non_overlapping=8, transfers=(10, 10, 18))
    >>> print(loop)
    {4 || 8 | 10 | 10 | 18} cycles
    >>> loop.predictions()
    (8.0, 18.0, 28.0, 46.0)
    """

    overlapping: float
    """Cycles that overlap with transfers, 0 or more: arithmetic, as a rule."""
    non_overlapping: float
    """Cycles of loads and stores between registers and L1."""
    transfers: tuple[float, ...]
    """Cycles of the transfers L1-L2, L2-L3 ..., the last one being that with the memory."""

    def __post_init__(self) -> None:
        """Refuse negative cycles and a hierarchy without levels."""
        non_negative("overlapping", self.overlapping)
        non_negative("non_overlapping", self.non_overlapping)
        non_negative("transfers", sample("transfers", self.transfers))
        if not self.cycles() > 0:
            raise ValueError("cycles must be above 0 somewhere, got all 0")

    def __str__(self) -> str:
        """Return the field's short notation."""
        moving = " | ".join(f"{cycles:g}" for cycles in self.transfers)
        return f"{{{self.overlapping:g} || {self.non_overlapping:g} | {moving}}} cycles"

    def cycles(self, levels: int | None = None) -> float:
        """Return the cycles of one core when the data lie `levels` levels beyond L1.

        Parameters
        ----------
        levels : int
            0 for data in L1, 1 in L2 ...; in memory if not given.

        Raises
        ------
        ValueError
            If there are not this many levels.
        """
        depth = len(self.transfers) if levels is None else whole("levels", levels)
        if depth > len(self.transfers):
            raise ValueError(f"levels must be at most {len(self.transfers)}, got {levels}")
        return max(self.overlapping, self.non_overlapping + sum(self.transfers[:depth]))

    def predictions(self) -> tuple[float, ...]:
        """Return the cycles for data in L1, L2 ... and in memory."""
        return tuple(float(self.cycles(depth)) for depth in range(len(self.transfers) + 1))

    @property
    def saturation_cores(self) -> int:
        """The number of cores that keep the memory busy all the time."""
        if self.transfers[-1] == 0:
            raise ValueError("transfers must include the memory's for a saturation, got 0 cycles")
        return int(np.ceil(self.cycles() / self.transfers[-1] - 1e-12))

    def rate(self, cores: ArrayLike, work: float, clock: float) -> Floats:
        """Return the rate of `cores` cores on data in memory, in units of `work` per second.

        Parameters
        ----------
        cores : array_like
            1 or more.
        work : float
            What a unit of work counts as: FLOP, updates, bytes.
        clock : float
            Hertz.

        Returns
        -------
        ndarray
            min(cores / T, 1 / T_L3Mem) times `work` times `clock`.

        Examples
        --------
        >>> loop = Ecm(4, 8, (10, 10, 18))
        >>> (loop.rate([1, 2, 3, 4], work=8, clock=2.3e9) / 1e9).round(2)
        array([0.4 , 0.8 , 1.02, 1.02])
        """
        scale = float(positive("work", work)) * float(positive("clock", clock))
        alone = positive("cores", cores) / self.cycles()
        if self.transfers[-1] == 0:
            return np.asarray(scale * alone)
        return np.asarray(scale * np.minimum(alone, 1 / self.transfers[-1]))
