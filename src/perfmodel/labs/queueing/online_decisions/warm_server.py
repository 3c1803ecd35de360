"""Keep an idle server warm or let it go: the rental problem, with and without a forecast.

Sources: A. R. Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator, "Competitive snoopy caching",
Algorithmica 3, 1988; M. Purohit, Z. Svitkina, R. Kumar, "Improving online algorithms via ML
predictions", NeurIPS 2018.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfmodel.labs.queueing.online_decisions.offers import Guarantee
from perfmodel.validation import Floats, non_negative, positive, within


def rental_guarantee(caution: ArrayLike) -> Guarantee:
    """Return what a cautious use of a forecast guarantees for the cost of idling and cold starts.

    It is 1 + lambda when the forecast is right, 1 + 1 / lambda whatever it is; at 1 the forecast
    isn't used.

    >>> print(*rental_guarantee([0.25, 1.0]))
    [1.25 2.  ] [5. 2.]
    """
    weight = within("caution", positive("caution", caution), 0, 1)
    return Guarantee(np.asarray(1 + weight), np.asarray(1 + 1 / weight))


def idle_limit(forecast: ArrayLike, caution: float, cold_start: float) -> Floats:
    """Return how long to keep an idle server warm.

    It is lambda B where a gap longer than B is forecast, and B / lambda otherwise; `cold_start` B
    is in seconds of idling that cost as much.

    >>> print(idle_limit([5, 500], 0.5, 60))
    [120.  30.]
    """
    weight = float(within("caution", positive("caution", caution), 0, 1))
    start = float(positive("cold_start", cold_start))
    long = non_negative("forecast", forecast) > start
    return np.where(long, weight * start, start / weight)


def gap_cost(gap: ArrayLike, limit: ArrayLike, cold_start: float) -> Floats:
    """Return what a gap between requests costs, in seconds of idling.

    The server is let go after `limit` seconds, which broadcast with the seconds of the gap.

    >>> print(gap_cost([30, 90], 60, cold_start=60))
    [ 30. 120.]
    """
    idle, longest = non_negative("gap", gap), non_negative("limit", limit)
    start = float(positive("cold_start", cold_start))
    return np.where(idle <= longest, idle, longest + start)


def least_gap_cost(gap: ArrayLike, cold_start: float) -> Floats:
    """Return what the gap costs who knew it: the lesser of idling and a cold start.

    >>> print(least_gap_cost([30, 90], 60))
    [30. 60.]
    """
    return np.minimum(non_negative("gap", gap), float(positive("cold_start", cold_start)))
