"""autocannon 9.0.0 (npm): what it prints of its requests."""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np

from perfmodel.measurement.load_generators.percentiles import percentile_rule
from perfmodel.measurement.load_generators.requests import HttpRequests

ROWS = (2.5, 50, 97.5, 99)


def autocannon_report(requests: HttpRequests, at_a_rate: bool = False) -> dict[str, float]:
    """Return what autocannon prints of times: cut to whole ms, the mean rounded up to hundredths.

    With `at_a_rate` (options `-R` and `-r`) it corrects for coordinated omission with an interval
    of 1 ms, whatever the rate: a request of 20 ms counts as 20, of 19, of 18 ms and so on, down to
    1. Fields have the report's words, in s; "Min" isn't printed in the table, but is in the result,
    as the smallest time that isn't 0 ms. Of the `requests` those of 4xx and 5xx count, too,
    those without an answer don't.

    Examples
    --------
    >>> requests = HttpRequests([0.0205] * 10)
    >>> autocannon_report(requests)["50%"], autocannon_report(requests, at_a_rate=True)["50%"]
    (0.02, 0.01)
    """
    exact = np.round(1e3 * requests.with_answer().times, 9)
    times = np.trunc(exact)
    if at_a_rate:
        times = np.concatenate([times, *(np.arange(1, last) for last in times)])
    ordered, rule = np.sort(times), percentile_rule("autocannon").of
    mean, above = float(ordered.mean()), ordered[ordered > 0]
    return {
        **{f"{row:g}%": rule(ordered, row) / 1e3 for row in ROWS},
        "Avg": _up(mean),
        "Stdev": _up(sqrt(float(((ordered - mean) ** 2).mean()))),
        "Max": float(ordered[-1]) / 1e3,
        "Min": float(above[0]) / 1e3 if above.size else 0.0,
        "2xx": float((requests.status // 100 == 2).sum()),
        "non 2xx": float((requests.answered & (requests.status // 100 != 2)).sum()),
    }


def _up(milliseconds: float) -> float:
    return ceil(round(100 * milliseconds, 9)) / 1e5
