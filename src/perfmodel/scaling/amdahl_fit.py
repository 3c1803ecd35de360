"""The serial fraction behind measured speedups, with how sure the measurements make us of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.scaling.laws import karp_flatt
from perfmodel.validation import Floats, at_least, one_number, positive, sample


@dataclass(frozen=True)
class SerialFractionFit:
    """A serial fraction fitted to measured speedups by `fit_serial_fraction`."""

    serial_fraction: float
    """The estimate, clipped to [0, 1]."""
    unclipped: float
    """The least-squares estimate as it came out, a share of the base's time; below 0 when
    superlinear runs outweigh others."""
    standard_error: float
    """Standard error of `unclipped`."""
    interval: tuple[float, float]
    """Confidence interval of the serial fraction, clipped to [0, 1]."""
    confidence: float
    residuals: Floats
    """Measured minus fitted T(p) / T(1) of each run on two or more processors, in the order given,
    against the unclipped fit."""
    karp_flatt: Floats
    """Serial fraction that each of these runs gives alone; a rise with p is overhead that
    Amdahl's law has no term for."""
    superlinear: tuple[float, ...]
    """Processor counts of the runs whose speedup exceeds the processors, which no serial fraction
    explains."""

    @property
    def clipped(self) -> bool:
        """Whether the least-squares estimate fell outside [0, 1]."""
        return not 0 <= self.unclipped <= 1


def fit_serial_fraction(
    processors: ArrayLike, speedups: ArrayLike, confidence: float = 0.95, base: float = 1.0
) -> SerialFractionFit:
    """Fit Amdahl's serial fraction to measured speedups by least squares on 1/S.

    1/S = T(p)/T(1) = s + (1 - s)/p is linear in s, so the estimate has a closed form. Noise is
    taken to be independent, of mean 0 and of one variance on T(p)/T(1), and T(1) to be known
    exactly; an error in T(1) is shared by all speedups and this interval does not contain it.
    Runs on the base say nothing about s and are left out.

    Parameters
    ----------
    processors : array_like, shape (n,)
        Processors of each run, `base` or more; counts may repeat. Two runs or more on twice the
        base or more.
    speedups : array_like, shape (n,)
        Measured T(base) / T(p), above 0.
    confidence : float
        Level of the interval (Student's t), above 0 and below 1.
    base : float
        Processors of the run that speedups are relative to, 1 or more. The serial fraction is that
        of one processor's time in any case: a base of many knows it badly.

    Returns
    -------
    SerialFractionFit
        Estimate and interval clipped to [0, 1], and the unclipped estimate, its standard error,
        residuals and any superlinear runs.

    Examples
    --------
    >>> fit = fit_serial_fraction([1, 2, 4, 8], [1.0, 1.80, 3.05, 4.75])
    >>> round(fit.serial_fraction, 3), [round(end, 3) for end in fit.interval]
    (0.102, [0.087, 0.117])
    """
    start = one_number("base", base, partial(at_least, low=1))
    p = at_least("processors", sample("processors", processors), start) / start
    measured = positive("speedups", sample("speedups", speedups))
    if p.size != measured.size:
        raise ValueError(
            f"speedups must have one value for each of the {p.size} processors, got {measured.size}"
        )
    check_level(confidence)
    p, measured = p[p > 1], measured[p > 1]
    if p.size < 2 or p.min() < 2:
        raise ValueError(
            f"processors must hold 2 or more runs on {2 * start:g} or more processors, "
            f"got {processors!r}"
        )
    return _least_squares(p, measured, confidence, start)


def _least_squares(
    p: Floats, measured: Floats, confidence: float, base: float
) -> SerialFractionFit:
    slope, rise = 1 - 1 / p, 1 / measured - 1 / p
    estimate = float(slope @ rise / (slope @ slope))
    residuals = rise - slope * estimate
    freedom = p.size - 1
    error = float(np.sqrt(residuals @ residuals / freedom / (slope @ slope)))
    half = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    low, middle, high = _of_one(np.clip([estimate - half, estimate, estimate + half], 0, 1), base)
    return SerialFractionFit(
        serial_fraction=float(middle),
        unclipped=estimate,
        standard_error=error,
        interval=(float(low), float(high)),
        confidence=confidence,
        residuals=residuals,
        karp_flatt=karp_flatt(measured, p),
        superlinear=tuple((base * p[measured > p]).tolist()),
    )


def _of_one(fraction: Floats, base: float) -> Floats:
    """Return the serial fraction of one processor's time from that of `base` processors' time."""
    return np.asarray(fraction / (fraction + base * (1 - fraction)))
