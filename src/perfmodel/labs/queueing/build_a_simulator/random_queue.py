"""Random customers for one server: the gaps between their arrivals, and what they need."""

from __future__ import annotations

import numpy as np

from perfmodel.validation import positive, whole, within


def random_queue(utilization: float, customers: int, seed: int) -> tuple[list[float], list[float]]:
    """Return the gaps and sizes of an M/M/1 queue whose services take 1 s on average.

    Both are in seconds, and `utilization` is below 1.

    >>> [len(times) for times in random_queue(0.8, 5, 1)]
    [5, 5]
    """
    rho = float(positive("utilization", within("utilization", utilization, 0, 0.9999)))
    count = whole("customers", customers, 1)
    rng = np.random.default_rng(whole("seed", seed))
    return (rng.exponential(1 / rho, count)).tolist(), rng.exponential(1.0, count).tolist()
