"""loadtest 8.2.1 (npm): what it prints of its requests."""

from __future__ import annotations

from math import floor

import numpy as np

from perfmodel.measurement.load_generators.percentiles import percentile_rule
from perfmodel.measurement.load_generators.requests import HttpRequests
from perfmodel.validation import one_number, positive

ROWS = (50, 90, 95, 99)


def loadtest_report(requests: HttpRequests, elapsed: float | None = None) -> dict[str, float]:
    """Return what loadtest prints: times are cut to whole ms, and a percentile of 0 is skipped.

    A request without an answer is an error, whose time counts.

    Fields have the report's words, in s and 1/s; a percentile is 0 only where every time is. The
    `requests` may come in any order; `elapsed` are the seconds of the whole run, by default until
    the last end.

    Examples
    --------
    >>> report = loadtest_report(HttpRequests([0.0004] * 95 + [0.0405] * 5))
    >>> report["50%"], report["99%"]
    (0.04, 0.04)
    """
    seconds = requests.elapsed if elapsed is None else one_number("elapsed", elapsed, positive)
    times = np.sort(np.trunc(np.round(1e3 * requests.times, 6)))
    above = times[times > 0]
    rule = percentile_rule("loadtest").of
    rows = {row: rule(times, row) or (above[0] if above.size else 0.0) for row in ROWS}
    return {
        "Completed requests": float(times.size),
        "Total errors": float(requests.failures(400) + requests.unanswered),
        "Total time": seconds,
        "Mean latency": floor(10 * times.mean() + 0.5) / 1e4,
        "Effective rps": float(floor(times.size / seconds + 0.5)),
        **{f"{row}%": float(value) / 1e3 for row, value in rows.items()},
        "100%": float(times[-1]) / 1e3,
    }
