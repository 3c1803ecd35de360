"""Two filters one behind the other on the reader's machine: a cheap one and a costly one."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from perfmodel.validation import Floats, at_least, non_negative, whole

ROUNDS = 60
"""Steps of the costly score."""
BLOCK = 4096
"""Events scored at a time, so that they stay in the cache."""
EVENTS = 64 * BLOCK


class Costs(NamedTuple):
    """Seconds for an event that comes in."""

    cheap: float
    costly: float


class Cascade(NamedTuple):
    """Both orders, in seconds."""

    cheap_first: float
    costly_first: float


def predicted(costs: Costs, events: int, cheap_ratio: float, costly_ratio: float) -> Cascade:
    """Return the time of both orders from the costs of each filter alone.

    One event in this many passes each filter.

    >>> [round(seconds, 4) for seconds in predicted(Costs(1e-6, 1e-4), 1000, 10, 10)]
    [0.011, 0.1001]
    """
    n = whole("events", events, 1)
    cheap, costly = (float(non_negative(name, cost)) for name, cost in costs._asdict().items())
    first = float(at_least("cheap_ratio", cheap_ratio, 1))
    last = float(at_least("costly_ratio", costly_ratio, 1))
    return Cascade(n * (cheap + costly / first), n * (costly + cheap / last))


def measured_costs(repeats: int = 7) -> Costs:
    """Return each filter's seconds for an event, medians of `repeats` runs that keep none."""
    events = drawn()
    times = [_median(partial(_kept, events, score, np.inf), repeats) for score in SCORES]
    return Costs(times[0] / EVENTS, times[1] / EVENTS)


def measured(cheap_ratio: float, costly_ratio: float, repeats: int = 7) -> Cascade:
    """Return what both orders take, medians over `repeats` runs.

    One event in this many passes each filter.
    """
    events = drawn()
    ratios = at_least("cheap_ratio", cheap_ratio, 1), at_least("costly_ratio", costly_ratio, 1)
    cheap, costly = (
        (score, float(np.quantile(score(events), 1 - 1 / ratio)))
        for score, ratio in zip(SCORES, ratios, strict=True)
    )
    return Cascade(
        _median(lambda: _kept(_kept(events, *cheap), *costly), repeats),
        _median(lambda: _kept(_kept(events, *costly), *cheap), repeats),
    )


def drawn() -> Floats:
    """Return events of two numbers each, normal and independent, shape (EVENTS, 2)."""
    return np.random.default_rng(0).standard_normal((EVENTS, 2))


def _cheap(events: Floats) -> Floats:
    return np.abs(events[:, 0])


def _costly(events: Floats) -> Floats:
    score = events[:, 1]
    for _ in range(ROUNDS):
        score = score * 0.9 + 0.1 / (1.0 + score * score)
    return np.abs(score)


SCORES: tuple[Callable[[Floats], Floats], ...] = (_cheap, _costly)
"""The cheap one looks at an event's first number, the costly one at its second."""


def _kept(events: Floats, score: Callable[[Floats], Floats], threshold: float) -> Floats:
    blocks = (events[i : i + BLOCK] for i in range(0, len(events), BLOCK))
    return np.concatenate([block[score(block) >= threshold] for block in blocks])


def _median(run: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(whole("repeats", repeats, 1)):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
