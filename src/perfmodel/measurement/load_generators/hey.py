"""hey 0.1.4: what it prints of its requests."""

from __future__ import annotations

import numpy as np

from perfmodel.measurement.load_generators.percentiles import percentile_rule
from perfmodel.measurement.load_generators.requests import HttpRequests
from perfmodel.validation import one_number, positive

ROWS = (10, 25, 50, 75, 90, 95, 99)
BARS = 10


def hey_report(requests: HttpRequests, elapsed: float | None = None) -> dict[str, float]:
    """Return what hey prints: its table has no 99 % below 100 requests, but a row "0%" instead.

    Each row takes its own request, so with few requests the lower rows move up. A row without a
    request is left out. Fields have the report's words, in s, bytes and 1/s. "histogram 1" to
    "histogram 11" are the counts of its bars; the first bar holds only the fastest request and
    those as fast. "[200]" and similar fields are counts by status. Requests without an answer are
    in "Requests/sec" and "errors", and in no time. A followed redirect is one request.

    The `requests` may come in any order. `elapsed` are the seconds of the whole run, by default
    until the last end.

    Examples
    --------
    >>> report = hey_report(HttpRequests([0.02] * 60))
    >>> report["95%"], "99%" in report
    (0.02, False)
    """
    seconds = requests.elapsed if elapsed is None else one_number("elapsed", elapsed, positive)
    answers = requests.with_answer()
    times = np.sort(answers.times)
    marks = np.append(times[0] + (times[-1] - times[0]) / BARS * np.arange(BARS), times[-1])
    bars = np.bincount(np.searchsorted(marks, times), minlength=BARS + 1)
    statuses = np.unique(answers.status, return_counts=True)
    rule, taken, rows = percentile_rule("hey"), 0, {}
    assert rule.rank is not None
    for row in ROWS:
        taken = max(rule.rank(row, times.size), taken + 1)
        if taken <= times.size:
            rows[f"{row}%"] = float(times[taken - 1])
    return {
        "Total": seconds,
        "Slowest": float(times[-1]),
        "Fastest": float(times[0]),
        "Average": float(times.mean()),
        "Requests/sec": requests.count / seconds,
        "Total data": float(answers.body.sum()),
        "Size/request": float(answers.body.sum() // times.size),
        **{f"[{code}]": float(number) for code, number in zip(*statuses, strict=True)},
        "errors": float(requests.unanswered),
        **{f"histogram {number}": float(bar) for number, bar in enumerate(bars, 1)},
        **rows,
    }
