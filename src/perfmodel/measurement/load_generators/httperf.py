"""httperf 0.9.0: what it prints of its connections, of one call each."""

from __future__ import annotations

from math import floor

import numpy as np

from perfmodel.measurement.load_generators.requests import HttpRequests
from perfmodel.validation import one_number, positive

BIN = 1e-3
"""Seconds: width of the bins from which the median comes."""
WINDOW = 5.0
"""Seconds: a sample of the reply rate."""


def httperf_report(
    requests: HttpRequests, timeout: float | None = None, elapsed: float | None = None
) -> dict[str, float]:
    """Return what httperf prints: requests beyond the timeout are errors and have no time.

    So are requests without an answer, as if the server had closed their connection.

    Fields have the report's words, in s, bytes and 1/s. Without a reply the times are 0, and
    without a whole window of 5 s so are the reply rates. The `requests` are one call a connection,
    whose `starts` the rates need; the `timeout` is httperf's option in seconds, by default none,
    and `elapsed` the seconds of the whole test, by default until the last end.

    Examples
    --------
    >>> report = httperf_report(HttpRequests([0.02, 0.02, 2.0], starts=[0, 0.1, 0.2]), timeout=1)
    >>> report["Errors client-timo"], report["Connection time max"]
    (1.0, 0.02)
    """
    limit = np.inf if timeout is None else one_number("timeout", timeout, positive)
    late = requests.times > limit
    answered = requests.answered & ~late
    ends = np.minimum(requests.times, limit) + requests.starts
    seconds = float(ends.max()) if elapsed is None else elapsed
    one_number("elapsed", seconds, positive)
    times, status = requests.times[answered], requests.status[answered]
    ordered = np.sort(times) if times.size else np.zeros(1)
    middle = ordered[(ordered.size + 1) // 2 - 1]
    windows = floor(seconds / WINDOW)
    rates = (
        np.histogram(ends[answered], np.arange(windows + 1) * WINDOW)[0] / WINDOW
        if windows
        else [0.0]
    )
    assert requests.waits is not None
    waits = requests.waits[answered]
    return {
        "connections": float(requests.count),
        "replies": float(times.size),
        "test-duration": seconds,
        "Connection rate": requests.count / seconds,
        "Connection time min": float(ordered[0]),
        "Connection time avg": float(ordered.mean()),
        "Connection time max": float(ordered[-1]),
        "Connection time median": (floor(middle / BIN) + 0.5) * BIN if times.size else 0.0,
        "Connection time stddev": float(ordered.std(ddof=1)) if ordered.size > 1 else 0.0,
        "Request rate": requests.count / seconds,
        "Reply rate min": float(np.min(rates)),
        "Reply rate avg": float(np.mean(rates)),
        "Reply rate max": float(np.max(rates)),
        "Reply rate samples": float(windows),
        "Reply time response": float(waits.mean()) if times.size else 0.0,
        "Reply size content": float(floor(requests.body[answered].mean())) if times.size else 0.0,
        **{f"Reply status {k}xx": float((status // 100 == k).sum()) for k in range(1, 6)},
        "Errors total": float(requests.count - times.size),
        "Errors client-timo": float(late.sum()),
        "Errors connreset": float((~requests.answered & ~late).sum()),
    }
