"""Draws of phase-type laws: many chains side by side, each until it is absorbed.

>>> stage = np.ones(1), np.array([[-2.0]])
>>> bool(abs(absorption_times(*stage, np.random.default_rng(1), 10_000).mean() - 0.5) < 0.02)
True
"""

from __future__ import annotations

import numpy as np

from perfmodel.validation import Floats


def absorption_times(
    start: Floats, generator: Floats, rng: np.random.Generator, count: int
) -> Floats:
    """Return how long each of `count` independent chains takes until it is absorbed.

    `start`, shape (phases,): probability of each phase at the start. `generator`, shape (phases,
    phases): rates in 1/s; what a row lacks to 0 is that of absorption. The times are in seconds,
    shape (count,).
    """
    pace = -generator.diagonal()
    moves = (generator + np.diag(pace)) / pace[:, np.newaxis]
    odds, times = moves.cumsum(axis=1), np.zeros(count)
    running = np.arange(count)
    phase = np.searchsorted(start.cumsum()[:-1], rng.random(count), "right")
    while running.size:
        times[running] += rng.standard_exponential(running.size) / pace[phase]
        phase = (rng.random(running.size)[:, np.newaxis] >= odds[phase]).sum(axis=1)
        inside = phase < start.size
        running, phase = running[inside], phase[inside]
    return times
