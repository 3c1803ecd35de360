"""siege 4.0.7: what it prints of its requests."""

from __future__ import annotations

import numpy as np

from perfmodel.measurement.load_generators.requests import HttpRequests
from perfmodel.validation import one_number, positive

TICK = 0.01
"""Seconds: siege's clock."""


def siege_report(requests: HttpRequests, elapsed: float | None = None) -> dict[str, float]:
    """Return what siege prints: a 4xx is a transaction, a 5xx a failure, whose time counts.

    Fields have the report's words, in s, bytes and 1/s; availability is a fraction. The mean
    response time and the rate are 0 where every request failed. Of the `requests` pictures of a
    page and followed redirects are requests of their own; `elapsed` are the seconds of the whole
    run, by default until the last end.

    Examples
    --------
    Four answers of 200 and twelve of 500, each after 0.3 s:

    >>> report = siege_report(HttpRequests([0.3] * 16, status=[200] * 4 + [500] * 12))
    >>> round(report["Response time"], 2), report["Longest transaction"]
    (1.2, 0.3)
    """
    seconds = requests.elapsed if elapsed is None else one_number("elapsed", elapsed, positive)
    failed = requests.failures(500)
    hits = requests.count - failed
    times = np.rint(requests.times / TICK) * TICK
    total = float(times.sum())
    return {
        "Transactions": float(hits),
        "Availability": hits / requests.count,
        "Elapsed time": seconds,
        "Data transferred": float(requests.body.sum()),
        "Response time": total / hits if hits else 0.0,
        "Transaction rate": hits / seconds,
        "Throughput": float(requests.body.sum()) / seconds,
        "Concurrency": total / seconds,
        "Successful transactions": float(requests.count - requests.failures(400)),
        "Failed transactions": float(failed),
        "Longest transaction": float(times.max()),
        "Shortest transaction": float(times.min()),
    }
