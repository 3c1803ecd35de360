"""Gunther's Universal Scalability Law: contention bends a throughput curve, coherency turns it.

A queue of writers behind one lock is contention: it costs in proportion to the load. Everyone
telling everyone else what changed is coherency: it costs in proportion to the pairs, so that
beyond some load more users or processors get less done. A ValueError is raised if an argument is
outside its range or not finite.

Source: N. J. Gunther, "Guerrilla Capacity Planning", Springer, 2007, chapters 4-6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares, nnls
from scipy.special import stdtrit

from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.measurement.statistics.least_squares import products_inverse
from perfmodel.validation import Floats, at_least, non_negative, positive, sample, within

MAX_EXTRAPOLATION = 2.0
"""Times the largest load measured up to which the law's own interval is believed."""
_NAMES = ("rate_one", "contention", "coherency")


class UslPeak(NamedTuple):
    """Where throughput is highest: the load, and the throughput there."""

    load: Floats
    throughput: Floats


class UslBand(NamedTuple):
    """Predicted throughput with the ends of its interval, in the unit of `rate_one`."""

    throughput: Floats
    low: Floats
    high: Floats


def usl_throughput(
    load: ArrayLike, rate_one: ArrayLike, contention: ArrayLike, coherency: ArrayLike
) -> Floats:
    """Return the throughput in jobs/s, lambda N / (1 + sigma (N - 1) + kappa N (N - 1)).

    Parameters
    ----------
    load : array_like
        Processors or concurrent users N, 1 or more. All four arguments broadcast.
    rate_one : array_like
        Throughput lambda at N = 1, in jobs per second, above 0.
    contention : array_like
        sigma, the share of the work that is done one at a time, from 0 to 1.
    coherency : array_like
        kappa, the cost that each user pays for every other one, 0 or more; at 0 this is Amdahl's
        law with serial fraction sigma, times lambda.

    Examples
    --------
    >>> print(usl_throughput([1, 5], 100.0, 0.05, 0.01).round(1))
    [100.  357.1]
    """
    n = at_least("load", load, 1)
    rate = positive("rate_one", rate_one)
    sigma = within("contention", contention, 0, 1)
    kappa = non_negative("coherency", coherency)
    return rate * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def usl_peak(contention: ArrayLike, coherency: ArrayLike, rate_one: ArrayLike = 1.0) -> UslPeak:
    """Return the load of highest throughput, sqrt((1 - sigma) / kappa), and the throughput there.

    Parameters
    ----------
    contention : array_like
        sigma, from 0 to 1. All three arguments broadcast.
    coherency : array_like
        kappa, 0 or more. At 0 there is no finite peak: the load is infinite and the throughput
        is the ceiling lambda / sigma that is approached (infinite where sigma is 0 as well).
    rate_one : array_like
        lambda in jobs per second; by default 1, so that the throughput is a speedup.

    Returns
    -------
    UslPeak
        Load (a real number, 1 where the formula gives less: such a system is slowed down by its
        second user already) and throughput in the unit of `rate_one`.

    Examples
    --------
    >>> peak = usl_peak(0.04, 0.0006)
    >>> print(round(peak.load, 1), round(peak.throughput, 2))
    40.0 11.44
    """
    sigma = within("contention", contention, 0, 1)
    kappa = non_negative("coherency", coherency)
    rate = positive("rate_one", rate_one)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        load = np.where(kappa > 0, np.maximum(1, np.sqrt((1 - sigma) / kappa)), np.inf)[()]
        per_job = np.where(np.isinf(load), sigma, (1 + (load - 1) * (sigma + kappa * load)) / load)
        return UslPeak(load, np.divide(rate, per_job))


@dataclass(frozen=True)
class UslFit:
    """The law fitted to measured throughput by `fit_usl`, with its uncertainty."""

    rate_one: float
    contention: float
    coherency: float
    covariance: Floats
    """Covariance of (rate_one, contention, coherency), shape (3, 3), from the curve's slopes at
    the fit; where an estimate lies on its bound it is the covariance as if there were no bound."""
    intervals: dict[str, tuple[float, float]]
    """Confidence interval of each parameter, cut off at the parameter's bounds."""
    confidence: float
    residuals: Floats
    """Measured minus fitted throughput of each observation."""
    at_bound: tuple[str, ...]
    """Parameters whose estimate lies on a bound: the data ask for less than 0 or more than 1."""
    peak: UslPeak
    peak_load_interval: tuple[float, float]
    """Confidence interval of the peak's load, from that of kappa / (1 - sigma) by the delta method.
    The upper end is infinite where that one reaches 0: a curve without a peak then fits the data as
    well. (1, inf) where contention is estimated as 1, because throughput then says nothing about
    it."""
    largest_load: float
    """The largest load measured."""
    peak_observed: bool
    """Whether the data reach the peak. If not, `coherency` and the peak are extrapolated."""

    def predict(
        self, load: ArrayLike, new_observation: bool = False, if_law_holds: bool = False
    ) -> UslBand:
        """Return the throughput at a load with its interval (delta method, Student's t).

        Parameters
        ----------
        load : array_like
            Loads N, 1 or more.
        new_observation : bool
            False: interval of the curve. True: interval of one further measurement, which adds
            the noise seen in the residuals.
        if_law_holds : bool
            Whether the system is known to follow the law at every load, as a simulated one may be.

        Returns
        -------
        UslBand
            Throughput, low and high end, each of the shape of `load`. Without `if_law_holds` the
            interval is open, from 0 to infinity, at more than twice the largest load measured, and
            above where it reaches 0: there the form decides, of which residuals say nothing
            (`extrapolate_scaling` compares forms).
        """
        throughput = usl_throughput(load, self.rate_one, self.contention, self.coherency)
        slopes = _slopes(np.asarray(load, dtype=float), *self._estimates)
        freedom = self.residuals.size - len(_NAMES)
        variance = np.einsum("...i,ij,...j->...", slopes, self.covariance, slopes)
        if new_observation:
            variance = variance + self.residuals @ self.residuals / freedom
        half = stdtrit(freedom, (1 + self.confidence) / 2) * np.sqrt(variance)
        low, high = np.maximum(throughput - half, 0), throughput + half
        if if_law_holds:
            return UslBand(throughput, low, high)
        far = np.asarray(load, dtype=float) > MAX_EXTRAPOLATION * self.largest_load
        high = np.where(far | (half >= throughput), np.inf, high)
        return UslBand(throughput, np.where(far, 0.0, low)[()], high[()])

    @property
    def _estimates(self) -> tuple[float, float, float]:
        return self.rate_one, self.contention, self.coherency


def fit_usl(load: ArrayLike, throughput: ArrayLike, confidence: float = 0.95) -> UslFit:
    """Fit the Universal Scalability Law to measured throughput by bounded least squares.

    Noise is taken to be independent, of mean 0 and of one variance on the throughput. Data that
    stop before the peak identify `coherency` badly: its interval then reaches 0 and the peak's
    has no upper end, which the fit reports and does not hide.

    Parameters
    ----------
    load : array_like, shape (n,)
        Loads N, 1 or more; 4 observations or more at 3 different loads or more.
    throughput : array_like, shape (n,)
        Measured throughput in jobs per second, above 0.
    confidence : float
        Level of all intervals (Student's t), above 0 and below 1.

    Returns
    -------
    UslFit
        Estimates, covariance, intervals, residuals, peak; `predict` gives values with intervals.

    Examples
    --------
    >>> fit = fit_usl([1, 2, 4, 8, 16, 32], [98.0, 186.0, 332.0, 521.0, 630.0, 553.0])
    >>> round(fit.contention, 3), round(fit.coherency, 4), round(float(fit.peak.load), 1)
    (0.047, 0.0032, 17.1)
    """
    n = at_least("load", sample("load", load, at_least=4), 1)
    measured = positive("throughput", sample("throughput", throughput, at_least=4))
    if n.size != measured.size:
        raise ValueError(
            f"throughput must have one value for each of the {n.size} loads, got {measured.size}"
        )
    if np.unique(n).size < 3:
        raise ValueError(
            f"load must hold 3 or more different values, got {np.unique(n).size} in {load!r}"
        )
    check_level(confidence)
    return _report(n, measured, _solve(n, measured), confidence)


def _solve(n: Floats, measured: Floats) -> Floats:
    unit = float(np.max(measured / n))
    scaled = measured / unit
    # N/X is linear in (1, sigma, kappa)/lambda: its non-negative solution is the starting point.
    start, _ = nnls(np.stack([np.ones_like(n), n - 1, n * (n - 1)], axis=1), n / scaled)
    inverse = max(start[0], 1e-3)
    guess = np.array([1.0, min(start[1], inverse), start[2]]) / [inverse, inverse, inverse]
    solution = least_squares(
        lambda theta: usl_throughput(n, *theta) - scaled,
        guess,
        jac=lambda theta: _slopes(n, *theta),
        bounds=([1e-12, 0, 0], [np.inf, 1, np.inf]),
        x_scale="jac",
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
    )
    rate, sigma, kappa = solution.x
    # The solver stops a hair inside the bounds: a term that costs less than 1e-8 of a job is 0.
    most = float(n.max())
    sigma = 0.0 if sigma * (most - 1) < 1e-8 else 1.0 if sigma > 1 - 1e-8 else sigma
    kappa = 0.0 if kappa * most * (most - 1) < 1e-8 else kappa
    return np.array([rate * unit, sigma, kappa])


def _slopes(n: Floats, rate: float, sigma: float, kappa: float) -> Floats:
    """Return dX/d(rate, sigma, kappa), shape (..., 3)."""
    cost = 1 + sigma * (n - 1) + kappa * n * (n - 1)
    by_sigma = -rate * n * (n - 1) / cost**2
    return np.stack([n / cost, by_sigma, by_sigma * n], axis=-1)


def _report(n: Floats, measured: Floats, theta: Floats, confidence: float) -> UslFit:
    rate, sigma, kappa = (float(value) for value in theta)
    residuals = measured - usl_throughput(n, rate, sigma, kappa)
    freedom = n.size - theta.size
    slopes = _slopes(n, rate, sigma, kappa)
    covariance = products_inverse(slopes) * (residuals @ residuals / freedom)
    quantile = float(stdtrit(freedom, (1 + confidence) / 2))
    half = quantile * np.sqrt(np.diag(covariance))
    low, high = np.maximum(theta - half, 0), np.minimum(theta + half, [np.inf, 1, np.inf])
    peak = usl_peak(sigma, kappa, rate)
    on_bound: NDArray[np.bool_] = (theta <= 0) | (theta >= [np.inf, 1, np.inf])
    return UslFit(
        rate_one=rate,
        contention=sigma,
        coherency=kappa,
        covariance=covariance,
        intervals={
            name: (float(a), float(b)) for name, a, b in zip(_NAMES, low, high, strict=True)
        },
        confidence=confidence,
        residuals=residuals,
        at_bound=tuple(name for name, there in zip(_NAMES, on_bound, strict=True) if there),
        peak=peak,
        peak_load_interval=_peak_interval(theta, covariance, quantile),
        largest_load=float(n.max()),
        peak_observed=bool(peak.load <= n.max()),
    )


def _peak_interval(theta: Floats, covariance: Floats, quantile: float) -> tuple[float, float]:
    """Return the interval of 1/sqrt(q) from that of q = kappa / (1 - sigma), which may reach 0."""
    _, sigma, kappa = theta
    if sigma >= 1:
        return 1.0, np.inf
    slopes = np.array([0, kappa / (1 - sigma) ** 2, 1 / (1 - sigma)])
    middle, half = kappa / (1 - sigma), quantile * np.sqrt(slopes @ covariance @ slopes)
    low = max(1.0, 1 / np.sqrt(middle + half)) if middle + half > 0 else np.inf
    high = max(1.0, 1 / np.sqrt(middle - half)) if middle > half else np.inf
    return float(low), float(high)
