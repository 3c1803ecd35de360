"""Who is sampling: one system, and averages that disagree because they are taken over other things.

Take a railway of which one train in twenty is late. Ask the passengers and thirty in a hundred
were late: late trains are full. An average over trains and an average over passengers are both
right; the second weights each train by its size. The same weighting makes a packet see a larger
flow than the flows are, a random instant fall into a longer gap than the gaps are, and a job that
comes in a burst find a busier server than a clock would.

Sources: J.-Y. Le Boudec, "Performance evaluation as preparation for statistics and data science",
TeaPACS 2021; R. W. Wolff, "Poisson arrivals see time averages", Operations Research 30(2), 1982.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing.distributions.light_tail import (
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
)
from perfmodel.queueing.distributions.service import Service
from perfmodel.validation import Floats, non_negative, positive, whole


def interarrival_law(scv: float, mean: float = 1.0) -> Service:
    """Return a distribution of interarrival times with a mean in seconds and an SCV.

    A squared coefficient of variation of 0 gives a timer, 1 a Poisson stream, below 1 an Erlang
    distribution with 1 / scv stages (rounded), above 1 a hyperexponential one with balanced means:
    bursts.

    >>> interarrival_law(0), interarrival_law(0.25)
    (Deterministic(mean=1.0), Erlang(mean=1.0, stages=4))
    """
    spread, middle = float(non_negative("scv", scv)), float(positive("mean", mean))
    if spread == 0:
        return Deterministic(middle)
    if spread == 1:
        return Exponential(middle)
    return (
        Erlang(middle, max(2, round(1 / spread)))
        if spread < 1
        else Hyperexponential.balanced(middle, spread)
    )


@dataclass(frozen=True)
class Trains:
    """A day of trains: delay in seconds and number of passengers, of shape (n,) each."""

    delay: Floats
    passengers: Floats


def crowded_trains(count: int, rng: np.random.Generator, crowding: float = 1.0) -> Trains:
    """Draw trains whose passengers gather on the platform, so that a late one is a full one.

    Delays are exponential with mean 100 s, passengers Poisson with mean 100 + crowding * delay.

    >>> from perfmodel.queueing.operational_analysis.sampling import weighted_mean
    >>> day = crowded_trains(1000, np.random.default_rng(1))
    >>> weighted_mean(day.delay, day.passengers) > float(day.delay.mean())
    True
    """
    delay = rng.exponential(100.0, whole("count", count, low=1))
    mean = 100 + float(non_negative("crowding", crowding)) * delay
    return Trains(delay, rng.poisson(mean).astype(float))


def drawn_shares(
    law: Service, sizes: ArrayLike, count: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw flows and return which share of the flows, and of their packets, is in larger ones.

    `law` is the distribution of the flow sizes in packets; both fractions have the shape (n,) of
    `sizes`.

    >>> from perfmodel.queueing.distributions.service import BoundedPareto
    >>> flows, packets = drawn_shares(BoundedPareto(1.2, 1, 1e5), [100.0], 1000,
    ...                               np.random.default_rng(1))
    >>> bool(packets[0] > 10 * flows[0])
    True
    """
    drawn = law.sample(rng, whole("count", count, low=1))
    larger = drawn > non_negative("sizes", sizes)[:, None]
    return larger.mean(axis=1), larger @ drawn / drawn.sum()


def clock_gaps(duration: float, clock: Callable[[], float] = time.perf_counter) -> Floats:
    """Read the clock again and again and return the gaps between one reading and the next.

    Most gaps are the cost of a reading. The long ones are the moments in which the operating
    system, or the interpreter, did something else. All are in seconds.

    >>> ticks = iter([0.0, 1.0, 3.0, 6.0])
    >>> print(clock_gaps(5.0, clock=lambda: next(ticks)))
    [1. 2. 3.]
    """
    readings = [clock()]
    end = readings[0] + float(positive("duration", duration))
    while readings[-1] < end:
        readings.append(clock())
    return np.diff(readings)
