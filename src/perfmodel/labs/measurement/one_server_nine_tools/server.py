"""One list of known response times, and the reports of nine tools on it."""

from __future__ import annotations

import numpy as np

from perfmodel.measurement import (
    HttpRequests,
    ab_report,
    autocannon_report,
    closed_loop,
    h2load_report,
    hey_report,
    httperf_report,
    loadtest_report,
    locust_report,
    open_loop,
    siege_report,
    wrk_report,
)

FAST, SLOW = 0.0204, 0.2004
"""Seconds that the server takes: mostly, and for each seventh request."""
CLIENTS = 2


def known_requests(
    count: int = 120, stall: float = 1.0, open_rate: float | None = None
) -> HttpRequests:
    """Return the requests that a server answers with known delays.

    Each 7th takes 200 ms, each 10th gets 503, and the middle one stalls for `stall` seconds. With
    `open_rate` they are sent by the clock, this many a second; else two clients send one after the
    other.

    >>> requests = known_requests()
    >>> requests.count, requests.failures(500), float(requests.times.max())
    (120, 12, 1.0)
    """
    number = np.arange(1, count + 1)
    times = np.where(number % 7 == 0, SLOW, FAST)
    times[count // 2] = stall
    status = np.where(number % 10 == 0, 503, 200)
    body = np.where(number % 10 == 0, 2, 3)
    if open_rate is None:
        return closed_loop(times, CLIENTS, status, body)
    return open_loop(times, open_rate, status, body)


def nine_reports(requests: HttpRequests, warm_up: float = 0.0) -> dict[str, dict[str, float]]:
    """Return each tool's report, with httperf's timeout of 0.5 s and h2load's `warm_up` (s)."""
    return {
        "ab": ab_report(requests, CLIENTS),
        "siege": siege_report(requests),
        "httperf": httperf_report(requests, timeout=0.5),
        "h2load": h2load_report(requests, warm_up=warm_up),
        "loadtest": loadtest_report(requests),
        "hey": hey_report(requests),
        "wrk": wrk_report(requests, CLIENTS),
        "locust": locust_report(requests),
        "autocannon": autocannon_report(requests),
        "autocannon -R": autocannon_report(requests, at_a_rate=True),
    }


FIELDS = {
    "ab": ("Total mean", "50%", "95%", "99%", "100%"),
    "siege": ("Response time", "", "", "", "Longest transaction"),
    "httperf": ("Connection time avg", "Connection time median", "", "", "Connection time max"),
    "h2load": ("time for request mean", "", "", "", "time for request max"),
    "loadtest": ("Mean latency", "50%", "95%", "99%", "100%"),
    "hey": ("Average", "50%", "95%", "99%", "Slowest"),
    "wrk": ("Latency Avg", "50%", "", "99%", "Latency Max"),
    "locust": ("Avg", "50%", "95%", "99%", "Max"),
    "autocannon": ("Avg", "50%", "", "99%", "Max"),
    "autocannon -R": ("Avg", "50%", "", "99%", "Max"),
}
"""What each tool prints of times: mean, median, 95 %, 99 % and the longest."""


STEPS = {"siege": 10.0, "httperf": 0.1, "h2load": 0.01, "hey": 0.1, "wrk": 0.01}
"""Milliseconds to which a tool prints times of this size; the others print whole ones."""


def side_by_side(requests: HttpRequests) -> list[list[str]]:
    """Return a row a tool: mean, median, 95 %, 99 % and longest in ms, to the digits printed."""
    reports = nine_reports(requests)
    return [
        [tool, *(_shown(tool, reports[tool].get(field), field) for field in fields)]
        for tool, fields in FIELDS.items()
    ]


def _shown(tool: str, seconds: float | None, field: str) -> str:
    if seconds is None:
        return "none" if field else ""
    step = 0.1 if tool == "loadtest" and field == "Mean latency" else STEPS.get(tool, 1.0)
    step = 0.01 if tool.startswith("autocannon") and field == "Avg" else step
    return f"{round(1e3 * seconds / step) * step:.{2 if step < 0.1 else 1 if step < 1 else 0}f}"
