"""M/D/c exactly: c servers, one queue, and the same service time for every job.

A switch sends cells of one length, an accelerator runs batches of one size. Each customer in
service now has left one service time later. So the queue, observed once per service time, is a
random walk: Poisson arrivals come, up to c jobs go. The law of its highest point (Spitzer) comes
out of one logarithm and two Fourier transforms; all its terms are positive.

Sources: C. D. Crommelin, "Delay probability formulae when the holding times are constant", Post
Office Electrical Engineers' Journal 25, 1932; F. Spitzer, "A combinatorial lemma and its
application to probability theory", Trans. AMS 82, 1956; G. J. Franx, "A simple solution for the
M/D/c waiting time distribution", Operations Research Letters 29(5), 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, expm1, log

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, pdtrc, xlogy

from perfmodel.queueing.distributions.quadrature import Complex
from perfmodel.queueing.distributions.tails import invert_tail
from perfmodel.queueing.station.result import StationResult, stable
from perfmodel.validation import Floats, non_negative, one_number, positive, whole

_MOST_POINTS = 2**22
_INWARDS = 0.9
"""Where the transforms are sampled, as the power of the rate at which the line's law falls off: so
near to it that a share of 1e-50 is known to ten digits."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ConstantServiceQueue(StationResult):
    """An M/D/c queue in its steady state, first come first served."""

    service_time: float
    """Seconds of service, the same for every job."""
    servers: int
    """Number of servers c."""
    decay: float
    """P(n + 1 or more in line) over P(n or more) for large n."""
    queue_length_tail: Floats
    """P(more than n jobs in line) for n = 0, 1, ..."""

    @property
    def wait_probability(self) -> float:
        """Share of the jobs that have to wait."""
        return float(self.waiting_tail(0.0))

    def waiting_tail(self, time: ArrayLike) -> Floats:
        """Return P(waiting time > t), t in seconds, by Franx's sum."""
        t = non_negative("time", time)
        return np.asarray(np.vectorize(self._later, otypes=[float])(t))[()]

    def waiting_quantile(self, probability: ArrayLike) -> Floats:
        """Return the waiting time that a share `probability` of the jobs stays within."""
        return invert_tail(self.waiting_tail, probability)

    def response_tail(self, time: ArrayLike) -> Floats:
        """Return P(response time > t), t in seconds."""
        t = non_negative("time", time) - self.service_time
        return np.where(t < 0, 1.0, self.waiting_tail(np.maximum(t, 0.0)))[()]

    def response_quantile(self, probability: ArrayLike) -> Floats:
        """Return the response time that a share `probability` of the jobs stays within."""
        return self.service_time + self.waiting_quantile(probability)

    def _later(self, time: float) -> float:
        """Return P(waiting time > time); far out, whole periods multiply by a constant."""
        known = self.queue_length_tail.size // self.servers
        skipped = max(0, int(time / self.service_time) + 1 - known)
        periods = int(time / self.service_time) + 1 - skipped
        until = (periods + skipped) * self.service_time - time
        arrivals = max(0.0, float(self.arrival_rate) * until)
        line = self.queue_length_tail[: periods * self.servers][::-1]
        counts = np.arange(line.size)
        chances = np.exp(xlogy(counts, arrivals) - gammaln(counts + 1) - arrivals)
        late = float(chances @ line + pdtrc(line.size - 1, arrivals))
        return min(1.0, late * self.decay ** (skipped * self.servers))


def mdc(arrival_rate: float, service_time: float, servers: int = 1) -> ConstantServiceQueue:
    """Solve M/D/c: Poisson arrivals, the same service time for every job, one queue.

    Parameters
    ----------
    arrival_rate : float
        lambda in jobs per second, above 0.
    service_time : float
        D in seconds, the same for every job, above 0.
    servers : int
        c, from 1 to 524,280.

    Returns
    -------
    ConstantServiceQueue
        Means to a relative 1e-10 up to a utilization of 0.999 and 1e-8 above; percentiles by its
        methods, to ten digits of every share down to 1e-50.

    Raises
    ------
    ValueError
        If an argument is out of range, there are too many servers, or the utilization is not below
        0.99995, where the line has millions of likely lengths.

    Examples
    --------
    >>> print(mdc(0.8, 1.0).waiting_time.round(9))
    2.0
    >>> four = mdc(3.2, 1.0, servers=4)
    >>> print(four.waiting_time.round(6), round(four.wait_probability, 6))
    0.386095 0.578282
    >>> print(four.waiting_tail([0.5, 1.0]).round(6), four.waiting_quantile(0.95).round(4))
    [0.294411 0.122627] 1.5205
    """
    rate = one_number("arrival_rate", arrival_rate, positive)
    step, c = one_number("service_time", service_time, positive), whole("servers", servers, 1)
    decay = _decay(float(stable(rate * step / c)))
    points = _points(decay, c)
    lengths, chances = _highest_point(rate * step, c, decay, points)
    levels = min(points // 2, ceil(115 / decay))
    line_tail = np.zeros(max(levels, c))
    line_tail[:levels] = chances[::-1].cumsum()[::-1][1 : levels + 1]
    means = StationResult.from_waiting(rate, step, lengths / rate, f"M/D/{c}, Crommelin", servers=c)
    return ConstantServiceQueue(
        **vars(means),
        service_time=step,
        servers=c,
        decay=float(np.exp(-decay)),
        queue_length_tail=line_tail,
    )


def _decay(rho: float) -> float:
    """Return the y above 0 with y = rho (exp(y) - 1): the line's law falls off by exp(-y)."""
    from scipy.optimize import brentq

    low = -log(rho)
    high = low + log(2 * low + 2)
    return float(brentq(lambda y: rho * expm1(y) - y, low, high, xtol=1e-15 * low))


def _points(decay: float, servers: int) -> int:
    """Return how many points the transforms need, a power of two, refusing millions."""
    if 8 * servers + 64 > _MOST_POINTS:
        raise ValueError(f"servers must be at most {_MOST_POINTS // 8 - 8}, got {servers}")
    needed = max(370 / decay, 8 * servers + 64)
    if needed > _MOST_POINTS:
        raise ValueError(
            "utilization must be below 0.99995 for constant service, where the line has "
            f"{_MOST_POINTS} lengths; got a line that needs {needed:.3g}"
        )
    return 1 << ceil(log(needed, 2))


def _highest_point(load: float, servers: int, decay: float, points: int) -> tuple[float, Floats]:
    """Return mean and law of the highest point of the walk of Poisson(load) - servers.

    With g_j the sum over k of P(the walk is at j after k steps) / k, its generating function is
    exp(sum of g_j (z^j - 1)). Sampled at |z| = radius, where one step's transform is below 1.
    """
    ranks, inwards = np.arange(points), _INWARDS * decay
    angles = 2 * np.pi * ranks / points
    turned = 2 * np.pi * ((servers * ranks) % points) / points
    step = np.exp(load * (np.exp(inwards + 1j * angles) - 1) - servers * inwards - 1j * turned)
    spread = np.fft.fft(-_log1p(-step)).real / points
    spread[0] = spread[points // 2 :] = 0.0
    shrink = np.exp(-inwards * ranks)
    rises = spread * shrink
    law = np.fft.fft(np.exp(np.fft.ifft(spread) * points - rises.sum())).real / points
    half = slice(points // 2)
    return float(ranks @ rises), np.maximum(law[half] * shrink[half], 0.0)


def _log1p(z: Complex) -> Complex:
    """Return log(1 + z) to the last digits of a small z, which NumPy's own loses."""
    small = np.where(np.abs(z) < 0.5, z, 0.0)
    near = small.real * (2 + small.real) + small.imag**2
    exact = np.log1p(near) / 2 + 1j * np.arctan2(small.imag, 1 + small.real)
    return np.where(np.abs(z) < 0.5, exact, np.log(1 + z))
