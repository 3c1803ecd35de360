"""The cost of background work in a queue's idle time, in pieces that do or don't give way.

A server that works in the background whenever nobody waits is idle in name only. If a piece of such
work is finished first, the next arrival waits for the rest of it, whatever the load. If it gives
way at once, nobody waits, and what was not saved is lost.

Sources: H. Takagi, "Queueing Analysis", vol. 1, 1991, for vacations; J. T. Daly, "A higher order
estimate of the optimum checkpoint interval", Future Generation Computer Systems 22(3), 2006, whose
argument about failures holds for arrivals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import exprel, lambertw

from perfmodel.queueing import Service, StationResult, mean_residual, mg1, scv
from perfmodel.validation import Floats, non_negative, positive, within


def mg1_background(
    arrival_rate: ArrayLike,
    service: Service,
    background_service: Service,
    idle_fraction: ArrayLike = 1.0,
) -> StationResult:
    """Solve M/G/1 whose server fills a share of its idle time with pieces that it finishes first.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, 0 or more.
    service, background_service : Service
        Laws of a job's service time, and of a piece of background work, in seconds.
    idle_fraction : array_like
        Of the time in which no job is served, 0 to 1, that pieces take. A piece begins only when
        no job is present, and never depends on when jobs will come.

    Returns
    -------
    StationResult
        The wait of M/G/1 plus `idle_fraction` E[V^2] / (2 E[V]), whatever the load: an arrival
        finds a piece running with probability `idle_fraction` (1 - rho), waits for the rest of it,
        and all that is divided by 1 - rho as any wait in M/G/1. With a share of 1, `mg1_vacations`.

    Raises
    ------
    ValueError
        If an argument is out of range or the utilization is not below 1.

    Examples
    --------
    >>> from perfmodel.queueing.distributions.service import Deterministic, Exponential
    >>> print(mg1_background(0.5, Exponential(1.0), Deterministic(2.0), [0, 0.5, 1]).waiting_time)
    [1.  1.5 2. ]
    """
    part = within("idle_fraction", idle_fraction, 0, 1)
    alone = mg1(arrival_rate=arrival_rate, mean_service=service.moment(1), scv=scv(service))
    waiting = alone.waiting_time + part * mean_residual(background_service)
    rate = non_negative("arrival_rate", arrival_rate) + 0 * part
    return StationResult.from_waiting(
        rate, service.moment(1), waiting, "M/G/1 with background work"
    )


def useful_idle_fraction(
    arrival_rate: ArrayLike, piece_time: ArrayLike, overhead: ArrayLike = 0
) -> Floats:
    """Return the share of idle time that becomes work, if work gives way and is lost.

    Background work stops at once when a job arrives, so that no job waits for it; what was done
    since it was last saved is lost. Idle times are exponential, as with Poisson arrivals.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, 0 or more.
    piece_time : array_like
        V, seconds of work between two saves, above 0.
    overhead : array_like
        h, seconds that a save takes, 0 or more.

    Returns
    -------
    ndarray
        lambda V / (exp(lambda (V + h)) - 1), and V / (V + h) without arrivals.

    Examples
    --------
    >>> print(useful_idle_fraction(1.0, [0.01, 1.0, 3.0]).round(3))
    [0.995 0.582 0.157]
    """
    rate, work = non_negative("arrival_rate", arrival_rate), positive("piece_time", piece_time)
    whole = work + non_negative("overhead", overhead)
    return np.asarray(work / whole / exprel(rate * whole))


def best_piece_time(arrival_rate: ArrayLike, overhead: ArrayLike) -> Floats:
    """Return the seconds of work between two saves that keep most of the idle time.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, above 0.
    overhead : array_like
        h, seconds that a save takes, above 0.

    Returns
    -------
    ndarray
        V* = (1 + W(-exp(-1 - lambda h))) / lambda, W being Lambert's function: about
        sqrt(2 h / lambda) where saves are short (Daly 2006).

    Examples
    --------
    >>> print(best_piece_time(1.0, [0.0001, 0.01, 1.0]).round(3))
    [0.014 0.135 0.841]
    """
    rate, save = positive("arrival_rate", arrival_rate), positive("overhead", overhead)
    return np.asarray((1 + lambertw(-np.exp(-1 - rate * save)).real) / rate)
