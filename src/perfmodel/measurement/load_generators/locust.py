"""Locust 2.47: what it prints of its requests."""

from __future__ import annotations

import numpy as np

from perfmodel.measurement.load_generators.percentiles import percentile_rule
from perfmodel.measurement.load_generators.requests import HttpRequests
from perfmodel.validation import Floats, one_number, positive

ROWS = (50, 66, 75, 80, 90, 95, 98, 99, 99.9, 99.99, 100)


def locust_rounded(milliseconds: Floats) -> Floats:
    """Return times in `milliseconds` as Locust counts them: whole, above 100 ms to two digits.

    Examples
    --------
    >>> print(locust_rounded(np.array([99.4, 147.0, 3432.0, 10509.0])))
    [   99.   150.  3400. 11000.]
    """
    decimals = np.select(
        [milliseconds < 100, milliseconds < 1000, milliseconds < 10000], [0, 1, 2], default=3
    )
    steps = 10.0**decimals
    return np.asarray(np.rint(milliseconds / steps) * steps)


def locust_report(requests: HttpRequests, elapsed: float | None = None) -> dict[str, float]:
    """Return Locust's report: percentiles of rounded times, an exact mean and exact extremes.

    Fields have the report's words, in s and 1/s. Mean and extremes are cut to whole ms, and the
    median is kept between the extremes. Of the `requests` a status of 400 or above is a failure,
    whose time counts, and so is one without an answer. `elapsed` are the seconds from the start to
    the last answer, by default those of `requests`.

    Examples
    --------
    >>> report = locust_report(HttpRequests([10.500 + k / 1000 for k in range(10)]))
    >>> report["95%"], report["Max"], report["Med"]
    (11.0, 10.509, 10.509)
    """
    seconds = requests.elapsed if elapsed is None else one_number("elapsed", elapsed, positive)
    exact = 1e3 * requests.times
    counted, rule = np.sort(locust_rounded(exact)), percentile_rule("locust").of
    failed = requests.failures(400) + requests.unanswered
    return {
        "# reqs": float(exact.size),
        "# fails": float(failed),
        "Avg": _cut(exact.mean()),
        "Min": _cut(exact.min()),
        "Max": _cut(exact.max()),
        "Med": _cut(np.clip(rule(counted, 50), exact.min(), exact.max())),
        "req/s": exact.size / seconds,
        "failures/s": failed / seconds,
        **{f"{row:g}%": rule(counted, row) / 1e3 for row in ROWS},
    }


def _cut(milliseconds: float) -> float:
    return int(round(float(milliseconds), 6)) / 1e3
