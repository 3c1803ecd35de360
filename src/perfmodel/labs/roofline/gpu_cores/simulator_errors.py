"""Error measures of a simulator compared with measurements.

`benchmark_errors` has the errors of two simulators on 128 benchmarks, from the authors' repository
(see the README next to this file).

>>> ErrorSummary.of([1, 2, 4], [1, 2, 8]).worst
1.0
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from perfmodel.shipped_data import shipped_table
from perfmodel.validation import positive, sample


class ErrorLevels(NamedTuple):
    """How large relative errors are, whatever their sign."""

    mean: float
    """Mean absolute relative error (MAPE as a share)."""
    p90: float
    """The absolute relative error that nine in ten stay below."""
    worst: float


def error_levels(errors: ArrayLike) -> ErrorLevels:
    """Return the mean, the ninetieth percentile and the largest of relative errors' sizes.

    >>> error_levels([-0.5, 0.25, 0.0])
    ErrorLevels(mean=0.25, p90=0.45, worst=0.5)
    """
    sizes = np.abs(sample("errors", errors))
    return ErrorLevels(float(sizes.mean()), float(np.quantile(sizes, 0.9)), float(sizes.max()))


@cache
def benchmark_errors() -> pd.DataFrame:
    """Return the simulations' relative errors: a row a benchmark, a column "GPU, simulator".

    >>> print(f"{error_levels(benchmark_errors()['RTX A6000, paper']).mean:.2%}")
    13.45%
    """
    return shipped_table(__package__, "benchmark_errors.csv", index_col="benchmark") / 100


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
        """Summarise pairs of times. Times in any one unit, two or more, not all equal.

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
        return cls(*error_levels(ours / real - 1), float(np.corrcoef(real, ours)[0, 1]))
