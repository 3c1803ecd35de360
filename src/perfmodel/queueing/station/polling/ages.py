"""The ages of queues when the server comes to them: first and second moments, round by round.

A queue's age is the time since its customers were last cleared: since it was last left, if the
server stays until nobody is there, or last reached, if it serves those whom it found. Given all
ages the numbers in the queues are independent Poisson variables, so that a visit to a queue of
age a has a mean and a variance in proportion to a. All other queues age by it.

>>> from perfmodel.queueing.station.polling.ring import SOLVED, checked_ring
>>> print(second_moments(checked_ring(SOLVED, [0.5], 1.0, 2.0, "gated", 0.0, 0.0)))
[4.66666667]
"""

from __future__ import annotations

import numpy as np

from perfmodel.queueing.station.polling.ring import Ring
from perfmodel.validation import Floats


def second_moments(ring: Ring) -> Floats:
    """Return E[age^2] of each queue when the server comes to it, over the mean of a round.

    So divided, all terms stay finite where switching takes no time and a round none.
    """
    start, silent = _mean_ages(ring), np.zeros((ring.rates.size,) * 2)
    _, once = _round(ring, start, silent)
    growth = np.eye(ring.rates.size)
    for i in range(ring.rates.size):
        growth = _aged(ring, i, growth)
    squares, _ = _round(ring, start, _fixed_point(growth, once))
    return squares


def _round(ring: Ring, mean: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Return E[age^2] of each queue when it is reached, and all E[age age'] after a round."""
    squares = np.zeros(mean.size)
    for i in range(mean.size):
        squares[i] = second[i, i]
        lengths, ages = _visit(ring, i)
        second = _aged(ring, i, _aged(ring, i, second).T)
        second = second + lengths * mean[i] * np.outer(ages, ages)
        mean = _aged(ring, i, mean)
        seconds, share = ring.switchovers[i], _idle_shares(ring)[i]
        second = second + seconds * np.add.outer(mean, mean)
        second = second + (1 + ring.switchover_scvs[i]) * seconds * share
        mean = mean + share
    return squares, second


def _visit(ring: Ring, i: int) -> tuple[float, Floats]:
    """Return what a second of age adds to the visit's variance, and whose ages a visit adds to."""
    ages = np.ones(ring.rates.size)
    if ring.disciplines[i] == "gated":
        return float(ring.rates[i] * ring.seconds[i]), ages
    ages[i] = 0.0
    return float(ring.rates[i] * ring.seconds[i] / (1 - ring.loads[i]) ** 3), ages


def _aged(ring: Ring, i: int, ages: Floats) -> Floats:
    """Return the ages, along the first axis, after a mean visit to queue `i`."""
    length = ring.loads[i]
    gated = ring.disciplines[i] == "gated"
    visit = ages[i] * (length if gated else length / (1 - length))
    later = ages + visit
    later[i] = visit if gated else 0.0
    return np.asarray(later)


def _mean_ages(ring: Ring) -> Floats:
    """Return each queue's mean age when the server comes to the first, as a share of a round."""
    steps = ring.loads + _idle_shares(ring)
    since = np.cumsum(steps[::-1])[::-1]
    return np.where(ring.of_kind("gated"), since, since - ring.loads)


def _idle_shares(ring: Ring) -> Floats:
    """Return the share of time that goes to each switchover; equal where all take no time."""
    idle, total = 1 - ring.loads.sum(), ring.switchovers.sum()
    if not total:
        return np.full(ring.rates.size, idle / ring.rates.size)
    return np.asarray(idle * ring.switchovers / total)


def _fixed_point(growth: Floats, once: Floats) -> Floats:
    """Return the sum of growth^n once growth'^n over all n, by doubling the number of terms."""
    total = once
    while (added := growth @ total @ growth.T).max() > 1e-17 * total.max():
        total, growth = total + added, growth @ growth
    return total
