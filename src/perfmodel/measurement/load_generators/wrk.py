"""wrk 4.1.0: what it prints of its requests, and what it had measured before it corrected it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import floor, sqrt

import numpy as np

from perfmodel.measurement.load_generators.percentiles import percentile_rule
from perfmodel.measurement.load_generators.requests import HttpRequests
from perfmodel.validation import one_number, positive, whole

ROWS = (50, 75, 90, 99)
TIMEOUT = 2.0
"""Seconds: wrk's default."""


def wrk_corrected(times: Mapping[int, int], interval: int) -> dict[int, int]:
    """Return wrk's histogram after its correction for coordinated omission.

    A time of twice the interval or more also counts as the times that requests sent at each
    interval would have had, down to just above the interval. `times` are counts by microseconds,
    the `interval` lies between two requests of a connection, in microseconds.

    Examples
    --------
    >>> wrk_corrected({1000: 1}, interval=300)
    {1000: 1, 700: 1, 400: 1}
    """
    gap = whole("interval", interval, low=1)
    counts: dict[int, int] = defaultdict(int)
    for time in sorted(times, reverse=True):
        counts[time] += times[time]
        if time >= 2 * gap:
            for added in range(time - gap, gap, -gap):
                counts[added] += times[time]
    return dict(counts)


def wrk_measured(corrected: Mapping[int, int], interval: int) -> dict[int, int]:
    """Return the histogram that wrk had measured, from the one that it reports.

    A script can read what wrk reports: its `done(summary, latency, requests)` gets each time in
    microseconds with its count. What a time has added lies below it, so that the longest time was
    measured, and taking off what it added shows the next one. Raises `ValueError` if no measured
    times give this histogram, `corrected`, with this `interval`: the run's duration in microseconds
    over the requests of a connection, both whole.

    Examples
    --------
    >>> wrk_measured({1000: 1, 700: 1, 400: 2}, interval=300)
    {1000: 1, 400: 1}
    """
    gap = whole("interval", interval, low=1)
    left = dict(corrected)
    measured: dict[int, int] = {}
    for time in sorted(corrected, reverse=True):
        count = left[time]
        if count < 0:
            raise ValueError(f"interval must be the run's, got {interval}: {time} us is short")
        if count:
            measured[time] = count
        if count and time >= 2 * gap:
            for added in range(time - gap, gap, -gap):
                if added not in left:
                    raise ValueError(f"interval must be the run's, got {interval}: no {added} us")
                left[added] -= count
    return measured


def wrk_summary(times: Mapping[int, int]) -> dict[str, float]:
    """Return the latency rows, in s, that wrk prints of `times`, a histogram in microseconds.

    It is the corrected one for what wrk prints; "+/- Stdev" is a fraction.

    Examples
    --------
    >>> wrk_summary({1000: 1, 700: 1, 400: 1})["Latency Avg"]
    0.0007
    """
    ordered = np.array(sorted(times), dtype=np.float64)
    counts = np.array([times[int(time)] for time in ordered])
    size = int(counts.sum())
    mean = float((ordered * counts).sum() / size)
    deviation = sqrt(float((counts * (ordered - mean) ** 2).sum()) / (size - 1)) if size > 1 else 0
    near = (ordered >= mean - deviation) & (ordered <= mean + deviation)
    every, rule = np.repeat(ordered, counts), percentile_rule("wrk").of
    return {
        "Latency Avg": mean / 1e6,
        "Latency Stdev": deviation / 1e6,
        "Latency Max": float(ordered[-1]) / 1e6,
        "Latency +/- Stdev": float(counts[near].sum() / size),
        **{f"{row}%": rule(every, row) / 1e6 for row in ROWS},
    }


def wrk_report(
    requests: HttpRequests,
    connections: int = 1,
    elapsed: float | None = None,
    timeout: float = TIMEOUT,
) -> dict[str, float]:
    """Return what wrk prints: times that it computed are among those that it measured.

    A request of the `timeout` or longer is a request, but its time isn't among the latencies. So
    the longest latency is below 2 s if wrk isn't told otherwise. Requests without an answer are in
    no count except "read errors". If no time is left, the latencies are 0.

    Fields have the report's words, in s and 1/s; "+/- Stdev" is a fraction. The `requests` may come
    in any order, `connections` is wrk's option `-c`, and `elapsed` are the seconds of the whole
    run, by default until the last end.

    Examples
    --------
    A thousand answers after 1 ms and one after 1 s, on one connection:

    >>> from perfmodel.measurement.load_generators.requests import closed_loop
    >>> report = wrk_report(closed_loop([0.001] * 1000 + [1.0]))
    >>> round(report["90%"], 3), round(report["Requests/sec"])
    (0.702, 500)
    """
    seconds = requests.elapsed if elapsed is None else one_number("elapsed", elapsed, positive)
    answers = requests.with_answer()
    each = answers.count // whole("connections", connections, low=1)
    exact = np.floor(1e6 * answers.times + 1e-3)
    late = exact >= 1e6 * one_number("timeout", timeout, positive)
    whole_times, counts = np.unique(exact[~late], return_counts=True)
    times = {int(time): int(count) for time, count in zip(whole_times, counts, strict=True)}
    if each and times:
        times = wrk_corrected(times, max(floor(1e6 * seconds) // each, 1))
    nothing = {name: 0.0 for name in wrk_summary({0: 1}) if name != "Latency +/- Stdev"}
    return {
        **(wrk_summary(times) if times else nothing),
        "requests": float(answers.count),
        "Non-2xx or 3xx responses": float(requests.failures(400)),
        "read errors": float(requests.unanswered),
        "timeouts": float(late.sum()),
        "Requests/sec": answers.count / seconds,
    }
