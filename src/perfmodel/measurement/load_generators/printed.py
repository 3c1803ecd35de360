"""Reports and request logs of load generators as they stand in their files."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from io import StringIO

import numpy as np

from perfmodel.measurement.load_generators import ab, locust
from perfmodel.measurement.load_generators.percentiles import ab_file_rank
from perfmodel.measurement.load_generators.requests import HttpRequests
from perfmodel.validation import one_of

_N = r"(-?[\d.]+)"
_Pattern = tuple[str, Sequence[str], str]
"""An expression, the field of each of its groups, and the unit of all of them."""


def _connection_times(part: str) -> list[_Pattern]:
    words = ("min", "mean", "sd", "median", "max")
    return [(rf"^{part}:" + rf"\s+{_N}" * 5, [f"{part} {word}" for word in words], "ms")]


def _siege(name: str) -> str:
    """Return an expression for a line of siege's text, or of its JSON."""
    key = name.lower().replace(" ", "_")
    return rf'^(?:{name}:|\W*"{key}":)\s+{_N}'


_DURATION = r"([\d.]+(?:us|ms|s|m))"
_SPREAD = ("min", "max", "mean", "sd")
_PATTERNS: dict[str, list[_Pattern]] = {
    "ab": [
        (rf"^Time taken for tests:\s+{_N} seconds", ["Time taken for tests"], "s"),
        (rf"^Complete requests:\s+{_N}", ["Complete requests"], ""),
        (rf"^Failed requests:\s+{_N}", ["Failed requests"], ""),
        (rf"^Non-2xx responses:\s+{_N}", ["Non-2xx responses"], ""),
        (rf"^HTML transferred:\s+{_N} bytes", ["HTML transferred"], "bytes"),
        (rf"^Requests per second:\s+{_N}", ["Requests per second"], "/s"),
        (rf"^Time per request:\s+{_N} \[ms\] \(mean\)", ["Time per request (mean)"], "ms"),
        (rf"^Time per request:\s+{_N} .*across", ["Time per request (across all)"], "ms"),
        *(row for part in ("Connect", "Processing", "Waiting", "Total")
          for row in _connection_times(part)),
        *((rf"^\s+{row}%\s+{_N}", [f"{row}%"], "ms") for row in ab.ROWS),
    ],
    "siege": [
        (_siege(name), [name], unit)
        for name, unit in (
            ("Transactions", ""), ("Availability", "%"), ("Elapsed time", "s"),
            ("Data transferred", "MiB"), ("Response time", "s"), ("Transaction rate", "/s"),
            ("Throughput", "MiB/s"), ("Concurrency", ""), ("Successful transactions", ""),
            ("Failed transactions", ""), ("Longest transaction", "s"),
            ("Shortest transaction", "s"),
        )
    ],
    "httperf": [
        (rf"^Total: connections {_N} requests \d+ replies {_N} test-duration {_N} s",
         ["connections", "replies", "test-duration"], ""),
        (rf"^Connection rate: {_N}", ["Connection rate"], "/s"),
        (rf"^Connection time \[ms\]: min {_N} avg {_N} max {_N} median {_N} stddev {_N}",
         [f"Connection time {w}" for w in ("min", "avg", "max", "median", "stddev")], "ms"),
        (rf"^Request rate: {_N}", ["Request rate"], "/s"),
        (rf"^Reply rate .*: min {_N} avg {_N} max {_N} .*\((\d+) samples\)",
         [f"Reply rate {w}" for w in ("min", "avg", "max", "samples")], ""),
        (rf"^Reply time \[ms\]: response {_N}", ["Reply time response"], "ms"),
        (r"^Reply size \[B\]: .*content (\d+)", ["Reply size content"], "bytes"),
        (r"^Reply status: 1xx=(\d+) 2xx=(\d+) 3xx=(\d+) 4xx=(\d+) 5xx=(\d+)",
         [f"Reply status {k}xx" for k in range(1, 6)], ""),
        (rf"^Errors: total \d+ client-timo {_N}", ["Errors client-timo"], ""),
    ],
    "h2load": [
        (rf"^finished in {_DURATION}, {_N} req/s", ["finished in", "req/s"], ""),
        (r"(\d+) done, (\d+) succeeded, (\d+) failed", ["done", "succeeded", "failed"], ""),
        (r"^status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx",
         [f"{k}xx" for k in range(2, 6)], ""),
        (r"\((\d+)\) data$", ["data"], "bytes"),
        ("^time for request:" + rf"\s+{_DURATION}" * 4 + rf"\s+{_N}%",
         [f"time for request {w}" for w in (*_SPREAD, "+/- sd")], ""),
    ],
    "loadtest": [
        (rf"^Completed requests:\s+{_N}", ["Completed requests"], ""),
        (rf"^Total errors:\s+{_N}", ["Total errors"], ""),
        (rf"^Total time:\s+{_N} s", ["Total time"], "s"),
        (rf"^Mean latency:\s+{_N} ms", ["Mean latency"], "ms"),
        (rf"^Effective rps:\s+{_N}", ["Effective rps"], "/s"),
        *((rf"^ +{row}%\s+{_N} ms", [f"{row}%"], "ms") for row in (50, 90, 95, 99, 100)),
    ],
    "hey": [
        *((rf"^\s+{name}:\s+{_N} secs", [name], "s")
          for name in ("Total", "Slowest", "Fastest", "Average")),
        (rf"^\s+Requests/sec:\s+{_N}", ["Requests/sec"], "/s"),
        (rf"^\s+Total data:\s+{_N} bytes", ["Total data"], "bytes"),
        (rf"^\s+Size/request:\s+{_N} bytes", ["Size/request"], "bytes"),
        *((rf"^\s+{row}% in {_N} secs", [f"{row}%"], "s") for row in (10, 25, 50, 75, 90, 95, 99)),
        *((rf"^\s+\[{code}\]\s+{_N} responses", [f"[{code}]"], "")
          for code in range(100, 600)),
    ],
    "wrk": [
        ("^    Latency" + rf"\s+{_DURATION}" * 3 + rf"\s+{_N}%",
         [f"Latency {w}" for w in ("Avg", "Stdev", "Max", "+/- Stdev")], ""),
        *((rf"^\s+{row}%\s+{_DURATION}", [f"{row}%"], "") for row in (50, 75, 90, 99)),
        (r"^\s+(\d+) requests in", ["requests"], ""),
        (r"^\s+Non-2xx or 3xx responses: (\d+)", ["Non-2xx or 3xx responses"], ""),
        (rf"^Requests/sec:\s+{_N}", ["Requests/sec"], "/s"),
    ],
    "locust": [
        (r"^\s+Aggregated\s+(\d+)\s+(\d+)\([\d.]+%\) \|" + r"\s+(\d+)" * 4 + rf" \|\s+{_N}\s+{_N}",
         ["# reqs", "# fails", "Avg", "Min", "Max", "Med", "req/s", "failures/s"], ""),
        (r"^\s+Aggregated" + r"\s+(\d+)" * 11 + r"\s+\d+$",
         [f"{row:g}%" for row in locust.ROWS], "ms"),
    ],
    "autocannon": [
        (r"│ Latency" + rf" +│ {_N} ms" * 7,
         ["2.5%", "50%", "97.5%", "99%", "Avg", "Stdev", "Max"], "ms"),
        (r"^(\d+) 2xx responses, (\d+) non 2xx", ["2xx", "non 2xx"], ""),
    ],
}  # fmt: skip
_UNITS = {
    "test-duration": "s", "Reply rate min": "/s", "Reply rate avg": "/s", "Reply rate max": "/s",
    "req/s": "/s", "failures/s": "/s", "time for request +/- sd": "%", "Latency +/- Stdev": "%",
    "Avg": "ms", "Min": "ms", "Max": "ms", "Med": "ms",
}  # fmt: skip
"""Units of fields whose pattern holds several."""


def read_report(tool: str, text: str) -> dict[str, str]:
    """Return the fields of a printed report that can be computed from a list of requests.

    Parameters
    ----------
    tool : str
        ab, siege, httperf, h2load, loadtest, hey, wrk, locust or autocannon.
    text : str
        What the tool printed; of siege its JSON, too. A field that it leaves out, as ab does with
        no "Non-2xx responses", is left out here.

    Returns
    -------
    dict of str to str
        By the words of the tool's `..._report`, each a number with its unit.

    Raises
    ------
    ValueError
        If nothing of the report is found.

    Examples
    --------
    >>> read_report("h2load", "finished in 5.00s, 43.33 req/s, 3.80KB/s")
    {'finished in': '5.00 s', 'req/s': '43.33 /s'}
    """
    result = {}
    for expression, fields, unit in _PATTERNS[one_of("tool", tool, _PATTERNS)]:
        if match := re.search(expression, text, re.M):
            for field, group in zip(fields, match.groups(), strict=True):
                number, own = re.fullmatch(r"(-?[\d.]+)([a-z]*)", group).groups()  # type: ignore[union-attr]
                result[field] = f"{number} {own or unit or _UNITS.get(field, '')}".strip()
    if not result:
        raise ValueError(f"text must be a report of {tool}, got {text[:60]!r}")
    return result


def read_log(tool: str, text: str, percentiles: str = "") -> HttpRequests:
    r"""Return the requests in the log that a tool writes of each of them.

    Parameters
    ----------
    tool : {'ab', 'h2load', 'hey', 'siege'}
        ab's option `-g` (whole ms; the status isn't in it), h2load's `--log-file` (microseconds),
        hey's `-o csv` (tenths of ms), siege's `verbose = true` (hundredths of a second).
    text : str
        The file.
    percentiles : str
        For ab, its file of percentiles (option `-e`): it holds times to a microsecond, and those
        of nearly all requests where they are about a hundred or fewer.

    Raises
    ------
    ValueError
        If it holds no request.

    Examples
    --------
    >>> print(read_log("h2load", "1795910512072328\t404\t5876\n").times)
    [0.005876]
    """
    one_of("tool", tool, ("ab", "h2load", "hey", "siege"))
    if tool == "siege":
        rows = re.findall(r"^HTTP/\S+ (\d+) +([\d.]+) secs: +(\d+) bytes", text, re.M)
    else:
        lines = text.lstrip().splitlines()
        reader = csv.reader(StringIO("\n".join(lines)), delimiter="," if tool == "hey" else "\t")
        rows = [row for row in reader if row and row[-1].replace(".", "").isdigit()]
    if not rows:
        raise ValueError(f"text must hold requests of {tool}, got {text[:60]!r}")
    columns = list(zip(*rows, strict=True))

    def numbers(index: int) -> np.ndarray:
        return np.array(columns[index], dtype=np.float64)

    if tool == "siege":
        return HttpRequests(numbers(1), numbers(0), numbers(2).astype(np.int64))
    if tool == "hey":
        return HttpRequests(numbers(0), numbers(6), starts=numbers(7), connects=numbers(1))
    if tool == "h2load":
        begun = numbers(0)
        return HttpRequests(numbers(2) / 1e6, numbers(1), starts=(begun - begun.min()) / 1e6)
    order = np.argsort(numbers(4), kind="stable")
    seconds, connect, total, wait = (numbers(index)[order] for index in (1, 2, 4, 5))
    for row, time in re.findall(r"^(\d+),([\d.]+)$", percentiles, re.M):
        rank = ab_file_rank(float(row), total.size)
        if rank <= total.size:
            total[rank - 1] = float(time)
    return HttpRequests(
        total / 1e3,
        starts=seconds - seconds.min(),
        connects=np.minimum(connect, total) / 1e3,
        waits=wait / 1e3,
    )
