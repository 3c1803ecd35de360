"""Dependent steps on your processor: how many independent chains it takes to hide a latency.

A step multiplies a number by a factor and adds one. Steps of one chain wait for each other; steps
of different chains do not. So the time of a step falls with the number of chains, until the units
that do the steps are busy all the time: it is the larger of latency / chains and 1 / throughput.

>>> run_chains(2, steps=3, factor=0.5)
(1.75, 1.875)
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from perfmodel.validation import Floats, finite, positive, whole

CHAINS = (1, 2, 4, 8)
"""The numbers of chains that there is code for."""


def run_chains(chains: int, steps: int, factor: float, start: float = 0.0) -> tuple[float, ...]:
    """Return where each chain ends.

    There are 1, 2, 4 or 8. They begin at `start`, `start` + 1 and so on, since a compiler would run
    equal ones only once.
    """
    if chains not in _KERNELS:
        raise ValueError(f"chains must be one of {CHAINS}, got {chains!r}")
    numbers = float(finite("factor", factor)), float(finite("start", start))
    ends: tuple[float, ...] = _KERNELS[chains](whole("steps", steps), *numbers)
    return ends


def measure_step(chains: int, steps: int = 200_000, repeats: int = 7) -> Floats:
    """Return the seconds of a step, once for each repetition, after a run to warm up.

    >>> measure_step(4, steps=100, repeats=3).shape
    (3,)
    """
    num_steps = whole("steps", steps, low=1)
    run_chains(chains, num_steps, 0.5)
    times = np.empty(whole("repeats", repeats, low=1))
    for i in range(times.size):
        begin = time.perf_counter()
        run_chains(chains, num_steps, 0.5)
        times[i] = time.perf_counter() - begin
    return times / (num_steps * chains)


def step_time(chains: ArrayLike, latency: float, throughput: float) -> Floats:
    """Return the modelled seconds of a step, which waits for a result or for a unit.

    >>> print(step_time([1, 2, 4, 8], latency=8e-9, throughput=0.5e9))
    [8.e-09 4.e-09 2.e-09 2.e-09]
    """
    waiting = positive("latency", latency) / positive("chains", chains)
    return np.maximum(waiting, 1 / positive("throughput", throughput))


@njit(cache=True)
def _one(steps: int, factor: float, start: float) -> Any:
    a = start
    for _ in range(steps):
        a = a * factor + 1.0
    return (a,)


@njit(cache=True)
def _two(steps: int, factor: float, start: float) -> Any:
    a, b = start, start + 1.0
    for _ in range(steps):
        a, b = a * factor + 1.0, b * factor + 1.0
    return a, b


@njit(cache=True)
def _four(steps: int, factor: float, start: float) -> Any:
    a, b, c, d = start, start + 1.0, start + 2.0, start + 3.0
    for _ in range(steps):
        a, b = a * factor + 1.0, b * factor + 1.0
        c, d = c * factor + 1.0, d * factor + 1.0
    return a, b, c, d


@njit(cache=True)
def _eight(steps: int, factor: float, start: float) -> Any:
    a, b, c, d = start, start + 1.0, start + 2.0, start + 3.0
    e, f, g, h = start + 4.0, start + 5.0, start + 6.0, start + 7.0
    for _ in range(steps):
        a, b = a * factor + 1.0, b * factor + 1.0
        c, d = c * factor + 1.0, d * factor + 1.0
        e, f = e * factor + 1.0, f * factor + 1.0
        g, h = g * factor + 1.0, h * factor + 1.0
    return a, b, c, d, e, f, g, h


_KERNELS = dict(zip(CHAINS, (_one, _two, _four, _eight), strict=True))
