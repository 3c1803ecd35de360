"""Summaries of load generators: which tool wrote a text, and the steps in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import inf
from pathlib import Path

from perfmodel.readers.load_generators import exports, texts
from perfmodel.readers.load_generators.steps import LoadTest
from perfmodel.readers.refusal import UnreadableFileError, refusing, text_of


def _json_with(*names: str) -> Callable[[str], bool]:
    def matches(text: str) -> bool:
        if text.lstrip()[:1] != "{":
            return False
        try:
            content = json.loads(text)
        except json.JSONDecodeError:
            return all(f'"{name}"' in text for name in names)
        return isinstance(content, dict) and all(name in content for name in names)

    return matches


FORMATS: dict[str, Callable[[str], bool]] = {
    "ab": lambda text: "This is ApacheBench" in text or "Complete requests:" in text,
    "h2load": lambda text: "time for request:" in text or "h2load" in text[:200],
    "httperf": lambda text: text.startswith("httperf ") or "Reply time [ms]" in text,
    "wrk": lambda text: "Thread Stats" in text and "Running " in text,
    "hey": lambda text: "Response time histogram:" in text and "Requests/sec" in text,
    "k6 JSON": lambda text: '"http_req_duration"' in text and text.lstrip()[:1] == "{",
    "k6": lambda text: "http_req_duration" in text,
    "vegeta JSON": _json_with("latencies", "success", "duration"),
    "vegeta": lambda text: "[total, rate" in text,
    "fio JSON": _json_with("fio version", "jobs"),
    "siege JSON": _json_with("transactions", "transaction_rate"),
    "loadtest": lambda text: "Effective rps:" in text,
    "locust history CSV": lambda text: text.startswith("Timestamp,User Count,Type,Name,Requests/s"),
    "locust CSV": lambda text: text.startswith("Type,Name,Request Count,Failure Count"),
    "JMeter CSV": lambda text: text.startswith("timeStamp,elapsed,"),
}


_ONCE = {
    "ab": r"^Concurrency Level:",
    "h2load": r"^finished in ",
    "httperf": r"^Total: connections",
    "wrk": r"^\s*Thread Stats",
    "hey": r"^Response time histogram:",
    "k6": r"^\W*http_req_duration\.*:",
    "vegeta": r"^Requests\s+\[total",
    "loadtest": r"Effective rps:",
}
"""A line that a tool prints once in each run."""


def _check_one_run(path: Path, format: str) -> None:
    if format not in _ONCE:
        return
    runs = [
        line
        for line, text in enumerate(text_of(path).splitlines(), 1)
        if re.search(_ONCE[format], text)
    ]
    if len(runs) > 1:
        what = f"a second run of {format} is reported here"
        raise UnreadableFileError(path, runs[1], what, "put each run into a file of its own")


def read_load_test(path: Path | str, format: str) -> LoadTest:
    """Return the steps of a load generator's file.

    `format`: a key of `FORMATS`, as `detect` returns it. Raises `UnreadableFileError` if a line
    that the tool always writes is missing or holds no number.
    """
    readers: dict[str, Callable[[Path], LoadTest]] = {
        "ab": texts.read_ab,
        "h2load": texts.read_h2load,
        "httperf": texts.read_httperf,
        "wrk": texts.read_wrk,
        "hey": texts.read_hey,
        "k6": texts.read_k6,
        "k6 JSON": exports.read_k6_json,
        "vegeta": texts.read_vegeta,
        "vegeta JSON": exports.read_vegeta_json,
        "fio JSON": exports.read_fio,
        "siege JSON": exports.read_siege,
        "loadtest": texts.read_loadtest,
        "locust CSV": exports.read_locust,
        "locust history CSV": exports.read_locust_history,
        "JMeter CSV": exports.read_jmeter,
    }
    path = Path(path)
    _check_one_run(path, format)
    found = refusing(path, f"file of {format}", readers[format], path)
    if not found.steps or any(not one.throughput > 0 for one in found.steps):
        cure = "run the test again, for longer"
        raise UnreadableFileError(path, None, "no request was answered", cure)
    for step in found.steps:
        for name in ("throughput", "mean_response", "users"):
            value = getattr(step, name)
            if value is not None and not 0 < value < inf:
                what = f"the {name.replace('_', ' ')} of {format} is {value:g}"
                cure = "if the tool's clock is too coarse, use another tool; or write it again"
                raise UnreadableFileError(path, None, what, cure)
    return found
