"""Erlang-A: c servers, one queue, and jobs that give up when they have waited too long (M/M/c+M).

A call centre's callers hang up, a browser's user reloads, a request meets its deadline. Those who
leave shorten the line for the rest, so that the queue has a steady state at any load. All sums
here are of positive terms, taken from the likeliest length of the line outwards.

Sources: C. Palm, "Research on telephone traffic carried by full availability groups", Tele 1, 1957;
F. Baccelli and G. Hebuterne, "On queues with impatient customers", Performance '81 (the law of the
waiting time); O. Garnett, A. Mandelbaum and M. Reiman, "Designing a call center with impatient
customers", Manufacturing and Service Operations Management 4(3), 2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc

from perfmodel.queueing.station.erlang import erlang_b
from perfmodel.queueing.station.result import StationResult
from perfmodel.validation import Floats, check_shapes, non_negative, positive, whole, whole_numbers

_MOST_ARRIVALS = 1e10
_OVERHEAD, _MOST_STEPS = 300, 4e7
"""Of each value, and of all, in terms of the sums over lengths of the line."""


@dataclass(frozen=True, kw_only=True, repr=False)
class AbandonmentQueue(StationResult):
    """An M/M/c+M queue in its steady state, first come first served.

    `loss_probability` is the share of the jobs that give up; `waiting_time` and `response_time`
    are those of the jobs that are served, the lengths count every job that is there.
    """

    service_rate: Floats
    """Jobs per second that one server can do."""
    servers: Floats
    """Number of servers c."""
    patience: Floats
    """Mean seconds after which a job in line gives up."""
    wait_probability: Floats
    """Probability that an arriving job finds all servers busy."""
    mean_queue_time: Floats
    """Mean seconds in line of all jobs, those that give up included."""

    def waiting_tail(self, time: ArrayLike) -> Floats:
        """Return P(in line for more than t), t in seconds, of all jobs; broadcasts."""
        t = non_negative("time", time)
        busy, arrivals = self._busy(), self.arrival_rate * self.patience
        beyond = _beyond(busy, arrivals, t / self.patience)
        return np.asarray(self.wait_probability * np.exp(-t / self.patience) * beyond)[()]

    def served_waiting_tail(self, time: ArrayLike) -> Floats:
        """Return P(waiting time > t) of the jobs that are served, t in seconds; broadcasts."""
        t = non_negative("time", time)
        served = 1 - self.loss_probability
        busy, arrivals = self._busy(), self.arrival_rate * self.patience
        beyond = _beyond(busy + 1, arrivals, t / self.patience)
        waited = (self.wait_probability - self.loss_probability) / served
        return np.asarray(waited * beyond)[()]

    def _busy(self) -> Floats:
        """Return the jobs that all servers finish in a mean patience."""
        return np.asarray(self.servers * self.service_rate * self.patience)


def erlang_a(
    arrival_rate: ArrayLike, service_rate: ArrayLike, servers: ArrayLike, patience: ArrayLike
) -> AbandonmentQueue:
    """Solve M/M/c+M (Erlang-A): jobs that wait give up after an exponential time.

    Parameters
    ----------
    arrival_rate : array_like
        lambda in jobs per second, above 0; it may exceed what the servers can do. All four
        arguments broadcast, to 100,000 values if few jobs arrive in a patience, to 44 if 1e10 do.
    service_rate : array_like
        mu of one server in jobs per second, above 0.
    servers : array_like
        c, whole, 1 or more.
    patience : array_like
        Mean seconds that a job is ready to wait, above 0. At most 1e10 jobs may arrive in it.

    Returns
    -------
    AbandonmentQueue
        `loss_probability` is the share that gives up, `wait_probability` that of all jobs that
        find no free server, `waiting_time` the mean of the jobs served, `line_time` that of all.

    Raises
    ------
    ValueError
        If an argument is out of range, `servers` is not whole, more than 1e10 jobs arrive in a
        mean patience, shapes do not broadcast, or there are more values than take some seconds.

    Examples
    --------
    Calls that come 48 a minute and take a minute, 50 agents, and callers who wait 2 minutes:

    >>> calls = erlang_a(arrival_rate=0.8, service_rate=1 / 60, servers=50, patience=120.0)
    >>> print(calls.loss_probability.round(4), calls.mean_queue_time.round(2))
    0.0309 3.71
    >>> print(calls.utilization.round(3))
    0.93
    >>> print(calls.wait_probability.round(4), calls.served_waiting_tail(20.0).round(4))
    0.4678 0.0269
    """
    check_shapes(
        arrival_rate=arrival_rate, service_rate=service_rate, servers=servers, patience=patience
    )
    rate, mu = positive("arrival_rate", arrival_rate), positive("service_rate", service_rate)
    c, theta = whole_numbers("servers", servers, 1), 1 / positive("patience", patience)
    if (rate / theta > _MOST_ARRIVALS).any():
        raise ValueError(
            f"patience must be so short that at most {_MOST_ARRIVALS:g} jobs arrive in its mean, "
            f"got {patience!r}"
        )
    rate, mu, c, theta = np.broadcast_arrays(rate, mu, c, theta)
    _check_count(c * mu / theta, rate / theta, c)
    line = np.vectorize(_line, otypes=[float] * 3)
    blocked = erlang_b(c, rate / mu)
    delayed, waiting_length, waited = (part[()] for part in line(rate, mu, c, theta, blocked))
    lost = theta * waiting_length / rate
    served = rate * (1 - lost)
    if not (served > 0).all():
        raise ValueError(
            f"service_rate must be so high that of 1e15 jobs one is served, got {service_rate!r}"
        )
    return AbandonmentQueue(
        arrival_rate=rate[()],
        throughput=served,
        utilization=served / (c * mu),
        response_time=waited / (1 - lost) + 1 / mu,
        waiting_time=waited / (1 - lost),
        queue_length=waiting_length + served / mu,
        waiting_length=waiting_length,
        method="M/M/c+M, Erlang-A",
        loss_probability=lost,
        service_rate=mu[()],
        servers=c[()],
        patience=1 / theta[()],
        wait_probability=delayed,
        mean_queue_time=waiting_length / rate,
    )


def _check_count(busy: Floats, arrivals: Floats, servers: Floats) -> None:
    """Refuse more values than take some seconds: each sums over its likely lengths of the line."""
    steps = _OVERHEAD + 9 * np.sqrt(np.maximum(busy, arrivals)) + 25 * np.sqrt(servers)
    whole("number of values", busy.size, 1, int(_MOST_STEPS / steps.max()))


def _line(
    rate: float, mu: float, c: float, theta: float, blocked: float
) -> tuple[float, float, float]:
    """Return P(all busy), E[jobs in line] and E[waiting time; served]."""
    busy, arrivals = c * mu / theta, rate / theta
    lengths, weights, alone = _weights(busy, arrivals)
    total = weights.sum()
    delayed = total * blocked / (alone * (1 - blocked) + total * blocked)
    chances = delayed * weights / total
    ahead = lengths + 1
    waited = busy / (busy + ahead) * _harmonic(busy, ahead) / theta
    return float(delayed), float(chances @ lengths), float(chances @ waited)


def _weights(busy: float, arrivals: float) -> tuple[Floats, Floats, float]:
    """Return lengths of the line, their chances over the likeliest one's, and that of length 0.

    With j jobs in line the chance falls or rises by arrivals / (busy + j) to that of j.
    """
    peak = max(0, int(arrivals - busy))
    reach = _reach(busy, arrivals)
    after = np.arange(peak + 1, peak + reach + 1, dtype=np.float64)
    before = np.arange(peak, max(0, peak - reach), -1, dtype=np.float64)
    rising = np.cumprod(arrivals / (busy + after))
    falling = np.cumprod((busy + before) / arrivals)
    lengths = np.concatenate([before[::-1] - 1, [peak], after])
    weights = np.concatenate([falling[::-1], [1.0], rising])
    return lengths, weights, float(weights[0]) if lengths[0] == 0 else 0.0


def _reach(busy: float, arrivals: float) -> int:
    """Steps from the likeliest length after which all others count for less than 1e-16."""
    reach = 9 * sqrt(max(arrivals, busy) + 1) + 60
    if arrivals >= busy:
        return ceil(reach)
    return ceil(min(reach, 40 / log(busy / arrivals) + 2))


def _harmonic(busy: float, count: Floats) -> Floats:
    """Return the sum of 1 / (busy + i) for i = 1 to each of `count`, consecutive whole numbers."""
    first = int(count[0])
    head = min(first, 1000)
    sums = np.cumsum(1 / (busy + count)) + (1 / (busy + np.arange(1, head + 1))).sum()
    low, high = busy + head + 0.5, busy + first + 0.5
    between = log(high / low) + (1 / high**2 - 1 / low**2) / 24 if first > head else 0.0
    return np.asarray(sums - 1 / (busy + first) + between)


@np.vectorize
def _beyond(shape: float, arrivals: float, time: float) -> float:
    """Return P(the wait offered is longer than `time` | it is above 0), in mean patiences.

    It is a ratio of incomplete gamma functions of `shape` at arrivals exp(-time) and arrivals.
    """
    later = arrivals * np.exp(-time)
    if arrivals > shape:
        return float(gammainc(shape, later) / gammainc(shape, arrivals))
    fall = np.exp(-shape * time - arrivals * np.expm1(-time))
    return float(fall * _weights(shape, later)[1].sum() / _weights(shape, arrivals)[1].sum())
