"""Latency and bandwidth from measured times, with the sizes at which the protocol changes.

Libraries send small messages in another way than large ones (eagerly into a buffer, or after a
handshake; whole, or in pieces). Each way has a latency and a bandwidth of its own. Where one gives
way to the other isn't assumed: it is searched for, and a break is believed only if it explains more
than a break of best place explains of times that have none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from perfmodel.communication.point_to_point.segments import (
    FINEST,
    LEAST,
    Lines,
    Segmentation,
    bandwidths,
    best_segmentations,
    fit_all_segments,
    segment_parameters,
)
from perfmodel.measurement.statistics.intervals import check_level
from perfmodel.validation import Floats, non_negative, one_number, positive, sample, whole

_SIMULATED = 200
_OFFSETS = tuple(np.linspace(-0.5, 0.5, 11).tolist())
"""Errors of a latency, in steps of rounding, that rounded times can hide."""


@dataclass(frozen=True, eq=False)
class MessageFit:
    """Latency and bandwidth of each protocol, and the sizes at which one gives way to the next."""

    sizes: Floats
    """Bytes, ascending, shape (n,)."""
    times: Floats
    """Seconds, shape (n,)."""
    breaks: Floats
    """Largest measured size of each protocol but the last, bytes, shape (k,). The protocol changes
    between this size and the next one measured."""
    latencies: Floats
    """Seconds, shape (k + 1,)."""
    byte_times: Floats
    """Seconds per byte, shape (k + 1,)."""
    p_values: tuple[float, ...]
    """Of each number of breaks from 1 on that was tried: how often times with one break fewer let
    the last break explain as much. Empty where the number was given."""
    resolution: float = 0.0
    """Seconds of which the times are multiples; 0 where they weren't rounded."""

    @property
    def bandwidths(self) -> Floats:
        """Bytes/s of each protocol; infinite where time doesn't grow with size."""
        return bandwidths(self.byte_times)

    @property
    def relative_deviation(self) -> float:
        """Standard deviation of the relative errors."""
        free = 3 * len(self.breaks) + 2
        return float(np.sqrt((self._errors**2).sum() / max(self.sizes.size - free, 1)))

    @property
    def deviations(self) -> Floats:
        """Standard deviation of the relative error at each size, rounding included, shape (n,)."""
        return np.sqrt(self.noise**2 + self._rounding)

    @property
    def noise(self) -> float:
        """Standard deviation of the relative errors beyond those of rounding, the likeliest one."""
        if not self.resolution:
            return self.relative_deviation
        rounding = self._rounding
        squares = (self.relative_deviation / max(self._rough, FINEST)) ** 2 * self._errors**2

        def unlikeliness(log_variance: float) -> float:
            variance = np.exp(log_variance) + rounding
            return float((np.log(variance) + squares / variance).sum())

        ends = (2 * np.log(FINEST), 2 * np.log(max(self.relative_deviation, FINEST)) + 1.0)
        found = minimize_scalar(unlikeliness, bounds=ends, method="bounded")
        return float(np.exp(found.x / 2))

    @property
    def _errors(self) -> Floats:
        return np.asarray(self.time(self.sizes) / self.times - 1)

    @property
    def _rough(self) -> float:
        return float(np.sqrt((self._errors**2).mean()))

    @property
    def _rounding(self) -> Floats:
        """Variances of the relative rounding errors, distributed evenly within a step."""
        return np.asarray((self.resolution / self.time(self.sizes)) ** 2 / 12)

    def time(self, size: ArrayLike) -> Floats:
        """Return the seconds of messages of some size, bytes, of the same shape."""
        bytes_ = non_negative("size", size)
        place = np.searchsorted(self.breaks, bytes_, side="left")
        return np.asarray(self.latencies[place] + bytes_ * self.byte_times[place])


def fit_messages(
    sizes: ArrayLike,
    times: ArrayLike,
    breaks: int | None = None,
    max_breaks: int = 2,
    confidence: float = 0.95,
    seed: int = 0,
    resolution: float = 0.0,
) -> MessageFit:
    """Fit latency and bandwidth to measured messages, and find where they change.

    Parameters
    ----------
    sizes : array_like, shape (n,)
        Bytes, 0 or more, in any order, also repeated.
    times : array_like, shape (n,)
        Seconds, above 0.
    breaks : int, optional
        How many sizes there are at which the protocol changes. Without it the number is found.
    max_breaks : int
        How many to look for at most.
    confidence : float
        How sure to be of each break, above 0 and below 1: of times without a break, one is found in
        a share 1 - confidence.
    seed : int
        Of the simulated times that a break is tested against.
    resolution : float
        Seconds to whose multiples the times were rounded, 0 or more. A break is tested against
        simulated times that are rounded too: the steps of rounding look like breaks.

    Returns
    -------
    MessageFit
        Of least squared relative errors; each protocol has three different sizes or more.

    Raises
    ------
    ValueError
        If an argument is out of range, or there are too few different sizes.

    Examples
    --------
    >>> sizes = 2.0 ** np.arange(10, 26)
    >>> times = np.where(sizes <= 2**16, 5e-6 + sizes / 1e10, 2e-5 + sizes / 1e11)
    >>> fit = fit_messages(sizes, times)
    >>> fit.breaks / 2**16, (fit.latencies * 1e6).round(1), (fit.bandwidths / 1e10).round(1)
    (array([1.]), array([ 5., 20.]), array([ 1., 10.]))
    """
    n, t = _pairs(sizes, times)
    step = one_number("resolution", resolution, non_negative)
    places = np.flatnonzero(np.diff(n, prepend=-1))
    asked = whole("max_breaks", max_breaks) if breaks is None else whole("breaks", breaks)
    limit = _most(len(places), asked, breaks is not None)
    lines = fit_all_segments(n, t[None], places)
    divisions = best_segmentations(lines, limit)
    count, chances = limit, tuple[float, ...]()
    if breaks is None:
        fits = [_built(n, t, places, lines, division, (), step) for division in divisions]
        count, chances = _believed(fits, places, divisions, 1 - check_level(confidence), seed)
    return _built(n, t, places, lines, divisions[count], chances, step)


def _pairs(sizes: ArrayLike, times: ArrayLike) -> tuple[Floats, Floats]:
    n, t = non_negative("sizes", sample("sizes", sizes)), positive("times", sample("times", times))
    if n.shape != t.shape:
        raise ValueError(
            f"sizes and times must be as long as each other, got {n.size} and {t.size}"
        )
    order = np.argsort(n, kind="stable")
    return n[order], t[order]


def _most(different: int, breaks: int, exact: bool) -> int:
    if different < LEAST * (breaks * exact + 1):
        raise ValueError(
            f"sizes must have {LEAST * (breaks * exact + 1)} different values or more, "
            f"got {different}"
        )
    return min(breaks, different // LEAST - 1)


def _built(
    n: Floats,
    t: Floats,
    places: NDArray[np.intp],
    lines: Lines,
    pieces: Segmentation,
    chances: tuple[float, ...],
    resolution: float,
) -> MessageFit:
    latencies, byte_times = segment_parameters(lines, pieces.starts, len(places))
    breaks = n[places][pieces.starts[0, 1:] - 1]
    return MessageFit(n, t, breaks, latencies[0], byte_times[0], chances, resolution)


def _believed(
    fits: list[MessageFit],
    places: NDArray[np.intp],
    divisions: list[Segmentation],
    alpha: float,
    seed: int,
) -> tuple[int, tuple[float, ...]]:
    """Return the number of breaks before the first that may be chance, and all chances."""
    rng, chances = np.random.default_rng(whole("seed", seed)), []
    for count, fit in enumerate(fits[:-1]):
        chances.append(_chance(fit, places, divisions, count, rng))
        if chances[-1] > alpha:
            return count, tuple(chances)
    return len(fits) - 1, tuple(chances)


def _chance(
    fit: MessageFit,
    places: NDArray[np.intp],
    divisions: list[Segmentation],
    count: int,
    rng: np.random.Generator,
) -> float:
    """Return how often times with `count` breaks let one more explain as much as it did here.

    Rounded times give the latency to one step only, and its position in the step decides which
    sizes look identical. The position that explains most counts.
    """
    noise = 1 + rng.normal(0, max(fit.noise, FINEST), (_SIMULATED, fit.sizes.size))
    here, as_much = _gain(divisions, count, fit.sizes.size)[0], []
    for offset in _OFFSETS if fit.resolution else (0.0,):
        times = (fit.time(fit.sizes) + offset * fit.resolution) * np.maximum(noise, FINEST)
        rounded = _rounded(times, fit.resolution)
        simulated = best_segmentations(fit_all_segments(fit.sizes, rounded, places), count + 1)
        as_much.append((_gain(simulated, count, fit.sizes.size) >= here).sum())
    return float((1 + max(as_much)) / (1 + _SIMULATED))


def _rounded(times: Floats, resolution: float) -> Floats:
    """Return times as whole steps of the resolution, 1 or more; as they are where it is 0."""
    return np.maximum(np.round(times / resolution), 1) * resolution if resolution else times


def _gain(divisions: list[Segmentation], count: int, points: int) -> Floats:
    less, more = (np.maximum(divisions[k].error, points * FINEST**2) for k in (count, count + 1))
    return np.asarray(np.log(less / more))
