"""siege 4.0.7: what it prints of its requests."""

from __future__ import annotations

import numpy as np

from perfmodel.measurement.load_generators.requests import HttpRequests
from perfmodel.validation import one_number, positive

TICK = 0.01
"""Seconds: siege's clock."""
PASSWORD = (401, 407)
"""Statuses that siege answers with a password, and counts as successful."""


def siege_report(requests: HttpRequests, elapsed: float | None = None) -> dict[str, float]:
    """Return what siege prints: a 4xx is a transaction, a 5xx a failure, whose time counts.

    A 401 or 407 is successful, too, because siege repeats it with a password. A request without an
    answer is a failure without a time. The shortest time is 0 where no request was successful.

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
    failed = requests.failures(500) + requests.unanswered
    hits = requests.count - failed
    times = np.rint(requests.times[requests.answered] / TICK) * TICK
    total = float(times.sum())
    refused = (requests.status >= 400) & ~np.isin(requests.status, PASSWORD)
    successful = int((requests.answered & ~refused).sum())
    return {
        "Transactions": float(hits),
        "Availability": hits / requests.count,
        "Elapsed time": seconds,
        "Data transferred": float(requests.body.sum()),
        "Response time": total / hits if hits else 0.0,
        "Transaction rate": hits / seconds,
        "Throughput": float(requests.body.sum()) / seconds,
        "Concurrency": total / seconds,
        "Successful transactions": float(successful),
        "Failed transactions": float(failed),
        "Longest transaction": float(times.max(initial=0)),
        "Shortest transaction": float(times.min()) if successful else 0.0,
    }
