"""Runs that go on until the interval of the response time is as narrow as asked for.

>>> from perfmodel.queueing.network.model import JobClass, Network, Station
>>> from perfmodel.queueing.simulation.simulate import simulate
>>> web = Network([Station("web")], [JobClass("users", arrival_rate=0.5)], [1.0])
>>> run = simulate(web, 1000, until=0.05, progress=False)
>>> bool(relative_width(run) <= 0.05), run.customers > 1000
(True, True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil, inf

import numpy as np

from perfmodel.queueing.simulation.result import SimulationResult

SPARE = 1.1
"""Longer than the last run's width predicts, so that one more is mostly enough."""
LEAST_STEP, LONGEST_STEP = 1.2, 10.0
"""How many times as long as the last one the next run is, at least and at most."""


def relative_width(run: SimulationResult) -> float:
    """Return the largest half width of a class's response time, as a share of its value.

    Infinite where there is no interval.
    """
    time = run.response_time
    return float(np.max(time.half_width / np.where(time.value > 0, time.value, inf)))


def lengthened(
    run_of: Callable[[int], SimulationResult], length: int, until: float, limit: int
) -> SimulationResult:
    """Return the first of ever longer runs whose intervals are narrow enough, or say why none is.

    `run_of`: from a length to its run: customers, or repetitions. `length`: of the first run.
    `until`: largest half width of the response time, as a share of its value. `limit`: most of
    `length`. The result's warning says where the limit came before the precision.
    """
    while True:
        run = run_of(length)
        width = relative_width(run)
        if width <= until:
            return run
        asked = _asked(run, length)
        needed = length * (width / until) ** 2 if np.isfinite(width) else asked
        stuck = np.isinf(width) and asked <= length
        if length >= limit or asked > limit or stuck:
            return replace(run, warning=_given_up(run, width, until, needed, limit))
        step = min(max(SPARE * needed / length, LEAST_STEP), LONGEST_STEP)
        length = min(ceil(max(step * length, asked)), limit)


def _asked(run: SimulationResult, length: int) -> float:
    """Return the length that an interval takes, 0 if there is one, twice this if none is known.

    It is no more than this one where repetitions are too short one by one.
    """
    customers = run.customers_needed.get("response_time", 0.0)
    return customers / run.customers * length if np.isfinite(customers) else 2.0 * length


def _given_up(run: SimulationResult, width: float, until: float, needed: float, limit: int) -> str:
    reached = f"{width:.2g} was reached" if np.isfinite(width) else "there is no interval"
    longer = f", and about {needed:,.0f} are needed where the limit is {limit:,}"
    word = f"until={until:g} was asked for, {reached}" + longer * (needed > limit)
    return f"{word}; {run.warning}".rstrip("; ")
