"""How far a simulator is from measurements, in numbers that tell different stories.

>>> ErrorSummary.of([1, 2, 4], [1, 2, 8]).worst
1.0
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import positive, sample


@dataclass(frozen=True)
class ErrorSummary:
    """How far simulated times are from measured ones, in four numbers that disagree."""

    mean: float
    """Mean absolute relative error (MAPE as a share)."""
    p90: float
    """The absolute relative error that nine in ten stay below."""
    worst: float
    correlation: float
    """Pearson's, of the times themselves."""

    @classmethod
    def of(cls, measured: ArrayLike, simulated: ArrayLike) -> ErrorSummary:
        """Summarise pairs of times.

        Parameters
        ----------
        measured, simulated : array_like, shape (n,)
            Times in any one unit; measured ones above 0, two or more, not all equal.

        Raises
        ------
        ValueError
            If the samples don't match or have no correlation.

        Examples
        --------
        >>> summary = ErrorSummary.of([1, 2, 4], [1.3, 2.6, 5.2])
        >>> print(f"{summary.mean:.0%} {summary.correlation:.2f}")
        30% 1.00
        """
        real = positive("measured", sample("measured", measured, at_least=2))
        ours = sample("simulated", simulated, at_least=2)
        if real.shape != ours.shape:
            raise ValueError(f"simulated must have {real.size} values, got {ours.size}")
        for name, values in (("measured", real), ("simulated", ours)):
            if np.ptp(values) == 0:
                raise ValueError(f"{name} must not be all equal, got {values[0]:g} throughout")
        errors = np.abs(ours / real - 1)
        return cls(
            float(errors.mean()),
            float(np.quantile(errors, 0.9)),
            float(errors.max()),
            float(np.corrcoef(real, ours)[0, 1]),
        )
