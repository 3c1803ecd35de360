"""ab (ApacheBench 2.3): what it prints of its requests."""

from __future__ import annotations

from math import sqrt

import numpy as np

from perfmodel.measurement.load_generators.percentiles import percentile_rule
from perfmodel.measurement.load_generators.requests import HttpRequests, Ints
from perfmodel.validation import one_number, positive, whole

ROWS = (50, 66, 75, 80, 90, 95, 98, 99, 100)
"""Percentages of the printed table."""


def ab_report(
    requests: HttpRequests,
    concurrency: int = 1,
    elapsed: float | None = None,
    any_length: bool = False,
) -> dict[str, float]:
    """Return what ab prints: counts, rates, and its two tables of times.

    Times are kept in whole microseconds and printed in whole milliseconds, standard deviations in
    tenths. A request fails whose body has another length than the first one's, unless ab got the
    option `-l` (`any_length`). A status of 4xx or 5xx is counted apart and is no failure. A
    connection that the server closes is a complete request with an empty body. One request has no
    rows of percentages. The median of the first table isn't the row 50 %: of an
    even number it is the upper middle value, of an odd number the mean of the middle value and the
    next larger one.

    Fields have the report's words, in s, bytes and 1/s; sd of one request is 0. The `requests` come
    in any order except for the first, `concurrency` is ab's option `-c`, and `elapsed` are the
    seconds of the whole test, by default until the last end.

    Examples
    --------
    >>> report = ab_report(HttpRequests([0.01, 0.05, 1.0]))
    >>> report["Total median"], report["50%"]
    (0.525, 0.05)
    """
    clients = whole("concurrency", concurrency, low=1)
    seconds = requests.elapsed if elapsed is None else one_number("elapsed", elapsed, positive)
    count = requests.count
    length = 0 if any_length else int((requests.body != requests.body[0]).sum())
    report = {
        "Time taken for tests": seconds,
        "Complete requests": float(count),
        "Failed requests": float(length),
        "Non-2xx responses": float(int((requests.answered & (requests.status // 100 != 2)).sum())),
        "HTML transferred": float(requests.body.sum()),
        "Requests per second": count / seconds,
        "Time per request (mean)": clients * seconds / count,
        "Time per request (across all)": seconds / count,
    }
    total = _microseconds(requests.times)
    connect = _microseconds(requests.connects)
    assert requests.waits is not None
    parts = {
        "Connect": connect,
        "Processing": total - connect,
        "Waiting": _microseconds(requests.waits),
        "Total": total,
    }
    for name, times in parts.items():
        report |= {f"{name} {word}": value for word, value in _summary(np.sort(times)).items()}
    ordered = np.sort(total)
    rule, known = percentile_rule("ab").of, ordered.astype(np.float64)
    rows = ROWS if count > 1 else ()
    return report | {f"{row}%": _milliseconds(rule(known, row)) for row in rows}


def _summary(times: Ints) -> dict[str, float]:
    """Return a row of the table "Connection Times" from times in ascending order."""
    count, mean = times.size, int(times.sum()) // times.size
    upper = int(times[count // 2])
    odd = count > 1 and count % 2 == 1
    deviation = sqrt(float(((times - mean) ** 2).sum()) / (count - 1)) if count > 1 else 0.0
    return {
        "min": _milliseconds(int(times[0])),
        "mean": _milliseconds(mean),
        "sd": deviation / 1e6,
        "median": _milliseconds((upper + int(times[count // 2 + 1])) // 2 if odd else upper),
        "max": _milliseconds(int(times[-1])),
    }


def _microseconds(seconds: np.ndarray) -> Ints:
    return np.rint(1e6 * seconds).astype(np.int64)


def _milliseconds(microseconds: float) -> float:
    """Return whole milliseconds in seconds, halves upwards.

    >>> _milliseconds(20499), _milliseconds(20500)
    (0.02, 0.021)
    """
    return (int(microseconds) + 500) // 1000 / 1000
