"""What a report of a load generator still holds of the run, and what its tool has thrown away."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from perfmodel.validation import one_of

Report = Mapping[str, float]
_Way = Callable[[Report], float] | str
"""A formula, or why there is none."""


def _field(name: str) -> Callable[[Report], float]:
    return lambda report: report[name]


def _httperf_successes(report: Report) -> float:
    return report["Reply status 2xx"] + report["Reply status 3xx"]


def _wrk_longest(report: Report) -> float:
    if report.get("timeouts"):
        raise ValueError("report must hold every time for 'longest' of wrk, got timeouts")
    return report["Latency Max"]


def _hey_successes(report: Report) -> float:
    return sum(n for name, n in report.items() if name.startswith(("[2", "[3")))


_ROWS_ONLY = "times are cut to whole ms, and the mean of the cut parts isn't known"
_WAYS: dict[str, dict[str, _Way]] = {
    "successes": {
        "ab": lambda r: r["Complete requests"] - r.get("Non-2xx responses", 0.0),
        "siege": _field("Successful transactions"),
        "httperf": _httperf_successes,
        "h2load": _field("succeeded"),
        "loadtest": lambda r: r["Completed requests"] - r["Total errors"],
        "hey": _hey_successes,
        "wrk": lambda r: r["requests"] - r.get("Non-2xx or 3xx responses", 0.0),
        "locust": lambda r: r["# reqs"] - r["# fails"],
        "autocannon": _field("2xx"),
    },
    "rate of successes": {
        "ab": lambda r: (
            (r["Complete requests"] - r.get("Non-2xx responses", 0.0)) / r["Time taken for tests"]
        ),
        "siege": lambda r: r["Successful transactions"] / r["Elapsed time"],
        "httperf": lambda r: _httperf_successes(r) / r["test-duration"],
        "h2load": lambda r: r["req/s"] * r["succeeded"] / r["done"],
        "loadtest": lambda r: (r["Completed requests"] - r["Total errors"]) / r["Total time"],
        "hey": lambda r: _hey_successes(r) / r["Total"],
        "wrk": lambda r: (
            r["Requests/sec"] * (1 - r.get("Non-2xx or 3xx responses", 0.0) / r["requests"])
        ),
        "locust": lambda r: r["req/s"] - r["failures/s"],
        "autocannon": "a run of a number of requests is timed to the next whole second",
    },
    "mean time": {
        "ab": _field("Total mean"),
        "siege": lambda r: (
            r["Response time"] * r["Transactions"] / (r["Transactions"] + r["Failed transactions"])
        ),
        "httperf": "requests that were not answered in time are in no mean",
        "h2load": _field("time for request mean"),
        "loadtest": _ROWS_ONLY,
        "hey": _field("Average"),
        "wrk": "computed times are among the measured ones; a script's histogram parts them",
        "locust": _field("Avg"),
        "autocannon": _ROWS_ONLY,
    },
    "longest": {
        "ab": _field("100%"),
        "siege": _field("Longest transaction"),
        "httperf": "requests that were not answered in time have no time",
        "h2load": _field("time for request max"),
        "loadtest": _field("100%"),
        "hey": _field("Slowest"),
        "wrk": _wrk_longest,
        "locust": _field("Max"),
        "autocannon": _field("Max"),
    },
    "percentile": {
        "ab": "convert_percentile takes its rows",
        "siege": "it keeps the sum, the longest and the shortest time alone",
        "httperf": "it prints the middle of the median's bin of 1 ms alone",
        "h2load": "it keeps a log where it is asked for one, and prints no percentile",
        "loadtest": "convert_percentile takes its rows, of times cut to whole ms",
        "hey": "convert_percentile takes its rows",
        "wrk": "computed times are among the measured ones; a script's histogram parts them",
        "locust": "convert_percentile takes its rows, of times rounded to two digits",
        "autocannon": "convert_percentile takes its rows, of times cut to whole ms",
    },
}
NOT_IN_REQUESTS: dict[str, dict[str, str]] = {
    "ab": {
        "Total transferred": "bytes of headers are in no log",
        "Transfer rate": "bytes of headers are in no log",
        "Document Length": "the length of the first answer is in no log",
        "HTML transferred of -t": "it holds bodies of requests that were cut off",
    },
    "siege": {},
    "httperf": {
        "Connection time connect": "it isn't in the server's log",
        "Reply time transfer": "the moment of the first byte isn't in the server's log",
        "Request size, Reply size header": "bytes of headers are in no log",
        "CPU time": "it is httperf's own, which waits busily",
        "Net I/O": "bytes of headers are in no log",
    },
    "h2load": {
        "KB/s, traffic total, headers": "bytes of headers are in no log",
        "time for connect, time to 1st byte": "one number a client, and no log says which",
        "req/s (row)": "one number a client, and no log says which client sent a request",
    },
    "loadtest": {
        "Concurrent clients": "it is the number in the end",
        "rows after a timeout": "'Completed requests' then counts requests without a time",
    },
    "hey": {"Details": "of the report's own run no request is logged"},
    "wrk": {
        "Req/Sec": "samples of 100 ms a thread; a script gets their histogram",
        "Transfer/sec, read": "bytes of headers are in no log",
    },
    "locust": {},
    "autocannon": {
        "Req/Sec, Bytes/Sec": "samples of a second, whose beginning is in no log",
        "requests in, read": "requests count before they are sent, bytes with their headers",
        "errors": "timeouts count, and closed connections don't",
    },
}
"""Further fields of each report that a list of requests doesn't determine, and why."""
REPORT_QUANTITIES = tuple(_WAYS)
"""What can be asked for."""
LOAD_GENERATORS = tuple(_WAYS["longest"])
"""The nine tools."""


def from_report(tool: str, report: Report, quantity: str) -> float:
    """Return a quantity with one meaning for all tools from the fields of a tool's report.

    Raises `ValueError` if the tool has thrown away what the quantity needs, or a field is missing.
    ab, siege and Locust don't tell a closed connection from other failures: with closed
    connections, ab's successes, siege's mean and Locust's mean are not what they are called here.

    Parameters
    ----------
    tool : str
        One of ab, siege, httperf, h2load, loadtest, hey, wrk, locust and autocannon.
    report : mapping of str to float
        Its fields in s, bytes and 1/s, as its `..._report` returns them.
    quantity : {'successes', 'rate of successes', 'mean time', 'longest', 'percentile'}
        How many answers had a status below 400 (ab and autocannon: 2xx; siege: 401 and 407, too),
        how many a second in the time that was measured, the mean time of all answers and the
        longest in s.

    Examples
    --------
    siege divides the time of all requests by those that didn't fail:

    >>> report = {"Response time": 1.2, "Transactions": 4, "Failed transactions": 12}
    >>> round(from_report("siege", report, "mean time"), 3)
    0.3
    """
    one_of("tool", tool, LOAD_GENERATORS)
    way = _WAYS[one_of("quantity", quantity, REPORT_QUANTITIES)][tool]
    if isinstance(way, str):
        raise ValueError(f"quantity must be in the report of {tool}, got {quantity!r}: {way}")
    try:
        return float(way(report))
    except KeyError as missing:
        raise ValueError(f"report must hold {missing} for {quantity!r} of {tool}") from None


def why_lost(tool: str, quantity: str) -> str:
    """Return why a tool's report doesn't give a quantity of `from_report`; nothing where it does.

    Examples
    --------
    >>> why_lost("siege", "percentile"), why_lost("siege", "mean time")
    ('it keeps the sum, the longest and the shortest time alone', '')
    """
    one_of("tool", tool, LOAD_GENERATORS)
    way = _WAYS[one_of("quantity", quantity, REPORT_QUANTITIES)][tool]
    return way if isinstance(way, str) else ""
