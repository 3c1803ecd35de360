"""G/M/1: independent times between arrivals of any law, one server with exponential service.

Requests of a timer, or those that a batch job sends in bursts, are no Poisson stream. What an
arrival sees is then not what an outside observer sees, but a geometric law with another ratio.

Source: L. Kleinrock, "Queueing Systems", vol. 1, Wiley, 1975, chapter 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.service import Service, checked_service
from perfmodel.queueing.distributions.tails import checked_probability
from perfmodel.queueing.station.result import StationResult, stable
from perfmodel.validation import Floats, one_number, positive


@dataclass(frozen=True, kw_only=True, repr=False)
class RenewalQueue(StationResult):
    """A G/M/1 queue in its steady state, first come first served: every law is known."""

    sigma: float
    """Probability that an arrival has to wait."""
    spare: float
    """Rate mu (1 - sigma) in 1/s of the exponential response time."""

    def waiting_quantile(self, probability: ArrayLike) -> Floats:
        """Return the waiting time that a share `probability` of the jobs stays within."""
        late = 1 - checked_probability(probability)
        return np.asarray(np.log(np.maximum(self.sigma / late, 1)) / self.spare)

    def response_quantile(self, probability: ArrayLike) -> Floats:
        """Return the response time that a share `probability` of the jobs stays within."""
        return np.asarray(-np.log1p(-checked_probability(probability)) / self.spare)


def gm1(interarrival: Service, service_rate: float) -> RenewalQueue:
    """Solve G/M/1: independent times between arrivals of any law, exponential service.

    Parameters
    ----------
    interarrival : Service
        Law of the time between arrivals (its mean is seconds, not a rate).
    service_rate : float
        mu in jobs per second, above 0.

    Returns
    -------
    RenewalQueue
        Response times are exponential with rate mu (1 - sigma), where sigma in (0, 1) solves
        sigma = A*(mu (1 - sigma)), A* the Laplace transform of the time between arrivals.

    Raises
    ------
    ValueError
        If `service_rate` is not above 0 or the utilization is not below 1.

    References
    ----------
    Kleinrock, vol. 1, section 6.4.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Deterministic
    >>> queue = gm1(Deterministic(1.25), 1.0)
    >>> print(round(queue.sigma, 6), round(float(queue.response_time), 6))
    0.62863 2.692731
    """
    mu = one_number("service_rate", service_rate, positive)
    rate = 1 / checked_service("interarrival", interarrival).moment(1)
    stable(rate / mu)
    idle = _idle_share(interarrival, mu)
    waiting = (1 - idle) / (mu * idle)
    return RenewalQueue.from_waiting(
        rate, 1 / mu, waiting, "G/M/1", sigma=1 - idle, spare=mu * idle
    )


def _idle_share(interarrival: Service, mu: float) -> float:
    """Return 1 - sigma: 1 - x - A*(mu x) is 0 at 0, then above 0 until the root, then below."""
    from scipy.optimize import brentq

    def excess(x: float) -> float:
        return 1 - x - float(np.real(interarrival.laplace(mu * x)))

    low = 0.5
    while excess(low) <= 0:
        low /= 2
    return float(brentq(excess, low, min(1.0, 2 * low), xtol=1e-15 * low))
