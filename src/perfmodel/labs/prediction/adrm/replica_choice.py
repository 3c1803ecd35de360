"""Which replica of a file to fetch: what predictions are for, and what their errors cost.

>>> choose(replicas(0, [(0.6, 0.6)] * 3), learn=0).error > 0.4
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perfmodel.labs.prediction.adrm.regression import WARM_UP, Recursion, error
from perfmodel.labs.prediction.adrm.transfers import Transfers, surrogate
from perfmodel.validation import whole, within


def replicas(seed: int, gains: Sequence[Sequence[float]]) -> list[Transfers]:
    """Make up one trace for each holder of the same files, asked for in the same order.

    All share the regimes; each fluctuates on its own, with its own gains as in `surrogate`.
    """
    sizes = surrogate(seed).size
    return [surrogate(1000 * (seed + 1) + k, own, sizes=sizes) for k, own in enumerate(gains)]


@dataclass(frozen=True)
class Choice:
    """What choosing a replica by predictions came to."""

    lost: float
    """Time spent over the time of the best choices, minus 1."""
    error: float
    """Mean relative error of the predictions for the replicas taken."""
    best: float
    """Share of the requests that went to the fastest replica."""


def choose(
    traces: Sequence[Transfers],
    forget: float = 0.95,
    learn: int | None = None,
    explore: float = 0.0,
) -> Choice:
    """Send each request to the replica with the shortest predicted time, and learn from it alone.

    There is one trace a replica, of the same requests; the warm-up goes to each in turn. Only the
    first `learn` requests teach (0 takes the ideal times as they are); a fraction `explore` goes to
    a replica at random (seed 0) so as to learn. The choice is that of the requests after the
    warm-up.
    """
    within("explore", explore, 0, 1)
    count = len(traces[0].time)
    until, rng = count if learn is None else whole("learn", learn), np.random.default_rng(0)
    ideal, time = np.array([t.ideal for t in traces]), np.array([t.time for t in traces])
    lines = [Recursion.start() for _ in traces]
    taken, guess = np.empty(count, dtype=int), np.empty(count)
    for i in range(count):
        times = [line.predict(x) for line, x in zip(lines, ideal[:, i], strict=True)]
        k = i % len(traces) if i < WARM_UP else int(np.argmin(times))
        if rng.random() < explore:
            k = int(rng.integers(len(traces)))
        taken[i], guess[i] = k, times[k]
        if i < until:
            lines[k] = lines[k].updated(ideal[k, i], time[k, i], forget)
    spent, quickest = time[taken, np.arange(count)], time.min(axis=0)
    rows = slice(WARM_UP, None)
    lost = float(spent[rows].sum() / quickest[rows].sum() - 1)
    return Choice(lost, error(spent, guess), float(np.mean(spent[rows] == quickest[rows])))
