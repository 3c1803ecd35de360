"""Measured all-reduces of this machine, fitted on small vectors and asked about large ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from perfmodel.communication import collective_cost, collective_schedule
from perfmodel.validation import Floats, positive

VIEWS = ("a network", "shared cores")


@dataclass(frozen=True, eq=False)
class AllReduceRuns:
    """Times of all-reduces between processes."""

    processes: int
    algorithms: tuple[str, ...]
    sizes: Floats
    """Bytes of the vector, shape (s,)."""
    samples: Floats
    """Seconds, shape (s, runs, algorithms)."""

    @property
    def times(self) -> Floats:
        """Medians over runs, shape (s, algorithms)."""
        return np.asarray(np.median(self.samples, axis=1))


class LargeForecast(NamedTuple):
    """What small vectors say of large ones."""

    sizes: Floats
    """Bytes of the larger vectors, shape (l,)."""
    measured: Floats
    """Seconds, shape (l, algorithms)."""
    forecast: Floats
    """Seconds, shape (l, algorithms)."""
    prices: Floats
    """Seconds of a message and of a byte."""
    algorithms: tuple[str, ...]

    @property
    def error(self) -> float:
        """Mean absolute percentage error, a share."""
        return float(np.mean(np.abs(self.forecast / self.measured - 1)))

    @property
    def right_winners(self) -> int:
        """Of how many sizes the soonest algorithm was forecast."""
        return int((self.forecast.argmin(axis=1) == self.measured.argmin(axis=1)).sum())

    @property
    def worst(self) -> str:
        """The row that is missed by most, in words."""
        off = np.abs(self.forecast / self.measured - 1)
        row, column = np.unravel_index(int(off.argmax()), off.shape)
        ratio = self.forecast[row, column] / self.measured[row, column]
        return (
            f"{self.algorithms[column]} at {self.sizes[row] / 1024:,.0f} KiB, "
            f"forecast at {ratio:.2f} of its time"
        )


def forecast_large(runs: AllReduceRuns, largest: float, view: str = "a network") -> LargeForecast:
    """Fit two prices to small vectors, for all algorithms at once, and forecast the larger ones.

    In the view of a network rounds are counted, and bytes of the largest message of each, as if all
    messages of a round flowed side by side; in that of shared cores all messages and all bytes, as
    if they took turns. Vectors of up to `largest` bytes are fitted.

    >>> sizes = 8.0 * 4 ** np.arange(4, 9)
    >>> ring = np.array([[6e-5 + 1.5 * n * 1e-9] * 2 for n in sizes])[..., None]
    >>> found = forecast_large(AllReduceRuns(4, ("ring",), sizes, ring), 40_000)
    >>> len(found.sizes), round(found.error, 9)
    (2, 0.0)
    """
    small = runs.sizes <= positive("largest", largest)
    if not small.any() or small.all():
        raise ValueError(f"largest must leave sizes on both sides, got {largest!r}")
    counts = np.array(
        [
            [counted(runs.processes, name, size, view) for name in runs.algorithms]
            for size in runs.sizes
        ]
    )
    relative = counts[small] / runs.times[small][..., None]
    columns = relative.reshape(-1, 2)
    scale = np.sqrt((columns**2).mean(axis=0))
    prices = nnls(columns / scale, np.ones(len(columns)))[0] / scale
    return LargeForecast(
        runs.sizes[~small], runs.times[~small], counts[~small] @ prices, prices, runs.algorithms
    )


def counted(processes: int, algorithm: str, size: float, view: str) -> tuple[float, float]:
    """Return messages and bytes that a view of the machine counts.

    >>> counted(4, "ring", 400.0, "a network"), counted(4, "ring", 400.0, "shared cores")
    ((6, 600.0), (24, 2400.0))
    """
    if view not in VIEWS:
        raise ValueError(f"view must be one of {', '.join(VIEWS)}, got {view!r}")
    cost = collective_cost("all-reduce", algorithm, processes, size)
    if view == "a network":
        return cost.rounds, cost.volume
    schedule = collective_schedule("all-reduce", algorithm, processes)
    return sum(len(sent) for sent in schedule.rounds), cost.traffic


def all_reduce_verdict(network: LargeForecast, cores: LargeForecast) -> str:
    """Return what some runs say about the two views, from their errors on large vectors.

    A view is said to hold only if it is well ahead and names the soonest algorithm at all sizes.

    >>> good, bad = (LargeForecast(np.full(2, 2.0**20), np.ones((2, 1)), np.full((2, 1), guess),
    ...              np.ones(2), ("ring",)) for guess in (1.1, 1.5))
    >>> print(all_reduce_verdict(bad, good)[:66])
    On vectors larger than those it was fitted to, the network errs by
    """
    head = (
        "On vectors larger than those it was fitted to, the network errs by "
        f"**{100 * network.error:.0f} %** on average (worst: {network.worst}), the shared cores by "
        f"**{100 * cores.error:.0f} %** (worst: {cores.worst}). The soonest algorithm is named "
        f"rightly at {network.right_winners} and {cores.right_winners} of {cores.sizes.size} sizes."
    )
    if cores.error < 0.67 * network.error:
        near = cores
        holds = (
            "Here messages take turns: processes share the cores that copy, and what counts is all "
            "bytes together."
        )
    elif network.error < 0.67 * cores.error:
        near = network
        holds = (
            "Here messages of a round do flow side by side: there are cores enough for all "
            "processes."
        )
    else:
        return f"{head} Neither view is far ahead: these runs don't say which holds here."
    if near.right_winners < near.sizes.size:
        holds = (
            "The nearer view misses which algorithm is soonest at some size: something that it "
            "leaves out counts here."
        )
    return f"{head} {holds}"
