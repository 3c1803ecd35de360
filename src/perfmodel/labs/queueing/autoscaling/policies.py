"""How many servers to have in each minute: a fixed number, by what was, or by what is forecast.

A server that is ordered comes after a start-up time, so that what runs in a minute was decided
before it. All policies staff by the square-root rule; they differ in the load that they put in.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.queueing import square_root_staffing
from perfmodel.validation import Floats, non_negative, positive, sample, whole


def staffed(counts: ArrayLike, mean_service: float, wait_probability: float) -> Floats:
    """Return the servers for each minute's count of requests, by the square-root rule.

    `counts` are requests a minute, observed or forecast; the fraction `wait_probability` of them
    may wait.

    >>> print(staffed([60.0, 100.0], 60.0, 0.2))
    [ 69. 111.]
    """
    per_second = positive("counts", sample("counts", counts)) / 60
    return square_root_staffing(
        per_second * float(positive("mean_service", mean_service)), wait_probability
    )


def seen_before(counts: ArrayLike, start_up: int, window: int) -> Floats:
    """Return for each minute the mean count of the minutes that could be seen when it was decided.

    The mean is of the last `window` minutes that ended `start_up` minutes before; of what there was
    at the beginning, and of the first minute where there was nothing.

    >>> print(seen_before([2, 4, 6, 8, 10], start_up=1, window=2))
    [2. 2. 2. 3. 5.]
    """
    seen = non_negative("counts", sample("counts", counts))
    delay, width = whole("start_up", start_up), whole("window", window, low=1)
    total = np.concatenate([[0.0], seen.cumsum()])
    last = np.maximum(np.arange(seen.size) - delay, 1)
    first = np.maximum(last - width, 0)
    return np.asarray((total[last] - total[first]) / (last - first))
