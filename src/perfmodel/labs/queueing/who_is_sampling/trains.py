"""Averages that disagree because they are taken over other things: trains, flows, gaps, bus stops.

Sources: J.-Y. Le Boudec, "Performance evaluation as preparation for statistics and data science",
TeaPACS 2021; R. W. Wolff, "Poisson arrivals see time averages", Operations Research 30(2), 1982.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.live.drawing import Area, Circle, Line, Scale, Scene, Shape, Text
from perfmodel.queueing.distributions.light_tail import (
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
)
from perfmodel.queueing.distributions.service import Service
from perfmodel.queueing.operational_analysis.sampling import weighted_mean
from perfmodel.units import number
from perfmodel.validation import Floats, non_negative, positive, whole, within


def interarrival_distribution(scv: float, mean: float = 1.0) -> Service:
    """Return a distribution of interarrival times with a mean in seconds and an SCV.

    A squared coefficient of variation of 0 gives a timer, 1 a Poisson stream, below 1 an Erlang
    distribution with 1 / scv stages (rounded), above 1 a hyperexponential one with balanced means:
    bursts.

    >>> interarrival_distribution(0), interarrival_distribution(0.25)
    (Deterministic(mean=1.0), Erlang(mean=1.0, stages=4))
    """
    variability, middle = float(non_negative("scv", scv)), float(positive("mean", mean))
    if variability == 0:
        return Deterministic(middle)
    if variability == 1:
        return Exponential(middle)
    return (
        Erlang(middle, max(2, round(1 / variability)))
        if variability < 1
        else Hyperexponential.balanced(middle, variability)
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


def drawn_fractions(
    distribution: Service, sizes: ArrayLike, count: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw flows and return which share of the flows, and of their packets, is in larger ones.

    `distribution` is that of the flow sizes in packets; both fractions have the shape (n,) of
    `sizes`.

    >>> from perfmodel.queueing.distributions.service import BoundedPareto
    >>> flows, packets = drawn_fractions(BoundedPareto(1.2, 1, 1e5), [100.0], 1000,
    ...                               np.random.default_rng(1))
    >>> bool(packets[0] > 10 * flows[0])
    True
    """
    drawn = distribution.sample(rng, whole("count", count, low=1))
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


GAPS, PASSENGERS = 10, 20
_TOTAL = 100.0
_LONG = 4
"""The place of the long gap among the others."""


def bus_stop(short: float) -> Scene:
    """Draw ten gaps between buses in 100 min, and the wait of 20 passengers spread over them.

    Nine gaps have `short` minutes, 1 to 10; the tenth takes what is left, so that the mean gap is
    10 min.

    >>> bus_stop(1.0).values["mean wait (min)"], bus_stop(10.0).values["mean wait (min)"]
    (41.45, 5.0)
    """
    low = float(within("short", short, 1, _TOTAL / GAPS))
    gaps = np.full(GAPS, low)
    gaps[_LONG] = _TOTAL - low * (GAPS - 1)
    begins = gaps.cumsum() - gaps
    comes = (np.arange(PASSENGERS) + 0.5) * _TOTAL / PASSENGERS
    gap_index = np.searchsorted(begins, comes, side="right") - 1
    inside = int((gap_index == _LONG).sum())
    wait = weighted_mean(gaps, gaps) / 2
    time, up = Scale(0, _TOTAL, 40, 348), Scale(0, 95, 198, 50)
    shapes: list[Shape] = [*up.beside(40, "wait for the next bus (min)")]
    for begin, gap in zip(begins, gaps, strict=True):
        corners = [(time(begin), up(0)), (time(begin), up(gap)), (time(begin + gap), up(0))]
        shapes.append(Area(corners, 1, "light"))
    shapes.append(Line([(time(0), up(wait)), (time(_TOTAL), up(wait))], 2, "dashed"))
    for at, gap in zip(comes, gap_index, strict=True):
        shapes.append(Circle(time(at), 212, 4, "", 2, "solid" if gap == _LONG else "none"))
    shapes += time.below(226, "time (min); circles: passengers")
    length = number(round(float(gaps[_LONG]), 2))
    shapes.append(Text(f"nine gaps of {number(low)} min, one of {length} min", 348, 13, "end"))
    says = (
        f"{inside} of {PASSENGERS} passengers come in the marked gap of {length} min. The mean "
        f"wait is {wait:.4g} min."
    )
    return Scene(264, shapes, says, {"mean wait (min)": wait, "in the marked gap": inside})
