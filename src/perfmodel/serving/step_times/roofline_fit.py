"""A roofline fitted to measured steps: an overhead, a rate of arithmetic, a rate of memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, non_negative, positive, sample


@dataclass(frozen=True)
class RooflineFit:
    """Three constants: t = overhead + max(work / peak, moved / bandwidth)."""

    overhead: float
    """Seconds."""
    peak: float
    """FLOP/s that the largest steps reach."""
    bandwidth: float
    """Bytes/s."""

    def seconds(self, work: ArrayLike, moved: ArrayLike) -> Floats:
        """Return the seconds of steps of `work` FLOP that move `moved` bytes, 0 or more.

        >>> RooflineFit(1e-5, 1e14, 1e12).seconds([1e9, 1e9], [1e6, 1e8])
        array([2.0e-05, 1.1e-04])
        """
        compute = non_negative("work", work) / self.peak
        return np.asarray(
            self.overhead + np.maximum(compute, non_negative("moved", moved) / self.bandwidth)
        )


def fit_roofline(work: ArrayLike, moved: ArrayLike, seconds: ArrayLike) -> RooflineFit:
    """Fit overhead and both rates to measured steps, robustly on ln(seconds).

    Parameters
    ----------
    work, moved : array_like, shape (n,)
        FLOP and bytes of each step, above 0; of any kind, if the rates are read accordingly.
    seconds : array_like, shape (n,)
        Measured, above 0. Four steps or more.

    Returns
    -------
    RooflineFit
        Of the least sum of a loss that is quadratic up to errors of a tenth and linear beyond. A
        rate that no step shows (all bound by the other) is only bounded, not found.

    Raises
    ------
    ValueError
        If lengths differ, or a number isn't above 0.

    Examples
    --------
    >>> work, moved = np.geomspace(1e6, 1e12, 40), np.geomspace(1e8, 1e7, 40)
    >>> fit = fit_roofline(work, moved, RooflineFit(2e-5, 8e13, 7e11).seconds(work, moved))
    >>> f"{fit.overhead:.2g} {fit.peak:.2g} {fit.bandwidth:.2g}"
    '2e-05 8e+13 7e+11'
    """
    from scipy.optimize import least_squares

    measured = positive("seconds", sample("seconds", seconds, 4))
    flop, size = positive("work", work), positive("moved", moved)
    if not flop.shape == size.shape == measured.shape:
        raise ValueError(
            f"work and moved must be as long as the {measured.size} seconds, got shapes "
            f"{flop.shape} and {size.shape}"
        )
    logs, bytes_ = np.log(measured), size

    def errors(constants: Floats) -> Floats:
        overhead, operation, byte = np.exp(constants)
        return np.asarray(np.log(overhead + np.maximum(operation * flop, byte * bytes_)) - logs)

    first = np.log([measured.min() / 2, np.min(measured / flop), np.min(measured / size)])
    starts = (first, first + np.log([1.0, 2.0, 0.5]), first + np.log([1.0, 0.5, 2.0]))
    found = [least_squares(errors, start, loss="soft_l1", f_scale=0.1) for start in starts]
    overhead, operation, byte = np.exp(min(found, key=lambda one: float(one.cost)).x)
    return RooflineFit(float(overhead), float(1 / operation), float(1 / byte))
