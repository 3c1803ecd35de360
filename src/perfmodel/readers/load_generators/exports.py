"""What load generators export: JSON of k6, vegeta and siege, CSV of locust and JMeter."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perfmodel.readers.load_generators.steps import K6_TRAPS, VEGETA_TRAPS, LoadStep, LoadTest
from perfmodel.readers.refusal import UnreadableFileError, json_of, text_of


def read_k6_json(path: Path) -> LoadTest:
    """Return the step that a file of k6 json holds."""
    metrics = json_of(path)["metrics"]

    def values(name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = metrics[name]
        inner: Mapping[str, Any] = found.get("values", found)
        return inner

    times = values("http_req_duration")
    users = values("vus") if "vus" in metrics else {}
    failed = values("http_req_failed") if "http_req_failed" in metrics else {}
    step = LoadStep(
        throughput=float(values("http_reqs")["rate"]),
        users=float(users["max"]) if "max" in users else None,
        mean_response=float(times["avg"]) / 1e3,
        quantiles={
            0.5 if name == "med" else float(name[2:-1]) / 100: float(value) / 1e3
            for name, value in times.items()
            if name == "med" or name.startswith("p(")
        },
        failed=float(failed.get("value", failed.get("rate", 0.0))),
    )
    return LoadTest("k6 JSON", (step,), K6_TRAPS)


def read_vegeta_json(path: Path) -> LoadTest:
    """Return the step that a file of vegeta json holds."""
    content = json_of(path)
    times, length = content["latencies"], 1e-9 * (content["duration"] + content["wait"])
    step = LoadStep(
        throughput=float(content["requests"]) * float(content["success"]) / length,
        mean_response=float(times["mean"]) * 1e-9,
        quantiles={
            float(name[:-2]) / 100: float(value) * 1e-9
            for name, value in times.items()
            if name[0].isdigit()
        },
        failed=1 - float(content["success"]),
        open_loop=True,
    )
    return LoadTest("vegeta JSON", (step,), VEGETA_TRAPS)


def read_fio(path: Path) -> LoadTest:
    """Return the step that a file of fio holds: operations instead of requests."""
    content = json_of(path)
    shared, jobs = content.get("global options") or {}, content["jobs"]
    rate = busy = depth = 0.0
    merged = False
    parts = []
    for job in jobs:
        options = {**shared, **(job.get("job options") or {})}
        copies = int(options.get("numjobs", 1)) if len(jobs) == 1 else 1
        allowed = int(options.get("iodepth", 1)) * copies
        own = [part for way in ("read", "write", "trim") if (part := job.get(way))]
        own = [part for part in own if part["iops"] > 0]
        in_flight = sum(part["iops"] * part["lat_ns"]["mean"] * 1e-9 for part in own)
        longest = max((part.get("runtime", 0) for part in own), default=0)
        merged |= in_flight > 1.1 * allowed
        merged |= job.get("job_runtime", 0) > (copies + 0.5) * longest > 0
        depth += allowed
        rate += sum(part["iops"] for part in own)
        busy += in_flight
        parts += own
    # Percentiles of several jobs or directions can't be put together.
    rows = {} if len(parts) != 1 else parts[0]["lat_ns"].get("percentile")
    if rows is None:
        rows = parts[0].get("clat_ns", {}).get("percentile", {})
    step = LoadStep(
        throughput=rate,
        users=None if merged else depth,
        mean_response=busy / rate,
        quantiles={float(name) / 100: value * 1e-9 for name, value in rows.items()},
    )
    traps = (
        "fio's users aren't known: more jobs or operations ran at once than the entry's options "
        "allow. group_reporting puts sections together and keeps the options of the last."
        if merged
        else "fio's users are the queue depth times the jobs; engines that wait (psync) keep one "
        "each.",
        "fio's percentiles are of clat, which starts at submission, unless lat_percentiles=1.",
    )
    return LoadTest("fio JSON", (step,), traps)


def read_siege(path: Path) -> LoadTest:
    """Return the step that a file of siege holds."""
    content = json_of(path)
    done, failed = float(content["transactions"]), float(content["failed_transactions"])
    step = LoadStep(
        throughput=float(content["transaction_rate"]),
        users=None,
        mean_response=float(content["response_time"]),
        failed=failed / (done + failed),
    )
    traps = (
        "siege counts a 404 as a transaction, neither as success nor as failure, and a 401 as a "
        "success.",
        "siege's response_time is the time of all requests, failed in it, over transactions, to "
        "10 ms; pictures of a page count as transactions.",
    )
    return LoadTest("siege JSON", (step,), traps)


def _cells(path: Path, rows: list[dict[str, str]], *names: str) -> list[dict[str, float]]:
    found = []
    for line, row in enumerate(rows, 2):
        if None in row or None in row.values():
            cure = "write decimal points; the file may also be truncated"
            raise UnreadableFileError(path, line, "the row has other cells than the header", cure)
        if row["Name"] == "Name":
            what = "a second header stands there"
            raise UnreadableFileError(path, line, what, "keep the file of one test")
        if row.get("Name") != "Aggregated" and "Aggregated" not in (row.get("Type") or ""):
            continue
        try:
            found.append({name: float(row[name]) for name in names if row[name] != "N/A"})
        except (TypeError, ValueError):
            what = "the row of 'Aggregated' lacks a number"
            cure = "the file may be truncated: write it again"
            raise UnreadableFileError(path, line, what, cure) from None
    return found


def read_locust(path: Path) -> LoadTest:
    """Return the step that a file of locust holds."""
    rows = list(csv.DictReader(text_of(path).splitlines()))
    names = ("Request Count", "Failure Count", "Average Response Time", "Requests/s")
    percents = [name for name in rows[0] if re.fullmatch(r"[\d.]+%", name or "")] if rows else []
    steps = [
        LoadStep(
            throughput=one["Requests/s"],
            mean_response=one["Average Response Time"] / 1e3,
            quantiles={float(p[:-1]) / 100: one[p] / 1e3 for p in percents if p in one},
            failed=one["Failure Count"] / one["Request Count"],
        )
        for one in _cells(path, rows, *names, *percents)
    ]
    traps = (
        "locust's Requests/s is the mean over the whole run, its ramp in it; users pause between "
        "requests, and their number isn't in this file.",
        "locust rounds a response time above 100 ms to two digits before it takes percentiles.",
    )
    return LoadTest("locust CSV", tuple(steps), traps)


def read_locust_history(path: Path) -> LoadTest:
    """Return the step that a file of locust history holds."""
    """Return one step for each number of users: the median of its rows' rates."""
    rows = list(csv.DictReader(text_of(path).splitlines()))
    by_users: dict[float, list[float]] = {}
    for one in _cells(path, rows, "User Count", "Requests/s"):
        if one["Requests/s"] > 0 and one["User Count"] > 0:
            by_users.setdefault(one["User Count"], []).append(one["Requests/s"])
    longest = max(map(len, by_users.values()), default=0)
    steps = [
        LoadStep(throughput=sorted(rates)[len(rates) // 2], users=users)
        for users, rates in sorted(by_users.items())
        if len(rates) >= max(3, longest / 10)
    ]
    traps = (
        "A step is a number of users that locust kept; its rate is the median of that time's rows, "
        "each of which is a mean over the last 10 s. The ramps between are left out.",
    )
    return LoadTest("locust history CSV", tuple(steps), traps)


def read_jmeter(path: Path) -> LoadTest:
    """Return the step that a file of jmeter holds."""
    rows = list(csv.DictReader(text_of(path).splitlines()))
    starts, times, failed = [], [], 0
    for line, row in enumerate(rows, 2):
        try:
            starts.append(float(row["timeStamp"]) / 1e3)
            times.append(float(row["elapsed"]) / 1e3)
        except (TypeError, ValueError):
            what = "timeStamp or elapsed is no number of ms"
            cure = "the file may be truncated, or hold dates: delete the row, or save ms"
            raise UnreadableFileError(path, line, what, cure) from None
        failed += row.get("success", "true").lower() != "true"
    length = max(a + b for a, b in zip(starts, times, strict=True)) - min(starts)
    ordered = sorted(times)
    threads = [row.get("allThreads") for row in rows]
    level = {float(one) for one in threads if one}
    step = LoadStep(
        throughput=len(rows) / length,
        users=level.pop() if len(level) == 1 else None,
        mean_response=sum(times) / len(times),
        quantiles={q: ordered[min(len(times) - 1, int(q * len(times)))] for q in (0.5, 0.95, 0.99)},
        failed=failed / len(rows),
    )
    traps = (
        "JMeter's log holds all samples of the test, its ramp too, and transaction controllers "
        "next to the requests that they contain.",
    )
    return LoadTest("JMeter CSV", (step,), traps)
