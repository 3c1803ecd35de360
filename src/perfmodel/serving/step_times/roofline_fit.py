"""A roofline fitted to measured steps: an overhead, a rate of arithmetic, a rate of memory.

Steps that are all bound by memory show only that the peak is above the rate that they reached. Such
a rate comes out infinite, with an interval that is open above, and the fit refuses to predict steps
for which that rate would decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, log

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.measurement.statistics.profiles import profile_end
from perfmodel.validation import Floats, non_negative, one_of, positive, sample

_NAMES = ("overhead", "peak", "bandwidth")
_EXACT = 1e-6
"""Relative error of a time that counts as none."""
_FAR = log(1e3)
"""How far a constant is followed: a factor of 1,000."""
_SURE = 0.975


@dataclass(frozen=True)
class RooflineFit:
    """Three constants: t = overhead + max(work / peak, moved / bandwidth)."""

    overhead: float
    """Seconds."""
    peak: float
    """FLOP/s that the largest steps reach; infinite where no step shows it."""
    bandwidth: float
    """Bytes/s; infinite where no step shows it."""
    steps: tuple[Floats, Floats, Floats] | None = None
    """Work, bytes and seconds of the steps it was fitted to, if it was."""

    def seconds(self, work: ArrayLike, moved: ArrayLike) -> Floats:
        """Return the seconds of steps of `work` FLOP that move `moved` bytes, 0 or more.

        Raises
        ------
        ValueError
            If a rate that the fitted steps left open would decide.

        Examples
        --------
        >>> RooflineFit(1e-5, 1e14, 1e12).seconds([1e9, 1e9], [1e6, 1e8])
        array([2.0e-05, 1.1e-04])
        """
        compute = non_negative("work", work) / self.peak
        transfer = non_negative("moved", moved) / self.bandwidth
        if self.steps is not None:
            self._refuse_open("work", work, self.peak, "peak", transfer)
            self._refuse_open("moved", moved, self.bandwidth, "bandwidth", compute)
        return np.asarray(self.overhead + np.maximum(compute, transfer))

    def interval(self, name: str, confidence: float = 0.95) -> tuple[float, float]:
        """Return the profile interval of a constant; an end is infinite, or 0, where it is open.

        Parameters
        ----------
        name : str
            `overhead`, `peak` or `bandwidth`.
        confidence : float
            Above 0 and below 1.

        Raises
        ------
        ValueError
            If the constants were given, not fitted.
        """
        place = _NAMES.index(one_of("name", name, _NAMES))
        if self.steps is None:
            raise ValueError("the constants must be fitted to have an interval, these were given")
        logs = _internal(self.overhead, self.peak, self.bandwidth)
        most = float(stats.t.ppf((1 + check_level(confidence)) / 2, self.steps[0].size - 3))
        ends = self._ends(logs, place, most)
        if place == 0:
            return float(np.exp(ends[0])), float(np.exp(ends[1]))
        return float(np.exp(-ends[1])), float(np.exp(-ends[0]))

    def _ends(self, logs: Floats, place: int, most: float) -> tuple[float, float]:
        assert self.steps is not None
        work, moved, seconds = self.steps
        spread = _deviation(logs, work, moved, seconds)

        def profile(value: float, start: Floats) -> tuple[float, Floats]:
            held = start.copy()
            held[place] = value
            found, cost = _least(held, work, moved, seconds, fixed=place)
            return float(np.sqrt(2 * max(cost - best, 0.0)) / spread), found

        best = _cost(logs, work, moved, seconds)
        if np.isinf(logs[place]):
            # Nothing shows it: walk up from half of what the step that used it most has time for.
            start = logs.copy()
            start[place] = np.log(np.min(seconds / (seconds, work, moved)[place])) - log(2)
            inside = (float(start[place]), 0.0, start)
            return -inf, profile_end(profile, inside, 1, 0.05, _FAR, most)
        step = max(spread / 2, 1e-3)
        inside = (float(logs[place]), 0.0, logs)
        low, high = (profile_end(profile, inside, side, step, _FAR, most) for side in (-1, 1))
        return low, high

    def _refuse_open(
        self, name: str, amount: ArrayLike, rate: float, of: str, other: Floats
    ) -> None:
        if np.isfinite(rate):
            return
        least = self._least_rate[of]
        decides = np.asarray(amount, dtype=float) / least > other + 0.1 * self.overhead
        if decides.any():
            raise ValueError(
                f"{name} must be small enough that the {of} doesn't matter: the fitted steps show "
                f"only that it is {least:.3g} or more; fit to steps that it binds"
            )

    @cached_property
    def _least_rate(self) -> dict[str, float]:
        return {name: self.interval(name)[0] for name in _NAMES[1:]}


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
        rate without which the steps are fitted as well is infinite; any rate above its interval's
        lower end fits.

    Raises
    ------
    ValueError
        If lengths differ, a number isn't above 0, or work and bytes go together in all steps, so
        that either rate explains them.

    Examples
    --------
    >>> work, moved = np.geomspace(1e6, 1e12, 40), np.geomspace(1e8, 1e7, 40)
    >>> fit = fit_roofline(work, moved, RooflineFit(2e-5, 8e13, 7e11).seconds(work, moved))
    >>> f"{fit.overhead:.2g} {fit.peak:.2g} {fit.bandwidth:.2g}"
    '2e-05 8e+13 7e+11'
    >>> noise = 1 + 0.01 * (-1) ** np.arange(40)
    >>> fit = fit_roofline(np.full(40, 1e6), moved, (1e-5 + moved / 7e11) * noise)
    >>> fit.peak, fit.interval("peak")[1]
    (inf, inf)
    """
    measured = positive("seconds", sample("seconds", seconds, 4))
    flop, size = positive("work", work), positive("moved", moved)
    if not flop.shape == size.shape == measured.shape:
        raise ValueError(
            f"work and moved must be as long as the {measured.size} seconds, got shapes "
            f"{flop.shape} and {size.shape}"
        )
    steps = (flop, size, measured)
    first = np.log([measured.min() / 2, np.min(measured / flop), np.min(measured / size)])
    starts = (first, first + np.log([1.0, 2.0, 0.5]), first + np.log([1.0, 0.5, 2.0]))
    logs = min((_least(start, *steps)[0] for start in starts), key=lambda u: _cost(u, *steps))
    allowed = float(stats.t.ppf(_SURE, measured.size - 3)) * _deviation(logs, *steps)
    most = _cost(logs, *steps) + allowed**2 / 2
    open_ones = []
    for place in (1, 2):
        without = logs.copy()
        without[place] = -inf
        found, cost = min(
            (
                _least(np.where(np.isinf(without), -inf, start), *steps, fixed=place)
                for start in (logs, *starts)
            ),
            key=lambda pair: pair[1],
        )
        if cost <= most:
            open_ones.append((place, found))
    if len(open_ones) == 2:
        neither = logs.copy()
        neither[1:] = -inf
        found, cost = _least(neither, *steps, fixed=1)
        if cost > most:
            raise ValueError(
                "work and moved must not go together: either rate alone explains these steps; "
                "add steps of another operational intensity"
            )
        logs = found
    elif open_ones:
        logs = open_ones[0][1]
    overhead, operation, byte = np.exp(logs)
    with np.errstate(divide="ignore"):
        peak, bandwidth = np.divide(1.0, [operation, byte])
    return RooflineFit(float(overhead), float(peak), float(bandwidth), steps)


def _internal(overhead: float, peak: float, bandwidth: float) -> Floats:
    """Return the logarithms of the overhead and of the seconds an operation and a byte take."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log([overhead, 1 / peak, 1 / bandwidth]))


def _errors(logs: Floats, work: Floats, moved: Floats, seconds: Floats) -> Floats:
    overhead, operation, byte = np.exp(logs)
    return np.asarray(np.log(overhead + np.maximum(operation * work, byte * moved) + 1e-300)) - (
        np.log(seconds)
    )


def _cost(logs: Floats, work: Floats, moved: Floats, seconds: Floats) -> float:
    """Return half the sum of the losses: quadratic up to a tenth, linear beyond."""
    errors = _errors(logs, work, moved, seconds)
    return float(0.01 * (np.sqrt(1 + (errors / 0.1) ** 2) - 1).sum())


def _deviation(logs: Floats, work: Floats, moved: Floats, seconds: Floats) -> float:
    spare = seconds.size - 3
    return max(float(np.sqrt(2 * _cost(logs, work, moved, seconds) / spare)), _EXACT)


def _least(
    start: Floats, work: Floats, moved: Floats, seconds: Floats, fixed: int | None = None
) -> tuple[Floats, float]:
    """Return the best constants from a start, one of them held, and their cost."""
    from scipy.optimize import least_squares

    free = np.isfinite(start)
    if fixed is not None:
        free[fixed] = False

    def errors(values: Floats) -> Floats:
        logs = start.copy()
        logs[free] = values
        return _errors(logs, work, moved, seconds)

    found = least_squares(errors, start[free], loss="soft_l1", f_scale=0.1)
    logs = start.copy()
    logs[free] = found.x
    return logs, _cost(logs, work, moved, seconds)
